"""Bulk enqueue and burn-down of no-op jobs: ours, the peers and the ceiling, and what a job costs the
server in WAL and CPU from its enqueue to its end."""

import os
import resource

from measures.many_workers import SPAN
from queues.in_database import InDatabase


def run(context):
    for _ in context.rounds():
        for contender in contenders(context):
            contender(context)
        store_history(context)


def contenders(context):
    yield ours(1)
    yield ceiling(1)
    if context.graphile_worker:
        yield graphile(1, "enqueue")
    yield ours(2)
    yield ceiling(os.cpu_count())
    if context.graphile_worker:
        yield graphile(2, "enqueue_in_database")
    if context.pg_boss:
        yield pg_boss


class Meter:
    """WAL and CPU of the server, and CPU of the clients, since it was made."""

    def __init__(self, context):
        self.context = context
        self.server = context.cluster.cpu_seconds()
        self.clients = clients_cpu()
        self.wal = context.cluster.wal_position()
        self.enqueued = 0, 0

    def jobs_are_there(self):
        self.enqueued = self.context.cluster.cpu_seconds() - self.server, clients_cpu() - self.clients

    def record(self, who, label, jobs):
        wal = float(self.context.cluster.wal_position() - self.wal)
        server = self.context.cluster.cpu_seconds() - self.server
        clients = clients_cpu() - self.clients
        self.context.record(f"wal/{who}", label, "bytes a job", wal / jobs)
        self.context.record(f"cpu/{who}", label, "µs a job", server * 1e6 / jobs)
        if clients > 0:
            for key, seconds in (("server", server - self.enqueued[0]), ("worker", clients - self.enqueued[1])):
                self.context.record(f"burn_cpu/{key}_{who}", f"{label}, {key}", "µs a job", seconds * 1e6 / jobs)


def clients_cpu():
    """Of the processes of the bench that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(workers):
    def sample(context):
        queue, jobs = context.rowrunner, context.sizes.jobs
        with queue.database() as name:
            meter = Meter(context)
            enqueued = queue.enqueue(name, jobs)
            meter.jobs_are_there()
            seconds = queue.burn_down(name, jobs, workers)
            if workers == 1:
                meter.record("rowrunner", "Rowrunner", jobs)
            with context.cluster.connect(name) as db:
                at_work = db.value(SPAN)
        context.record(f"at_work/rowrunner_{workers}", f"Rowrunner, {plural(workers)}", "jobs/s", jobs / at_work)
        context.record("enqueue/rowrunner", "Rowrunner, enqueue_many", "jobs/s", jobs / enqueued)
        context.record(f"burn_down/rowrunner_{workers}", f"Rowrunner, {plural(workers)}", "jobs/s", jobs / seconds)
    return sample


def ceiling(sessions):
    def sample(context):
        queue, jobs = context.rowrunner, context.sizes.jobs
        with queue.database() as name:
            queue.enqueue(name, jobs)
            seconds = InDatabase(context.cluster, queue).burn_down(name, jobs, sessions)
        context.record(f"burn_down/ceiling_{sessions}",
                       f"ceiling: inside the server, {plural(sessions, 'session')}",
                       "jobs/s", jobs / seconds)
    return sample


def graphile(workers, how):
    labels = {"enqueue": "Graphile Worker, addJobs() of its library",
              "enqueue_in_database": "Graphile Worker, add_jobs() without a client"}

    def sample(context):
        queue, jobs = context.graphile_worker, context.sizes.jobs
        with queue.database() as name:
            meter = Meter(context)
            enqueued = getattr(queue, how)(name, jobs)
            meter.jobs_are_there()
            seconds = queue.burn_down(name, jobs, workers)
            if workers == 1:
                meter.record("graphile_worker", queue.name, jobs)
        context.record(f"enqueue/graphile_worker_{how}", labels[how], "jobs/s", jobs / enqueued)
        context.record(f"burn_down/graphile_worker_{workers}", f"{queue.name}, {plural(workers)}",
                       "jobs/s", jobs / seconds)
    return sample


def pg_boss(context):
    queue, jobs = context.pg_boss, context.sizes.jobs
    with queue.database() as name:
        meter = Meter(context)
        enqueued = queue.enqueue(name, jobs)
        meter.jobs_are_there()
        seconds = queue.burn_down(name, jobs)
        meter.record("pg_boss", queue.name, jobs)
    context.record("enqueue/pg_boss", "pg-boss, insert() of its library", "jobs/s", jobs / enqueued)
    context.record("burn_down/pg_boss", "pg-boss, 1 process", "jobs/s", jobs / seconds)


def store_history(context):
    """What it costs to keep a job's record, which Graphile Worker does not: an INSERT of the finished
    row into a table of the same shape, without a queue."""
    jobs = context.sizes.jobs
    with context.rowrunner.database() as name, context.cluster.connect(name) as db:
        db.run("CREATE TABLE history (LIKE spot_image_jobs INCLUDING ALL)")
        meter = Meter(context)
        for first in range(0, jobs, 10_000):
            db.run("INSERT INTO history (plan_id, spot_name, status, lease, locked_by, locked_at)"
                   " SELECT 'job', 'spot ' || i, 'succeeded', i, 'host:1:abcdefgh', now()"
                   " FROM generate_series(%s, %s) i", first + 1, min(jobs, first + 10_000))
        meter.record("history", "a row of history alone", jobs)


def plural(n, what="process"):
    return f"{n} {what}" if n == 1 else f"{n} {what}es" if what.endswith("s") else f"{n} {what}s"
