"""One commit a job from eight clients, while workers listen and run what comes; held against plain
INSERTs into tables that no queue knows of. The same without the worker, and without the trigger of the
pictures, shows what each of them takes; and with a trigger that writes the place and does nothing else,
what is the most that a second row by a trigger can come to."""

import re
import subprocess
import tempfile

import processes
from cluster import BIN

CLIENTS = 8
TABLES = """
CREATE TABLE raw_rows (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL);
CREATE TABLE same_rows (LIKE spot_image_jobs INCLUDING ALL);"""
RANDOM = "\\set n random(1, 1000000000000)\n"
RAW = RANDOM + "INSERT INTO raw_rows (name) VALUES (:n);\n"
SAME = RANDOM + "INSERT INTO same_rows (plan_id, spot_name) VALUES ('bench', :n) ON CONFLICT DO NOTHING;\n"
OURS = SAME.replace("same_rows", "spot_image_jobs")
WITHOUT_PICTURES = "DROP TRIGGER spots_follow_insert ON spot_image_jobs;"
ONLY_THE_PLACE = WITHOUT_PICTURES + """
CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT 1, i.priority, nextval('rowrunner.back_of_line'), i.id FROM inserted i;
  RETURN NULL;
END
$$"""


def run(context):
    for _ in context.rounds():
        plain(context, "raw", "plain INSERT of two columns", RAW)
        served(context, "rowrunner", "Rowrunner, INSERT with a worker running")
        plain(context, "same_row", "plain INSERT of the same row, no queue", SAME)
        alone(context, "no_worker", "Rowrunner, INSERT without a worker")
        alone(context, "no_pictures", "Rowrunner, without the pictures' trigger", WITHOUT_PICTURES)
        served(context, "only_place", "the place alone, with a polling worker", ONLY_THE_PLACE)
        if context.graphile_worker:
            graphile(context)
        if context.pg_boss:
            pg_boss(context)


def pgbench(context, name, script):
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        command = [BIN / "pgbench", "-n", "-M", "prepared", "-c", CLIENTS, "-j", 2,
                   "-T", context.sizes.commit_seconds, "-f", file.name,
                   "-h", context.cluster.folder, "-U", "dev", name]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    found = re.search(r"^tps = ([\d.]+)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        raise RuntimeError(f"pgbench failed: {done.stderr[-500:]}")
    return float(found[1])


def record(context, key, label, value):
    context.record(f"commits/{key}", label, "commits/s", value)


def plain(context, key, label, script):
    with context.rowrunner.database() as name:
        with context.cluster.connect(name) as db:
            db.run(TABLES)
        record(context, key, label, pgbench(context, name, script))


def served(context, key, label, change=None):
    queue = context.rowrunner
    with queue.database() as name:
        apply(context, name, change)
        worker = queue.worker(name)
        queue.wait_asleep(name)
        record(context, key, label, pgbench(context, name, OURS))
        queue.wait_done(name)
        processes.end(worker)


def alone(context, key, label, change=None):
    with context.rowrunner.database() as name:
        apply(context, name, change)
        record(context, key, label, pgbench(context, name, OURS))


def apply(context, name, change):
    if change:
        with context.cluster.connect(name) as db:
            db.run(change)


def graphile(context):
    queue = context.graphile_worker
    with queue.database() as name:
        worker = queue.serve(name, queue.throughput)
        queue.wait_listening(name)
        record(context, "graphile_worker", "Graphile Worker, add_job() with a worker running",
               pgbench(context, name, queue.COMMIT_SCRIPT))
        processes.end(worker)


def pg_boss(context):
    queue = context.pg_boss
    with queue.database() as name:
        worker = queue.serve(name)
        queue.wait_listening(name)
        record(context, "pg_boss", "pg-boss, send() with a worker running",
               queue.commits(name, context.sizes.commit_seconds, CLIENTS))
        processes.end(worker)
