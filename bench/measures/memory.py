"""Private memory of a worker process (Private_Clean + Private_Dirty): idle, and with many coroutines
that run."""

import subprocess
import time

import processes

WAIT_MS = 10_000


def run(context):
    for _ in context.rounds():
        idle(context)
        busy(context)
        if context.graphile_worker:
            graphile(context)


def idle(context):
    queue = context.rowrunner
    with queue.database() as name:
        worker = queue.worker(name)
        queue.wait_asleep(name)
        time.sleep(context.sizes.settle_seconds)
        context.record("memory/idle", "Rowrunner, idle", "MB", processes.private_megabytes(worker.pid))
        processes.end(worker)


def busy(context):
    queue, running = context.rowrunner, context.sizes.running
    with queue.database() as name:
        queue.enqueue(name, running, kind="bench", ms=WAIT_MS)
        worker = queue.handler_worker(name, "--starts", "--concurrency", running, stdout=subprocess.PIPE)
        for _ in range(running):
            worker.stdout.readline()
        context.record("memory/busy", f"Rowrunner, {running:,} running coroutines", "MB",
                       processes.private_megabytes(worker.pid))
        processes.kill(worker)


def graphile(context):
    queue, running = context.graphile_worker, context.sizes.running
    with queue.database() as name:
        worker = queue.serve(name)
        queue.wait_listening(name)
        time.sleep(context.sizes.settle_seconds)
        context.record("memory/graphile_idle", "Graphile Worker, idle", "MB",
                       processes.private_megabytes(worker.pid))
        processes.end(worker)
    with queue.database() as name:
        queue.enqueue(name, running)
        # More connections than a hundred are no use to it, and running jobs need none.
        flags = ("--concurrency", running, "--local-queue", running, "--complete-delay", 0, "--pool", 10,
                 "--wait", WAIT_MS)
        worker = queue.serve(name, flags, stdout=subprocess.PIPE)
        for _ in range(running):
            worker.stdout.readline()
        context.record("memory/graphile_busy", f"Graphile Worker, {running:,} running jobs", "MB",
                       processes.private_megabytes(worker.pid))
        processes.kill(worker)
