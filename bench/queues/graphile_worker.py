"""Graphile Worker. It deletes a job when it is done and keeps no history."""

import json
import subprocess
import time

import processes
from queues import rowrunner

PEERS = rowrunner.ROOT / "bench/peers"
NODE = PEERS / "node_modules/.bin/node"
TEMPLATE = "graphile_worker_template"

# The best of `bench/run tune` for each purpose; its documentation has a local queue of 500.
THROUGHPUT = ("--concurrency", 10, "--local-queue", 2000, "--complete-delay", 5)
LATENCY = ("--concurrency", 10)


class GraphileWorker:
    name = "Graphile Worker"
    throughput = THROUGHPUT

    def __init__(self, cluster):
        self.cluster = cluster

    def _command(self, *arguments):
        return [NODE, PEERS / "graphile_worker.mjs", *arguments]

    def install(self):
        self.cluster.create_template(TEMPLATE)
        processes.wait(processes.start(self._command("install"), self.cluster.url(TEMPLATE), folder=PEERS),
                       "graphile-worker install")

    def version(self):
        return json.loads((PEERS / "node_modules/graphile-worker/package.json").read_text())["version"]

    def database(self):
        return self.cluster.database(TEMPLATE)

    def enqueue(self, name, jobs, per_commit=10_000):
        return processes.answer(self._command("add", "--jobs", jobs, "--per-commit", per_commit),
                                self.cluster.url(name), PEERS)["seconds"]

    def enqueue_in_database(self, name, jobs, per_commit=10_000):
        """The SQL function itself, without a client that makes the jobs."""
        with self.cluster.connect(name) as db:
            begun = time.monotonic()
            for first in range(0, jobs, per_commit):
                db.run("SELECT count(*) FROM graphile_worker.add_jobs(ARRAY("
                       "SELECT json_populate_record(NULL::graphile_worker.job_spec, json_build_object("
                       "'identifier', 'noop', 'payload', json_build_object('plan_id', 'job',"
                       " 'spot_name', 'spot ' || i))) FROM generate_series(%s, %s) i))",
                       first + 1, min(jobs, first + per_commit))
            return time.monotonic() - begun

    def burn_down(self, name, jobs, workers=1, flags=None):
        """Seconds from the start of the worker, once Node.js is up, until nothing is left."""
        return max(answer["seconds"] for answer in self.burn(name, jobs, workers, flags))

    def burn(self, name, jobs, workers=1, flags=None):
        command = self._command("burn", "--jobs", jobs, *(flags or self.throughput))
        running = [processes.start(command, self.cluster.url(name), stdout=subprocess.PIPE, folder=PEERS)
                   for _ in range(workers)]
        answers = [json.loads(process.stdout.read().strip().splitlines()[-1]) for process in running]
        for process in running:
            processes.wait(process, "graphile-worker")
        with self.cluster.connect(name) as db:
            left = db.value("SELECT count(*) FROM graphile_worker.jobs")
        if left or sum(answer["jobs"] for answer in answers) != jobs:
            raise RuntimeError(f"graphile-worker left {left} of {jobs} jobs")
        return answers

    def serve(self, name, flags=LATENCY, **options):
        return processes.start(self._command("serve", *flags), self.cluster.url(name), folder=PEERS, **options)

    def wait_listening(self, name):
        with self.cluster.connect(name) as db:
            processes.until(lambda: db.value("SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
                                             " AND query LIKE 'LISTEN%%'", name) > 0, "graphile-worker")

    ADD_ONE = "SELECT graphile_worker.add_job('noop', json_build_object('name', %s::text))"
    COMMIT_SCRIPT = ("\\set n random(1, 1000000000000)\n"
                     "SELECT graphile_worker.add_job('noop', json_build_object('name', :n::text));\n")
