"""The same figures as curves: does anything get slower as it grows?"""

from measures import backlog, many_workers
from context import percentile

BACKLOGS = (1_000, 10_000, 100_000, 1_000_000, 5_000_000)
HISTORIES = (0, 10_000, 100_000, 1_000_000, 10_000_000)
WORKERS = (1, 2, 4, 8, 16, 32)
CONCURRENCIES = (1, 2, 5, 10, 50, 200, 1_000, 2_000)
PAYLOADS = (0, 256, 1_024, 4_096, 16_384, 65_536)
BATCHES = (1, 10, 100, 1_000, 2_000)
MOST_PAYLOAD = 512 * 1024 * 1024

# name: title, x axis, unit
CURVES = {
    "backlog": ("backlog", "jobs queued", "jobs/s"),
    "claims": ("time of a claim over the backlog", "jobs queued", "ms"),
    "history": ("history", "finished rows", "jobs/s"),
    "workers": ("worker processes", "processes", "jobs/s"),
    "concurrency": ("concurrency of one process", "--concurrency", "jobs/s"),
    "payload": ("payload", "bytes a job", "jobs/s"),
    "batch": ("batch", "jobs a transaction", "jobs/s"),
}


def run(context, at_most, only=None):
    for name, (title, x_axis, unit) in CURVES.items():
        grow = globals().get(f"grow_{name}")
        if grow and (not only or name in only):
            for _ in context.rounds():
                grow(context, at_most)
    for name, curve in context.curves.items():
        curve["title"], curve["x"], curve["unit"] = CURVES[name]


def points(context, values, at_most=None):
    return [value for value in values if at_most is None or value <= at_most][:context.sizes.points]


def point(context, curve, x, line, value):
    context.point(curve, x, CURVES[curve][2], line, value)


def grow_backlog(context, at_most):
    queue = context.rowrunner
    for size in points(context, BACKLOGS, at_most):
        with queue.database() as name:
            queue.add_queued(name, size)
            jobs = min(size, context.sizes.jobs)
            seconds = queue.burn_down(name, jobs, flags=("--max-jobs", jobs))
            point(context, "backlog", size, "one process", jobs / seconds)
            queue.add_queued(name, jobs, prefix="again")
            with context.cluster.connect("postgres") as db:
                db.run(f"ALTER DATABASE {name} SET log_min_duration_statement = 0")
            times = backlog.claims(context, name, "cycle", min(size, context.sizes.small_backlog) // 2)
            point(context, "claims", size, "p50", percentile(times, 50))
            point(context, "claims", size, "p99", percentile(times, 99))


def grow_history(context, at_most):
    queue, jobs = context.rowrunner, context.sizes.jobs
    for size in points(context, HISTORIES, at_most):
        with queue.database() as name:
            queue.add_finished(name, size)
            point(context, "history", size, "enqueue", jobs / queue.enqueue(name, jobs))
            point(context, "history", size, "burn-down", jobs / queue.burn_down(name, jobs))


def grow_workers(context, at_most):
    for workers in points(context, WORKERS):
        rate, _ = many_workers.sample(context, workers, min(context.sizes.shared_jobs, at_most))
        point(context, "workers", workers, "all together", rate)


def grow_concurrency(context, at_most):
    queue, jobs = context.rowrunner, min(context.sizes.jobs, at_most)
    for concurrency in points(context, CONCURRENCIES):
        with queue.database() as name:
            queue.enqueue(name, jobs)
            seconds = queue.burn_down(name, jobs, flags=("--concurrency", concurrency))
        point(context, "concurrency", concurrency, "one process", jobs / seconds)


def grow_payload(context, at_most):
    queue = context.rowrunner
    for size in points(context, PAYLOADS):
        jobs = min(context.sizes.jobs, at_most, MOST_PAYLOAD // max(size, 1))
        with queue.database() as name:
            seconds = queue.enqueue(name, jobs, per_commit=1_000, kind="bench", payload=size)
            point(context, "payload", size, "enqueue", jobs / seconds)
            seconds = queue.drain_handlers(name, jobs, "--payload")
            point(context, "payload", size, "burn-down", jobs / seconds)


def grow_batch(context, at_most):
    queue = context.rowrunner
    for batch in points(context, BATCHES):
        jobs = min(context.sizes.jobs, at_most, batch * 1_000)
        with queue.database() as name:
            point(context, "batch", batch, "enqueue", jobs / queue.enqueue(name, jobs, per_commit=batch))
            seconds = context.in_database.burn_down(name, jobs, batch=batch)
            point(context, "batch", batch, "claim and end inside the server", jobs / seconds)
