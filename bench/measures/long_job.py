"""One job of a second among thousands of a millisecond, run by two processes.

Its fair wait is that of its neighbours in the queue. And no process may hoard: a job that one process keeps
behind the long one, while the other process has nothing to do, counts as hoarded."""

import statistics
import subprocess
import threading
import time

import processes

LONG_MS = 1000
# A process with a free slot has run dry when it has started nothing for so long.
DRY_NS = 100_000_000
SLOTS = 10
INSERT = """
INSERT INTO bench_jobs (name, ms)
SELECT CASE WHEN i = %s THEN 'long' ELSE i::text END AS name,
       CASE WHEN i = %s THEN %s ELSE 1 END AS ms
FROM generate_series(1, %s) i ORDER BY i"""


def run(context):
    jobs = context.sizes.short_jobs
    for _ in context.rounds():
        ratio, hoarded = sample(context, jobs, jobs // 2, SLOTS)
        context.record("long_job/wait", "wait of the long job / that of its neighbours", "", ratio)
        context.record("long_job/hoarded", "jobs kept from an idle process", "jobs", hoarded)
        # Near the end of the queue and with one slot a process, the jobs behind it are easily kept.
        _, hoarded = sample(context, jobs, jobs - jobs // 50, 1)
        context.record("long_job/hoarded_1", "the same with one slot a process", "jobs", hoarded)


def sample(context, jobs, position, slots):
    queue = context.rowrunner
    with queue.database() as name, context.cluster.connect(name) as db:
        workers = [queue.handler_worker(name, "--starts", "--concurrency", slots, stdout=subprocess.PIPE)
                   for _ in range(2)]
        starts = [{} for _ in workers]
        readers = [threading.Thread(target=read_starts, args=pair) for pair in zip(workers, starts)]
        for reader in readers:
            reader.start()
        queue.wait_asleep(name, len(workers), kind="bench")
        db.run(INSERT, position, position, LONG_MS, jobs)
        begun = time.monotonic_ns()
        queue.wait_done(name, kind="bench")
        for worker, reader in zip(workers, readers):
            processes.end(worker)
            reader.join()
    merged = {job: at - begun for each in starts for job, at in each.items()}
    if len(merged) != jobs:
        raise RuntimeError(f"{len(merged)} jobs were run instead of {jobs}")
    near = [merged[str(i)] for i in range(max(1, position - 50), min(jobs, position + 50)) if i != position]
    return max(merged["long"], 1) / max(statistics.median(near), 1), hoarded(starts, slots)


def read_starts(worker, starts):
    for line in worker.stdout:
        job, _, at = line.strip().rpartition(" ")
        if job and at.isdigit():
            starts[job] = int(at)


def hoarded(starts, slots):
    """Jobs that a process started after the other one had run dry."""
    first_dry = min(busy_until(each, slots) for each in starts) + DRY_NS
    return sum(at > first_dry for each in starts for job, at in each.items() if job != "long")


def busy_until(starts, slots):
    """Whose only slot has the long job is busy as long as that takes."""
    own = [at + LONG_MS * 1_000_000 if job == "long" and slots == 1 else at for job, at in starts.items()]
    return max(own, default=0)
