// pg-boss, as bench/queues/pg_boss.py asks for it:
//   pg_boss.mjs install
//   pg_boss.mjs add --jobs N --per-commit N     {"jobs","seconds"}
//   pg_boss.mjs burn --jobs N                   {"jobs","seconds"}
//   pg_boss.mjs serve                           a line "name nanoseconds" when a job starts
//   pg_boss.mjs send                            sends each name on stdin; "name nanoseconds" when it is stored
//   pg_boss.mjs commits --seconds N --clients N {"jobs","seconds"}
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { writeSync } from "node:fs";
import { PgBoss } from "pg-boss";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string", default: "0" },
    "per-commit": { type: "string", default: "10000" },
    batch: { type: "string", default: "1000" },
    concurrency: { type: "string", default: "2" },
    seconds: { type: "string", default: "5" },
    clients: { type: "string", default: "8" },
  },
});
const jobs = Number(values.jobs);
const clients = Number(values.clients);
const now = () => process.hrtime.bigint();
const seconds = (from) => Number(now() - from) / 1e9;

const queue = "noop";
const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  useListenNotify: ["serve", "burn"].includes(positionals[0]),
});
boss.on("error", (error) => {
  console.error(error);
  process.exit(1);
});
await boss.start();

const workOptions = {
  batchSize: Number(values.batch),
  localConcurrency: Number(values.concurrency),
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
};

async function add() {
  const perCommit = Number(values["per-commit"]);
  let spent = 0;
  for (let first = 0; first < jobs; first += perCommit) {
    const count = Math.min(perCommit, jobs - first);
    const rows = Array.from({ length: count }, (_, i) => ({
      data: { plan_id: "job", spot_name: `spot ${first + i}` },
    }));
    const begun = now();
    await boss.insert(queue, rows);
    spent += seconds(begun);
  }
  console.log(JSON.stringify({ jobs, seconds: spent }));
}

async function burn() {
  let done = 0;
  const begun = now();
  await new Promise((all) => {
    boss.work(queue, workOptions, async (batch) => {
      done += batch.length;
      if (done >= jobs) all();
    });
  });
  // Waits until the last batches are written.
  await boss.stop({ graceful: true, timeout: 60000 });
  console.log(JSON.stringify({ jobs: done, seconds: seconds(begun) }));
}

async function serve() {
  await boss.work(queue, workOptions, async (batch) => {
    for (const job of batch) if (job.data.name) writeSync(1, `${job.data.name} ${now()}\n`);
  });
  await new Promise(() => {});
}

async function send() {
  for await (const name of createInterface({ input: process.stdin })) {
    await boss.send(queue, { name });
    writeSync(1, `${name} ${now()}\n`);
  }
}

async function commits() {
  let sent = 0;
  const begun = now();
  const limit = Number(values.seconds);
  const client = async () => {
    for (; seconds(begun) < limit; ++sent) await boss.send(queue, { plan_id: "job" });
  };
  await Promise.all(Array.from({ length: clients }, client));
  console.log(JSON.stringify({ jobs: sent, seconds: seconds(begun) }));
}

const modes = {
  install: () => boss.createQueue(queue, { notify: true }),
  add,
  burn,
  serve,
  send,
  commits,
};
await modes[positionals[0]]();
await boss.stop();
