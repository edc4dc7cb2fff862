"""Where the time of one job goes: the CPU of the two sessions that a worker claims and ends jobs with,
what the statements themselves take of it, and the CPU of the worker."""

import time

import processes
from cluster import cpu_ticks
from measures.idle import set_track

SESSIONS = {"claims": "the session that claims", "ends": "the session that ends"}
STATEMENTS = {
    "claim": ("claim.sql", "WITH entry AS%"),
    "succeed": ("succeed.sql", "WITH ended AS%RETURNING%f.n%"),
    "end_leases": ("end_leases.sql", "DELETE FROM rowrunner.leases %"),
}
EXECUTED = """
SELECT coalesce(sum(total_exec_time), 0)::float8 FROM pg_stat_statements s
JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = %s AND replace(s.query, E'\\n', ' ') LIKE %s"""


def run(context):
    with context.cluster.connect("postgres") as db:
        set_track(db, "top")
        for _ in context.rounds():
            sample(context, db)
        set_track(db, "none")


def sample(context, statistics):
    queue, jobs = context.rowrunner, context.sizes.jobs
    with queue.database() as name, context.cluster.connect(name) as db:
        worker = queue.worker(name)
        # A session is opened by its first statement: one job uses all of them.
        db.run("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('first', 'job')")
        queue.wait_done(name)
        queue.wait_asleep(name)
        db.run("UPDATE rowrunner.kinds SET paused = true")
        queue.enqueue(name, jobs)
        time.sleep(context.sizes.settle_seconds)
        statistics.run("SELECT pg_stat_statements_reset()")
        pids = {key: db.value("SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name = %s",
                              name, f"rowrunner {key}") for key in SESSIONS}
        pids["worker"] = worker.pid
        before = {key: microseconds(pid) for key, pid in pids.items()}
        db.run("UPDATE rowrunner.kinds SET paused = false")
        queue.wait_done(name)
        spent = {key: (microseconds(pid) - before[key]) / jobs for key, pid in pids.items()}
        executed = {key: statistics.value(EXECUTED, name, pattern) * 1e3 / jobs
                    for key, (_, pattern) in STATEMENTS.items()}
        processes.end(worker)
    if 0 in executed.values():
        raise RuntimeError(f"pg_stat_statements does not know the statements: {executed}")
    for key, label in SESSIONS.items():
        context.record(f"anatomy/{key}", f"{label}, CPU", "µs a job", spent[key])
    for key, (file, _) in STATEMENTS.items():
        context.record(f"anatomy/{key}", f"{file}, from begin to end", "µs a job", executed[key])
    context.record("anatomy/worker", "the worker, CPU", "µs a job", spent["worker"])


def microseconds(pid):
    return sum(cpu_ticks(pid, with_children=False)) * 1e4
