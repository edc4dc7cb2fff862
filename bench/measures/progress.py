"""Jobs that report their progress ten times a second each: what reaches the server of it, and whether the ends of
other jobs become slower. An end counts from the start of a job that does nothing to the notification that its
commit sends."""

import random
import subprocess
import time

import processes
from context import percentile
from measures.idle import set_track

EVERY_MS = 100
PAUSES = (0.010, 0.040)
TELL_ENDS = """
CREATE FUNCTION tell_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('bench_ends', NEW.name);
  RETURN NULL;
END
$$;
CREATE TRIGGER tell_end AFTER UPDATE ON bench_jobs FOR EACH ROW
  WHEN (NEW.status = 'succeeded' AND NEW.name LIKE 'probe%') EXECUTE FUNCTION tell_end()"""
WRITES = """
SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
WHERE d.datname = %s AND s.query LIKE '%%INTO rowrunner.progress%%' AND s.query LIKE '%%SKIP LOCKED%%'"""


def run(context):
    with context.cluster.connect("postgres") as statistics:
        set_track(statistics, "top")
        for _ in context.rounds():
            sample(context, statistics, "without", "p99 of ends beside jobs that wait", ())
            sample(context, statistics, "with", "p99 of ends beside jobs that wait and report",
                   ("--report-ms", EVERY_MS))
        set_track(statistics, "none")


def sample(context, statistics, key, label, flags):
    queue, running = context.rowrunner, context.sizes.running
    with queue.database() as name, context.cluster.connect(name) as db:
        db.run(TELL_ENDS)
        # They wait until the end of the sample, and are killed then.
        queue.enqueue(name, running, kind="bench", ms=3_600_000)
        worker = queue.handler_worker(name, "--concurrency", running + 10, "--starts-of", "probe", *flags,
                                      stdout=subprocess.PIPE)
        processes.until(lambda: db.value("SELECT count(*) FROM bench_jobs WHERE status = 'processing'") == running,
                        "running jobs")
        if flags:
            processes.until(lambda: db.value("SELECT count(*) FROM rowrunner.progress") == running, "reports")
        before, begun = statistics.value(WRITES, name), time.monotonic()
        milliseconds = ends(db, worker, begun + context.sizes.progress_seconds)
        writes = (statistics.value(WRITES, name) - before) / (time.monotonic() - begun)
        reported = db.value("SELECT count(*) FROM rowrunner.progress")
        processes.kill(worker)
    if reported != (running if flags else 0):
        raise RuntimeError(f"there are reports of {reported} jobs")
    context.record(f"progress/ends_{key}", label, "ms", percentile(milliseconds, 99))
    if flags:
        context.record("progress/statements", f"{running:,} jobs, {1000 // EVERY_MS} reports a second each",
                       "statements/s", writes)


def ends(db, worker, until):
    pause = random.Random(1)
    db.listen("bench_ends")
    milliseconds = []
    while not milliseconds or time.monotonic() < until:
        time.sleep(pause.uniform(*PAUSES))
        probe = f"probe{len(milliseconds)}"
        db.run("INSERT INTO bench_jobs (name) VALUES (%s)", probe)
        started, at = worker.stdout.readline().split()
        told = db.notification()
        ended = time.monotonic_ns()
        if started != probe or told != probe:
            raise RuntimeError(f"{started} and {told} came instead of {probe}")
        milliseconds.append((ended - int(at)) / 1e6)
    return milliseconds
