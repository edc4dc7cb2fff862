"""Small steps that many jobs of one worker store at the same time: alone, and each with an effect, a row that
commits with it."""

AT_ONCE = 200
TABLE = "CREATE TABLE bench_effects (name text NOT NULL)"


def run(context):
    for _ in context.rounds():
        sample(context, "plain", f"steps, {AT_ONCE} jobs at a time")
        sample(context, "effects", "the same, each with a row as its effect", "--effects")


def sample(context, key, label, *flags):
    queue, sizes = context.rowrunner, context.sizes
    steps = sizes.step_jobs * sizes.job_steps
    with queue.database() as name, context.cluster.connect(name) as db:
        db.run(TABLE)
        queue.enqueue(name, sizes.step_jobs, kind="bench")
        seconds = queue.drain_handlers(name, sizes.step_jobs, "--concurrency", AT_ONCE,
                                       "--steps", sizes.job_steps, *flags)
        stored = db.value("SELECT count(*) FROM rowrunner.steps")
        written = db.value("SELECT count(*) FROM bench_effects")
    if stored != steps or written != (steps if flags else 0):
        raise RuntimeError(f"{stored} steps and {written} effects were stored, of {steps} steps")
    context.record(f"steps/{key}", label, "steps/s", steps / seconds)
