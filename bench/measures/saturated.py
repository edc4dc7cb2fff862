"""Beside a worker that has more to do than it can: how long do jobs wait that should not wait for the others? One
that is more urgent; one whose transaction commits when the claims have passed its queue entry; and one of another kind
of the same worker. From the acknowledgement of the commit to the start of the handler."""

import queue as queues
import random
import subprocess
import threading
import time

import processes
from context import percentile

SECOND_KIND = """
CREATE TABLE bench_second_jobs (LIKE bench_jobs INCLUDING ALL) WITH (fillfactor = 25);
SELECT rowrunner.attach('public.bench_second_jobs', kind => 'bench_second')"""
FREE_PLACES = "SELECT setval('rowrunner.queue_back', 1000)"
PAUSES = (0.030, 0.150)
# How long a late transaction is open.
OPEN_SECONDS = 0.1
# So much of the backlog must be left.
LEFT = 0.1


def run(context):
    for _ in context.rounds():
        waits = {key: [] for key in PROBES}
        for _ in range(context.sizes.saturated_fills):
            for key, milliseconds in sample(context).items():
                waits[key] += milliseconds
        for key, (label, _) in PROBES.items():
            if not waits[key]:
                raise RuntimeError(f"the backlog was gone before a job of '{label}' was started")
            context.record(f"saturated_p50/{key}", label, "ms", percentile(waits[key], 50))
            context.record(f"saturated_p99/{key}", label, "ms", percentile(waits[key], 99))


def sample(context):
    queue, backlog = context.rowrunner, context.sizes.saturated_backlog
    with queue.database() as name, context.cluster.connect(name) as db:
        db.run(SECOND_KIND)
        db.run(FREE_PLACES)
        queue.enqueue(name, backlog, kind="bench", prefix="backlog")
        worker = queue.handler_worker(name, "--kind", "bench", "bench_second", "--starts-of", "probe",
                                      stdout=subprocess.PIPE)
        last = f"backlog {int(backlog * (1 - LEFT))}"
        begun = "SELECT EXISTS (SELECT FROM bench_jobs WHERE name = 'backlog 0' AND status <> 'queued')"
        processes.until(lambda: db.value(begun), "the first jobs", pause=0.005)
        waits = probe_all(context, name, worker, last)
        processes.kill(worker)
    return waits


def probe_all(context, name, worker, last):
    """All three at the same time, each one after the other, until the job `last` is claimed."""
    starts = {key: queues.Queue() for key in PROBES}
    waits = {key: [] for key in PROBES}
    reader = threading.Thread(target=read_starts, args=(worker, starts), daemon=True)
    threads = [threading.Thread(target=probe, args=(context, name, key, starts[key], waits[key], last))
               for key in PROBES]
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def read_starts(worker, starts):
    for line in worker.stdout:
        if line.startswith("probe"):
            name, at = line.split()
            starts[name.split("-")[1]].put((name, int(at)))


def probe(context, database, key, starts, waits, last):
    pause = random.Random(key)
    beside = True
    with context.cluster.connect(database) as db:
        while beside:
            time.sleep(pause.uniform(*PAUSES))
            name = f"probe-{key}-{len(waits)}"
            committed = PROBES[key][1](db, name)
            started, at = starts.get(timeout=60)
            if started != name:
                raise RuntimeError(f"{started} came instead of {name}")
            # What started when the backlog was gone did not wait beside it.
            beside = db.value("SELECT status FROM bench_jobs WHERE name = %s", last) == "queued"
            if beside or not waits:
                waits.append((at - committed) / 1e6)


def urgent(db, name):
    db.run("INSERT INTO bench_jobs (name, priority) VALUES (%s, -10)", name)
    return time.monotonic_ns()


def late(db, name):
    """Its queue entry gets one of the numbers that were left free before the backlog, as if it had been enqueued then. A
    transaction that is open for so long would be measured by held_xmin."""
    db.run("BEGIN")
    db.run("INSERT INTO bench_jobs (name) VALUES (%s)", name)
    db.run("UPDATE rowrunner.queue SET seq = %s WHERE priority = 0 AND seq = currval('rowrunner.queue_back')"
           " AND kind = (SELECT id FROM rowrunner.kinds WHERE kind = 'bench')", int(name.rpartition("-")[2]) + 1)
    time.sleep(OPEN_SECONDS)
    db.run("COMMIT")
    return time.monotonic_ns()


def second(db, name):
    db.run("INSERT INTO bench_second_jobs (name) VALUES (%s)", name)
    return time.monotonic_ns()


PROBES = {"urgent": ("a more urgent job", urgent), "late": ("a late commit", late),
          "second": ("a job of a second kind", second)}
