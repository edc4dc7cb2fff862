"""Many processes on one queue: what they get done together, and whether each gets its share. They are
idle and wait; then all jobs are there at once."""

import processes

SPAN = "SELECT extract(epoch FROM max(updated_at) - min(locked_at))::float8 FROM spot_image_jobs"
SHARES = "SELECT count(*) FROM spot_image_jobs GROUP BY locked_by"


def run(context):
    for _ in context.rounds():
        for workers in context.sizes.workers:
            rate, unfairness = sample(context, workers, context.sizes.shared_jobs)
            label = f"{workers} processes" if workers > 1 else "1 process"
            context.record(f"workers/{workers}", label, "jobs/s", rate)
            if workers > 1:
                context.record(f"shares/{workers}", f"{label}: busiest / idlest share", "", unfairness)


def sample(context, workers, jobs):
    queue = context.rowrunner
    with queue.database() as name:
        running = [queue.worker(name) for _ in range(workers)]
        queue.wait_asleep(name, workers)
        queue.enqueue(name, jobs, per_commit=jobs)
        queue.wait_done(name)
        for process in running:
            processes.end(process)
        queue.expect_succeeded(name, jobs)
        with context.cluster.connect(name) as db:
            seconds = db.value(SPAN)
            shares = [share for (share,) in db.rows(SHARES)]
    shares += [0] * (workers - len(shares))
    return jobs / seconds, max(shares) / max(min(shares), 0.5)
