"""200 handlers at a time that wait 100 ms each: at best 2,000 jobs a second."""

HANDLERS = 200
MS = 100


def run(context):
    queue, jobs = context.rowrunner, context.sizes.waiting_jobs
    for _ in context.rounds():
        with queue.database() as name:
            queue.enqueue(name, jobs, kind="bench", ms=MS)
            seconds = queue.drain_handlers(name, jobs, "--concurrency", HANDLERS)
        context.record("waiting/rowrunner", f"{HANDLERS} handlers of {MS} ms, of {HANDLERS * 1000 // MS:,} jobs/s",
                       "jobs/s", jobs / seconds)
