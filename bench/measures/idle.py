"""Statements that one idle worker sends to the server, counted by pg_stat_statements."""

import time

import processes

COUNT = """
SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
WHERE d.datname = %s"""


def run(context):
    queue, seconds = context.rowrunner, context.sizes.idle_seconds
    with context.cluster.connect("postgres") as db:
        set_track(db, "top")
        for _ in context.rounds():
            with queue.database() as name:
                worker = queue.worker(name)
                queue.wait_asleep(name)
                time.sleep(context.sizes.settle_seconds)
                before, begun = db.value(COUNT, name), time.monotonic()
                time.sleep(seconds)
                calls = db.value(COUNT, name) - before
                context.record("idle/statements", "idle worker", "statements/s",
                               calls / (time.monotonic() - begun))
                processes.end(worker)
        set_track(db, "none")


def set_track(db, value):
    db.run(f"ALTER SYSTEM SET pg_stat_statements.track = '{value}'")
    db.run("SELECT pg_reload_conf()")
