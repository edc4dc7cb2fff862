// Graphile Worker, as bench/queues/graphile_worker.py asks for it:
//   graphile_worker.mjs install
//   graphile_worker.mjs add --jobs N --per-commit N      {"jobs","seconds"}
//   graphile_worker.mjs burn --jobs N                    {"jobs","seconds","quarters"}
//   graphile_worker.mjs serve                            a line "name nanoseconds" when a job starts
import { parseArgs } from "node:util";
import { writeSync } from "node:fs";
import { Logger, makeWorkerUtils, run, runMigrations, runOnce } from "graphile-worker";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string", default: "0" },
    "per-commit": { type: "string", default: "10000" },
    concurrency: { type: "string", default: "10" },
    "local-queue": { type: "string", default: "-1" },
    "complete-delay": { type: "string", default: "-1" },
    pool: { type: "string" },
    wait: { type: "string", default: "0" },
  },
});
const jobs = Number(values.jobs);
const now = () => process.hrtime.bigint();
const seconds = (from) => Number(now() - from) / 1e9;

const preset = {
  worker: {
    connectionString: process.env.DATABASE_URL,
    concurrentJobs: Number(values.concurrency),
    maxPoolSize: Number(values.pool ?? Number(values.concurrency) + 1),
    localQueue: { size: Number(values["local-queue"]) },
    completeJobBatchDelay: Number(values["complete-delay"]),
    failJobBatchDelay: Number(values["complete-delay"]),
    logger: new Logger(() => () => {}),
  },
};

async function add() {
  const utils = await makeWorkerUtils({ preset });
  const perCommit = Number(values["per-commit"]);
  let spent = 0;
  for (let first = 0; first < jobs; first += perCommit) {
    const count = Math.min(perCommit, jobs - first);
    const specs = Array.from({ length: count }, (_, i) => ({
      identifier: "noop",
      payload: { plan_id: "job", spot_name: `spot ${first + i}` },
    }));
    const begun = now();
    await utils.addJobs(specs);
    spent += seconds(begun);
  }
  await utils.release();
  console.log(JSON.stringify({ jobs, seconds: spent }));
}

async function burn() {
  let done = 0;
  const quarters = [];
  const begun = now();
  const noop = async () => {
    if (++done % Math.ceil(jobs / 4) === 0 || done === jobs) quarters.push(seconds(begun));
  };
  await runOnce({ preset, taskList: { noop } });
  console.log(JSON.stringify({ jobs: done, seconds: seconds(begun), quarters }));
}

async function serve() {
  const wait = Number(values.wait);
  const noop = async (payload) => {
    writeSync(1, `${payload.name} ${now()}\n`);
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  };
  const runner = await run({ preset, taskList: { noop } });
  await runner.promise;
}

const modes = { install: () => runMigrations({ preset }), add, burn, serve };
await modes[positionals[0]]();
