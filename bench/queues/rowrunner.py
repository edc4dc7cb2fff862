"""Rowrunner: the shipped binary with its default configuration, and the library for what is not in
the binary (bench/programs)."""

import pathlib
import re
import subprocess
import time

import processes

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATE = "rowrunner_template"
KIND = "spot_image"
TABLES = {"spot_image": "spot_image_jobs", "bench": "bench_jobs"}

ALL_DONE = """
SELECT NOT EXISTS (SELECT FROM rowrunner.queue WHERE kind = k.id)
   AND NOT EXISTS (SELECT FROM rowrunner.leases WHERE kind = k.id)
FROM rowrunner.kinds k WHERE k.kind = %s"""


def built(program):
    if not program.exists():
        raise SystemExit(f"bench: {program} is not built")
    return program


class Shipped:
    """The binary alone, with the jobs of its own workloads."""
    name = "Rowrunner"

    def __init__(self, cluster, binary):
        self.cluster = cluster
        self.binary = built(binary)

    def install(self):
        self.cluster.create_template(TEMPLATE)
        processes.wait(processes.start([self.binary, "migrate"], self.cluster.url(TEMPLATE)), "migrate")

    def version(self):
        told = subprocess.run([self.binary, "--version"], text=True, capture_output=True, check=True)
        return re.search(r"\d+\.\d+\.\d+", told.stdout)[0]

    def database(self, suffix="sample"):
        return self.cluster.database(TEMPLATE, suffix)


class Rowrunner(Shipped):
    def __init__(self, cluster, build):
        super().__init__(cluster, build / "src/apps/rowrunner")
        self.bench_worker = built(build / "bench/bench_worker")
        self.bench_enqueue = built(build / "bench/bench_enqueue")

    def install(self):
        super().install()
        with self.cluster.connect(TEMPLATE) as db:
            db.run((ROOT / "bench/bench_jobs.sql").read_text())

    def enqueue(self, name, jobs, per_commit=10_000, kind=KIND, payload=0, ms=0, prefix="job"):
        """Through the library; answers the seconds that it took."""
        command = [self.bench_enqueue, "--kind", kind, "--jobs", jobs, "--per-commit", per_commit,
                   "--payload", payload, "--ms", ms, "--prefix", prefix]
        return processes.answer(command, self.cluster.url(name))["seconds"]

    def worker(self, name, *flags, kind=KIND):
        command = [self.binary, "worker", "--handler", f"{kind}=noop", *flags]
        return processes.start(command, self.cluster.url(name))

    def handler_worker(self, name, *flags, **options):
        """A worker whose jobs say how long they wait (kind `bench`)."""
        return processes.start([self.bench_worker, *flags], self.cluster.url(name), **options)

    def drain_handlers(self, name, jobs, *flags):
        """Seconds from the start of the first handler to the end of the last one."""
        answer = processes.answer([self.bench_worker, "--drain", *flags], self.cluster.url(name))
        if answer["jobs"] != jobs:
            raise RuntimeError(f"{answer['jobs']} jobs were run instead of {jobs}")
        return answer["seconds"]

    def burn_down(self, name, jobs, workers=1, flags=(), kind=KIND):
        """Seconds from the start of the processes until the last one has ended."""
        begun = time.monotonic()
        running = [self.worker(name, "--drain", *flags, kind=kind) for _ in range(workers)]
        for process in running:
            processes.wait(process, "rowrunner worker")
        seconds = time.monotonic() - begun
        self.expect_succeeded(name, jobs, TABLES[kind])
        return seconds

    def expect_succeeded(self, name, jobs, table="spot_image_jobs"):
        with self.cluster.connect(name) as db:
            done = db.value(f"SELECT count(*) FROM {table} WHERE status = 'succeeded' AND locked_by <> ''")
        if done != jobs:
            raise RuntimeError(f"{done} jobs were run instead of {jobs}")

    def wait_asleep(self, name, workers=1, kind=KIND):
        """Until so many workers are there and their kind's wake-up flag is armed."""
        with self.cluster.connect(name) as db:
            processes.until(
                lambda: db.value("SELECT count(*) FROM rowrunner.workers") >= workers
                and db.value("SELECT coalesce(pg_sequence_last_value(wakeup), 0) >"
                             " extract(epoch FROM clock_timestamp()) * 1000"
                             " FROM rowrunner.kinds WHERE kind = %s", kind),
                "idle workers")

    def wait_done(self, name, kind=KIND):
        with self.cluster.connect(name) as db:
            processes.until(lambda: db.value(ALL_DONE, kind), "all jobs to end", 3600, 0.1)

    def add_finished(self, name, rows, prefix="old"):
        """History: rows that ended long ago."""
        with self.cluster.connect(name) as db:
            for first in range(0, rows, 100_000):
                db.run("INSERT INTO spot_image_jobs (plan_id, spot_name, status)"
                       " SELECT %s, i::text, 'succeeded' FROM generate_series(%s, %s) i",
                       prefix, first + 1, min(rows, first + 100_000))
            db.run("VACUUM ANALYZE")

    def add_queued(self, name, rows, prefix="waiting", urgency=0, delay="0 s"):
        """A backlog, by plain INSERTs; the table's triggers add the queue entries."""
        with self.cluster.connect(name) as db:
            for first in range(0, rows, 100_000):
                db.run("INSERT INTO spot_image_jobs (plan_id, spot_name, priority, run_at)"
                       " SELECT %s, i::text, %s, now() + %s::interval FROM generate_series(%s, %s) i",
                       prefix, urgency, delay, first + 1, min(rows, first + 100_000))
            db.run("VACUUM ANALYZE")
