"""One commit a job from eight clients, while workers listen and run what comes; compared with plain
INSERTs into tables that no queue knows of. On a job table of its own and on that of the pictures, which has
a trigger of theirs. The same without the worker shows what that takes; and with a trigger that writes the
queue entry and does nothing else, what is the most that a second row by a trigger can come to."""

import re
import subprocess
import tempfile

import processes

CLIENTS = 8
TABLES = """
CREATE TABLE raw_rows (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL);
CREATE TABLE own_rows (LIKE bench_jobs INCLUDING ALL);
CREATE TABLE same_rows (LIKE spot_image_jobs INCLUDING ALL);"""
RANDOM = "\\set n random(1, 1000000000000)\n"
RAW = RANDOM + "INSERT INTO raw_rows (name) VALUES (:n);\n"
OWN = RANDOM + "INSERT INTO bench_jobs (name) VALUES (:n) ON CONFLICT DO NOTHING;\n"
OWN_ROW = OWN.replace("bench_jobs", "own_rows")
PICTURES = RANDOM + "INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('bench', :n) ON CONFLICT DO NOTHING;\n"
PICTURES_ROW = PICTURES.replace("spot_image_jobs", "same_rows")
ONLY_THE_ENTRY = """
CREATE OR REPLACE FUNCTION rowrunner.on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO rowrunner.queue (kind, priority, seq, job_id)
    SELECT k.id, i.priority, nextval('rowrunner.queue_back'), i.id
    FROM inserted i, rowrunner.kinds k WHERE k.kind = 'bench';
  RETURN NULL;
END
$$"""


def run(context):
    for _ in context.rounds():
        plain(context, "raw", "plain INSERT of two columns", RAW)
        served(context, "own_table", "Rowrunner, INSERT with a worker running", OWN, "bench")
        plain(context, "own_row", "plain INSERT of the same row, no queue", OWN_ROW)
        alone(context, "own_table_alone", "Rowrunner, INSERT without a worker", OWN)
        served(context, "only_entry", "the queue entry alone, with a polling worker", OWN, "bench", ONLY_THE_ENTRY)
        served(context, "rowrunner", "Rowrunner, job table of the pictures, with a worker running", PICTURES,
               "spot_image")
        plain(context, "same_row", "plain INSERT of the same row of the pictures, no queue", PICTURES_ROW)
        if context.graphile_worker:
            graphile(context)
        if context.pg_boss:
            pg_boss(context)


def pgbench(context, name, script):
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        command = [context.cluster.programs / "pgbench", "-n", "-M", "prepared", "-c", CLIENTS, "-j", 2,
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


def served(context, key, label, script, kind, change=None):
    queue = context.rowrunner
    with queue.database() as name:
        if change:
            with context.cluster.connect(name) as db:
                db.run(change)
        worker = queue.worker(name, kind=kind)
        queue.wait_asleep(name, kind=kind)
        record(context, key, label, pgbench(context, name, script))
        queue.wait_done(name, kind)
        processes.end(worker)


def alone(context, key, label, script):
    with context.rowrunner.database() as name:
        record(context, key, label, pgbench(context, name, script))


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
