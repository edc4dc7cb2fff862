"""A burn-down beside jobs that are more urgent but wait for tomorrow, and without them."""


def run(context):
    queue, sizes = context.rowrunner, context.sizes
    with queue.database("with") as beside, queue.database("without") as alone:
        queue.add_queued(beside, sizes.delayed, prefix="tomorrow", urgency=-100, delay="1 day")
        queue.add_queued(alone, 0)
        ran = 0
        for number in context.rounds():
            ran += sizes.jobs
            for name, key, label in ((alone, "without", "no delayed jobs"),
                                     (beside, "with", f"{sizes.delayed:,} delayed jobs, more urgent")):
                queue.enqueue(name, sizes.jobs, prefix=f"round {number}")
                context.record(f"delayed/{key}", label, "jobs/s", sizes.jobs / queue.burn_down(name, ran))
