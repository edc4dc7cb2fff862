"""A transaction that somebody forgot keeps every dead row of the line alive. The same burn-down with
and without one, and whether it gets slower as the dead rows pile up. The finished jobs say themselves
when they were ended."""

# Seconds from the first claim to the end of each quarter of the jobs.
QUARTERS = """
SELECT extract(epoch FROM ended - (SELECT min(locked_at) FROM spot_image_jobs))::float8
FROM unnest((SELECT percentile_disc(ARRAY[0.25, 0.5, 0.75, 1]) WITHIN GROUP (ORDER BY updated_at)
             FROM spot_image_jobs)) ended ORDER BY 1"""


def run(context):
    for _ in context.rounds():
        sample(context, held=False)
        sample(context, held=True)


def sample(context, held):
    queue, jobs = context.rowrunner, context.sizes.xmin_jobs
    with queue.database() as name, context.cluster.connect(name) as other:
        if held:
            other.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
            other.run("SELECT count(*) FROM spot_image_jobs")
        queue.add_queued(name, jobs)
        queue.burn_down(name, jobs)
        with context.cluster.connect(name) as db:
            ends = [seconds for (seconds,) in db.rows(QUARTERS)]
    rates = [jobs / 4 / max(end - begin, 1e-6) for begin, end in zip([0, *ends], ends)]
    key, label = ("held", "xmin held") if held else ("free", "nothing held")
    context.record(f"xmin/{key}", f"{label}, all jobs", "jobs/s", jobs / ends[-1])
    for quarter, rate in enumerate(rates, 1):
        context.record(f"xmin/{key}_{quarter}", f"{label}, quarter {quarter}", "jobs/s", rate)
