"""From the acknowledgement of a commit to the start of the handler, with an idle worker: the time of a
single job that no other job delays. All processes read the same clock of the machine."""

import random
import subprocess
import time

import processes
from context import percentile

# Long enough for a worker to fall asleep.
PAUSES = (0.030, 0.100)


def run(context):
    for _ in context.rounds():
        for contender in (ours, graphile, pg_boss):
            contender(context)


def ours(context):
    queue = context.rowrunner
    with queue.database() as name, context.cluster.connect(name) as db:
        worker = queue.handler_worker(name, "--starts", stdout=subprocess.PIPE)
        queue.wait_asleep(name, kind="bench")
        insert = "INSERT INTO bench_jobs (name) VALUES (%s) ON CONFLICT DO NOTHING"
        measure(context, "rowrunner", queue.name, worker, statement(db, insert))


def graphile(context):
    queue = context.graphile_worker
    if not queue:
        return
    with queue.database() as name, context.cluster.connect(name) as db:
        worker = queue.serve(name, stdout=subprocess.PIPE)
        queue.wait_listening(name)
        measure(context, "graphile_worker", queue.name, worker, statement(db, queue.ADD_ONE))


def pg_boss(context):
    queue = context.pg_boss
    if not queue:
        return
    with queue.database() as name:
        worker = queue.serve(name, stdout=subprocess.PIPE)
        queue.wait_listening(name)
        sender = queue.sender(name, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def send(job):
            sender.stdin.write(job + "\n")
            sender.stdin.flush()
            return stamp(sender, job)

        measure(context, "pg_boss", queue.name, worker, send)
        processes.end(sender)


def statement(db, sql):
    def send(job):
        db.run(sql, job)
        return time.monotonic_ns()
    return send


def stamp(process, job):
    """Reads a line "name nanoseconds"."""
    name, at = process.stdout.readline().split()
    if name != job:
        raise RuntimeError(f"{name} came instead of {job}")
    return int(at)


def measure(context, key, label, worker, send):
    pause = random.Random(1)
    send("first")
    stamp(worker, "first")
    milliseconds = []
    for i in range(context.sizes.pick_ups):
        time.sleep(pause.uniform(*PAUSES))
        stored = send(f"job{i}")
        milliseconds.append((stamp(worker, f"job{i}") - stored) / 1e6)
    processes.end(worker)
    context.record(f"pick_up_p50/{key}", label, "ms", percentile(milliseconds, 50))
    context.record(f"pick_up_p99/{key}", label, "ms", percentile(milliseconds, 99))
