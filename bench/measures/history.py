"""A burn-down in a table that is full of finished jobs, and in one that is not."""


def run(context):
    queue, sizes = context.rowrunner, context.sizes
    with queue.database("full") as full, queue.database("empty") as empty:
        queue.add_finished(full, sizes.history)
        queue.add_finished(empty, 0)
        ran = 0
        for number in context.rounds():
            ran += sizes.jobs
            for name, key, label in ((empty, "empty", "empty table"),
                                     (full, "full", f"{sizes.history:,} finished rows")):
                queue.enqueue(name, sizes.jobs, prefix=f"round {number}")
                context.record(f"history/{key}", label, "jobs/s", sizes.jobs / queue.burn_down(name, ran))
