"""Jobs that run after others: what joins cost a burn-down, what held jobs cost a poll, and how long after the last
end of its parents a job starts."""

import re
import subprocess
import time

import processes
from context import percentile
from queues.rowrunner import TABLES

ATTACH = "SELECT rowrunner.attach('public.{table}', kind => '{kind}', joins => true)"
ADD = "INSERT INTO bench_jobs (name, run_at) SELECT %s || ' ' || i, now() + %s::interval FROM generate_series(1, %s) i"
IDS = "ARRAY(SELECT id FROM {table} WHERE name = ANY (ARRAY(SELECT %s || ' ' || i FROM generate_series(1, %s) i)))"
RUN_AFTER = "SELECT rowrunner.run_after('bench', id, 'bench', " + IDS.format(table="bench_jobs") + \
            ") FROM bench_jobs WHERE name = %s"
SINCE_LAST_END = """
SELECT extract(epoch FROM c.locked_at - (SELECT max(p.updated_at) FROM bench_jobs p WHERE p.name LIKE %s))::float8 * 1e3
FROM bench_jobs c WHERE c.name = %s"""
# Jobs of a diamond that started before the layer above them had ended.
EARLY = """
SELECT count(*) FROM bench_jobs m, bench_jobs t, bench_jobs b
WHERE t.name = 'top 1' AND b.name = 'bottom' AND m.name LIKE 'middle %'
  AND (m.locked_at < t.updated_at OR b.locked_at < m.updated_at)"""
# A chunk of held jobs, each of which waits for the same job of tomorrow.
HOLD = """
DO $$
DECLARE
  parent uuid;
BEGIN
  INSERT INTO bench_jobs (name, run_at) VALUES ('parent {first}', now() + interval '1 day') RETURNING id INTO parent;
  INSERT INTO bench_jobs (name) SELECT 'held ' || i FROM generate_series({first}, {last}) i;
  PERFORM rowrunner.run_after('bench', c.id, 'bench', ARRAY[parent])
    FROM generate_series({first}, {last}) i JOIN bench_jobs c ON c.name = 'held ' || i;
END
$$"""
STATEMENT = re.compile(r"^(\S+) (\d+) LOG:  duration: ([\d.]+) ms  (bind|execute) (poll|fire_joins)\b")
JOIN_PARENTS = 4
SWEEP_PAGES = 1_000  # as in src/worker/upkeep.cpp
PARENT_KINDS = ("bench_1", "bench_2", "bench_3", "bench_4")


def run(context):
    for _ in context.rounds():
        burn_down(context)
        held(context)
        fan_in(context)
        diamond(context)
        same_moment(context)


def attach(db, kind="bench", table="bench_jobs"):
    db.run(ATTACH.format(kind=kind, table=table))


def add_join(db, name, jobs, child, parents=None, delay="0 s"):
    """Jobs, and one that waits for the first `parents` of them; if not said otherwise, for all."""
    db.run("BEGIN")
    db.run(ADD, name, delay, jobs)
    if child:
        db.run("INSERT INTO bench_jobs (name) VALUES (%s)", child)
        db.run(RUN_AFTER, name, jobs if parents is None else parents, child)
    db.run("COMMIT")


def burn_down(context):
    """As many jobs in each case; without joins, the last of each batch waits for nothing."""
    queue, sizes = context.rowrunner, context.sizes
    batches = max(1, sizes.jobs // sizes.joins_of)
    jobs = batches * (sizes.joins_of + 1)
    for key, parents, label in (
            ("without", 0, "jobs that wait for nothing"),
            ("with", JOIN_PARENTS, f"one join of {JOIN_PARENTS} jobs for {sizes.joins_of:,} jobs"),
            ("all", sizes.joins_of, f"one join of all of {sizes.joins_of:,} jobs")):
        with queue.database() as name:
            with context.cluster.connect(name) as db:
                if parents:
                    attach(db)
                for batch in range(batches):
                    add_join(db, f"job {batch}", sizes.joins_of + (not parents),
                             f"child {batch}" if parents else None, parents=parents)
                db.run("VACUUM ANALYZE")
            context.record(f"joins/{key}", label, "jobs/s", jobs / queue.burn_down(name, jobs, kind="bench"))


def held(context):
    """What the statements of a worker take, by the server's log, beside jobs that wait for others."""
    queue, sizes = context.rowrunner, context.sizes
    with queue.database() as name, context.cluster.connect(name) as db:
        attach(db)
        for first in range(1, sizes.held + 1, 1_000):
            db.run(HOLD.format(first=first, last=min(first + 999, sizes.held)))
        db.run("VACUUM ANALYZE")
        with context.cluster.connect("postgres") as other:
            other.run(f"ALTER DATABASE {name} SET log_min_duration_statement = 0")
        begin = context.cluster.log.stat().st_size
        worker = queue.worker(name, kind="bench")
        queue.wait_asleep(name, kind="bench")
        for i in range(sizes.small_joins):
            add_join(db, f"small {i}", 1, f"fired {i}")
            wait_succeeded(db, f"fired {i}")
        processes.end(worker)
        sweep = slowest_sweep(db)
        if db.value("SELECT count(*) FROM rowrunner.waits") != sizes.held:
            raise RuntimeError("held jobs were fired")
    times = statement_times(context.cluster.log, begin, name)
    for statement, label in (("poll", "a poll"), ("fire_joins", "firing a join")):
        context.record(f"joins_ms/{statement}", f"{label} beside {sizes.held:,} held jobs, p50", "ms",
                       percentile(times[statement], 50))
        context.record(f"joins_ms/{statement}_p99", "the same, p99", "ms", percentile(times[statement], 99))
    context.record("joins_ms/sweep", f"a sweep of 1,000 pages beside {sizes.held:,} held jobs, the slowest", "ms", sweep)


def slowest_sweep(db):
    """Of the calls that a worker makes one after the other, ten minutes apart."""
    kind, pages = db.rows("SELECT id, rowrunner.pages_to_sweep() FROM rowrunner.kinds WHERE kind = 'bench'")[0]
    slowest = 0
    for page in range(0, max(1, pages), SWEEP_PAGES):
        begun = time.monotonic()
        db.run("SELECT rowrunner.sweep_joins(%s::smallint, %s, %s)", kind, page, SWEEP_PAGES)
        slowest = max(slowest, time.monotonic() - begun)
    return slowest * 1e3


def statement_times(log, begin, name):
    times, bound = {"poll": [], "fire_joins": []}, {}
    with open(log, encoding="utf-8") as file:
        file.seek(begin)
        for line in file:
            found = STATEMENT.match(line)
            if not found or found[1] != name:
                continue
            if found[4] == "bind":
                bound[found[2]] = float(found[3])
            else:
                times[found[5]].append(bound.pop(found[2], 0) + float(found[3]))
    if not all(times.values()):
        raise RuntimeError("the server's log shows no polls or no joins")
    return times


def wait_succeeded(db, job):
    processes.until(lambda: db.value("SELECT status FROM bench_jobs WHERE name = %s", job) == "succeeded", job,
                    pause=0.01)


def fan_in(context):
    queue, sizes = context.rowrunner, context.sizes
    milliseconds = []
    with queue.database() as name, context.cluster.connect(name) as db:
        attach(db)
        worker = queue.worker(name, kind="bench")
        queue.wait_asleep(name, kind="bench")
        for number in range(sizes.fan_ins):
            add_join(db, f"parent {number}", sizes.fan_in, f"child {number}")
            wait_succeeded(db, f"child {number}")
            milliseconds.append(db.value(SINCE_LAST_END, f"parent {number} %", f"child {number}"))
        processes.end(worker)
        queue.expect_succeeded(name, sizes.fan_ins * (sizes.fan_in + 1), TABLES["bench"])
    if min(milliseconds) < 0:
        raise RuntimeError("a job ran before its parents had ended")
    context.record("joins_ms/fan_in", f"{sizes.fan_in:,} parents, p99 of {sizes.fan_ins}", "ms",
                   percentile(milliseconds, 99))


def diamond(context):
    """One job, many that wait for it, and one that waits for all of these."""
    queue, middle = context.rowrunner, context.sizes.diamond - 2
    with queue.database() as name, context.cluster.connect(name) as db:
        attach(db)
        db.run("BEGIN")
        db.run("INSERT INTO bench_jobs (name) VALUES ('top 1'), ('bottom')")
        db.run(ADD, "middle", "0 s", middle)
        db.run("SELECT rowrunner.run_after('bench', m.id, 'bench', ARRAY[t.id])"
               " FROM bench_jobs m, bench_jobs t WHERE t.name = 'top 1' AND m.name LIKE 'middle %'")
        db.run(RUN_AFTER, "middle", middle, "bottom")
        db.run("COMMIT")
        worker = queue.handler_worker(name, "--starts", stdout=subprocess.PIPE)
        starts = read_starts(worker, middle + 2)
        wait_succeeded(db, "bottom")
        processes.end(worker)
        late = db.value("SELECT count(*) FROM bench_jobs WHERE status <> 'succeeded'")
        if db.value(EARLY):
            raise RuntimeError("a job of the diamond ran before its parents had ended")
        took = db.value("SELECT extract(epoch FROM b.locked_at - t.updated_at)::float8 * 1e3"
                        " FROM bench_jobs b, bench_jobs t WHERE b.name = 'bottom' AND t.name = 'top 1'")
    context.record("joins_ms/diamond", f"a diamond of {middle + 2:,} jobs, from the end of the first to the last", "ms",
                   took)
    context.record("joins_once/diamond", "jobs of the diamond", "jobs", late + not_once(starts, middle + 2))


def same_moment(context):
    """Joins of four parents each, one of each of four kinds with a worker of their own, which all end at once."""
    queue, joins = context.rowrunner, context.sizes.same_moment
    with queue.database() as name, context.cluster.connect(name) as db:
        attach(db)
        for kind in PARENT_KINDS:
            db.run(f"CREATE TABLE {kind}_jobs (LIKE bench_jobs INCLUDING ALL) WITH (fillfactor = 25)")
            attach(db, kind, f"{kind}_jobs")
        moment = time.monotonic_ns() + int((3 + joins / 100) * 1e9)
        add_same_moment(db, joins, moment)
        workers = [queue.handler_worker(name, "--kind", kind, "--concurrency", joins, "--until")
                   for kind in PARENT_KINDS]
        child = queue.handler_worker(name, "--starts", "--concurrency", joins, stdout=subprocess.PIPE)
        for kind in PARENT_KINDS:
            processes.until(lambda table=f"{kind}_jobs": db.value(
                f"SELECT count(*) FROM {table} WHERE status = 'processing'") == joins, "running parents")
        if time.monotonic_ns() > moment:
            raise RuntimeError("the parents did not start in time")
        starts = read_starts(child, joins)
        queue.wait_done(name, "bench")
        left = db.value("SELECT count(*) FROM rowrunner.waits")
        for process in (*workers, child):
            processes.end(process)
    waited = [(at - moment) / 1e6 for _, at in starts]
    if min(waited) < 0:
        raise RuntimeError("a job ran before its parents had ended")
    context.record("joins_ms/same_moment", f"{joins:,} joins whose parents end at once, p99", "ms",
                   percentile(waited, 99))
    context.record("joins_once/same_moment", "joins whose parents end at once on four workers", "jobs",
                   left + not_once(starts, joins))


def add_same_moment(db, joins, moment):
    db.run("BEGIN")
    db.run(ADD, "child", "0 s", joins)
    for kind in PARENT_KINDS:
        db.run(f"INSERT INTO {kind}_jobs (name, payload) SELECT 'child ' || i, %s FROM generate_series(1, %s) i",
               str(moment), joins)
        db.run(f"SELECT rowrunner.run_after('bench', c.id, '{kind}', ARRAY[p.id])"
               f" FROM bench_jobs c JOIN {kind}_jobs p USING (name)")
    db.run("COMMIT")


def read_starts(worker, count):
    """Lines "name nanoseconds" of so many jobs."""
    lines = (worker.stdout.readline().rpartition(" ") for _ in range(count))
    return [(job, int(at)) for job, _, at in lines]


def not_once(starts, jobs):
    """How many of the jobs did not start exactly once."""
    return abs(jobs - len({job for job, _ in starts})) + len(starts) - len({job for job, _ in starts})
