"""Burn-downs of the peers in several configurations, to find the best one of each."""

import itertools

JOBS = 100_000


def run(context):
    graphile, boss = context.graphile_worker, context.pg_boss
    jobs = min(JOBS, context.sizes.jobs)
    for workers, concurrency, local, delay in itertools.product((1, 2), (1, 10, 24), (500, 2000), (0, 5)):
        flags = ("--concurrency", concurrency, "--local-queue", local, "--complete-delay", delay)
        with graphile.database() as name:
            graphile.enqueue_in_database(name, jobs)
            seconds = graphile.burn_down(name, jobs, workers, flags)
        label = f"{workers} process(es), concurrency {concurrency}, local queue {local}, delay {delay}"
        context.record(f"burn_down/graphile_worker {label}", f"Graphile Worker, {label}", "jobs/s", jobs / seconds)
    for batch, concurrency in itertools.product((100, 1000, 5000), (1, 2, 4)):
        with boss.database() as name:
            boss.enqueue(name, jobs)
            seconds = boss.burn_down(name, jobs, ("--batch", batch, "--concurrency", concurrency))
        label = f"batch {batch}, {concurrency} workers"
        context.record(f"burn_down/pg_boss {label}", f"pg-boss, {label}", "jobs/s", jobs / seconds)
