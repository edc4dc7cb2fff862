"""pg-boss. It keeps the rows of finished jobs for a while, as Rowrunner does."""

import json

import processes
from queues.graphile_worker import NODE, PEERS

TEMPLATE = "pg_boss_template"


class PgBoss:
    name = "pg-boss"
    # The best of `bench/run tune`.
    throughput = ("--batch", 5000, "--concurrency", 2)

    def __init__(self, cluster):
        self.cluster = cluster

    def _command(self, *arguments):
        return [NODE, PEERS / "pg_boss.mjs", *arguments]

    def install(self):
        self.cluster.create_template(TEMPLATE)
        processes.wait(processes.start(self._command("install"), self.cluster.url(TEMPLATE), folder=PEERS),
                       "pg-boss install")

    def version(self):
        return json.loads((PEERS / "node_modules/pg-boss/package.json").read_text())["version"]

    def database(self):
        return self.cluster.database(TEMPLATE)

    def _answer(self, name, *arguments):
        return processes.answer(self._command(*arguments), self.cluster.url(name), PEERS)

    def enqueue(self, name, jobs, per_commit=10_000):
        return self._answer(name, "add", "--jobs", jobs, "--per-commit", per_commit)["seconds"]

    def burn_down(self, name, jobs, flags=None):
        answer = self._answer(name, "burn", "--jobs", jobs, *(flags or self.throughput))
        with self.cluster.connect(name) as db:
            done = db.value("SELECT count(*) FROM pgboss.job WHERE state = 'completed'")
        if done != jobs:
            raise RuntimeError(f"pg-boss completed {done} of {jobs} jobs")
        return answer["seconds"]

    def commits(self, name, seconds, clients):
        answer = self._answer(name, "commits", "--seconds", seconds, "--clients", clients)
        return answer["jobs"] / answer["seconds"]

    def serve(self, name, **options):
        return processes.start(self._command("serve", "--batch", 10, "--concurrency", 1),
                               self.cluster.url(name), folder=PEERS, **options)

    def sender(self, name, **options):
        return processes.start(self._command("send"), self.cluster.url(name), folder=PEERS, **options)

    def wait_listening(self, name):
        with self.cluster.connect(name) as db:
            processes.until(lambda: db.value("SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
                                             " AND query ILIKE 'listen%%'", name) > 0, "pg-boss")
