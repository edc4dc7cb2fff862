"""A forgotten transaction keeps every dead row of the queue alive. The same burn-down with
and without one, and whether it gets slower as the dead rows pile up. The finished jobs say themselves
when they were ended."""

import contextlib

# Seconds from the first claim to the end of each quarter of the jobs.
QUARTERS = """
SELECT extract(epoch FROM ended - (SELECT min(locked_at) FROM spot_image_jobs))::float8
FROM unnest((SELECT percentile_disc(ARRAY[0.25, 0.5, 0.75, 1]) WITHIN GROUP (ORDER BY updated_at)
             FROM spot_image_jobs)) ended ORDER BY 1"""


def run(context):
    for number in context.rounds():
        sample(context, held=False)
        sample(context, held=True)
        # Once: it shows what becomes of a queue that is read from its front, and no bar is about it.
        if context.graphile_worker and number == 0:
            graphile(context)


@contextlib.contextmanager
def held_snapshot(context, name):
    with context.cluster.connect(name) as other:
        other.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        other.run("SELECT count(*) FROM pg_class")
        yield


def sample(context, held):
    queue, jobs = context.rowrunner, context.sizes.xmin_jobs
    with queue.database() as name, held_snapshot(context, name) if held else contextlib.nullcontext():
        queue.add_queued(name, jobs)
        queue.burn_down(name, jobs)
        with context.cluster.connect(name) as db:
            ends = [seconds for (seconds,) in db.rows(QUARTERS)]
    record(context, *(("held", "Rowrunner, held") if held else ("free", "Rowrunner, free")), jobs, ends)


def graphile(context):
    queue, jobs = context.graphile_worker, context.sizes.xmin_jobs
    with queue.database() as name, held_snapshot(context, name):
        queue.enqueue_in_database(name, jobs)
        record(context, "graphile", "Graphile Worker, held", jobs, queue.burn(name, jobs)[0]["quarters"])


def record(context, key, label, jobs, ends):
    context.record(f"xmin/{key}", f"{label}, all jobs", "jobs/s", jobs / ends[-1])
    for quarter, (begin, end) in enumerate(zip([0, *ends], ends), 1):
        rate = jobs / 4 / max(end - begin, 1e-6)
        context.record(f"xmin/{key}_{quarter}", f"{label}, quarter {quarter}", "jobs/s", rate)
