"""The data of the page's views with a large table behind them: every route that web/ reads, with each filter, for one
kind and for all, from the first and from random positions; and the slowest statement of the server meanwhile. The rows
are inserted as succeeded, failed, waiting and delayed, through the triggers of the table; a worker runs jobs of another
kind."""

import itertools
import random
import re
import time

import processes
from context import note, percentile
from measures.idle import set_track
from served import Client, serving

CHUNK = 50_000
CAUSES = 40
SPOTS = 20
# One in ten has failed. The last ones wait or are delayed, as in a queue with a backlog.
FILL = f"""
INSERT INTO spot_image_jobs (plan_id, spot_name, status, attempts, last_error, run_at)
SELECT 'plan ' || i / {SPOTS}, 'spot ' || i %% {SPOTS}, j.status, CASE j.status WHEN 'failed' THEN 3 ELSE 0 END,
       CASE j.status WHEN 'failed' THEN
         format('the image API answered 503 in region %%s: request %%s',
                translate((i / 10 %% {CAUSES})::text, '0123456789', 'abcdefghij'), i) END,
       now() + CASE WHEN i > %(delayed)s THEN i * interval '1 s' ELSE interval '0 s' END
FROM generate_series(%(first)s, %(last)s) i
CROSS JOIN LATERAL (SELECT CASE WHEN i %% 10 = 0 THEN 'failed' WHEN i > %(waiting)s THEN 'queued' ELSE 'succeeded' END)
     AS j (status)"""
PLANS = f"""
INSERT INTO travel_plans (plan_id, title) SELECT 'plan ' || i, 'Plan ' || i FROM generate_series(1, %(plans)s) i;
INSERT INTO spots (plan_id, spot_name, position)
SELECT 'plan ' || i, 'spot ' || n, n FROM generate_series(1, %(plans)s) i, generate_series(0, {SPOTS - 1}) n"""
ID = "SELECT id::text FROM spot_image_jobs WHERE plan_id = %s AND spot_name = %s"
SLOWEST = """
SELECT s.max_exec_time::float8, s.query FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
WHERE d.datname = %s ORDER BY 1 DESC LIMIT 1"""
CANCELLED = re.compile(r"^(\S+) \d+ ERROR:  canceling statement")
LIST = "/api/jobs?limit=50"


def run(context):
    with context.cluster.connect("postgres") as statistics:
        for _ in context.rounds():
            sample(context, statistics)


def sample(context, statistics):
    queue, sizes = context.rowrunner, context.sizes
    with queue.database() as name, context.cluster.connect(name) as db:
        table = Table(db, sizes.page_jobs)
        queue.enqueue(name, sizes.running, kind="bench", ms=3_600_000)
        worker = queue.handler_worker(name, "--concurrency", sizes.running)
        running = "SELECT count(*) FROM bench_jobs WHERE status = 'processing'"
        processes.until(lambda: db.value(running) == sizes.running, "running jobs")
        with serving(queue, name) as server:
            client = Client(server)
            routes = routes_of(table, db, client)
            log = context.cluster.log.stat().st_size
            set_track(statistics, "top")
            statistics.run("SELECT pg_stat_statements_reset()")
            times = ask_all(client, routes, sizes.page_requests)
            slowest, query = statistics.rows(SLOWEST, name)[0]
            set_track(statistics, "none")
        processes.kill(worker)
    note(f"big_page: the slowest statement: {' '.join(query.split())[:200]}")
    for key, (label, _) in routes.items():
        context.record(f"page_p50/{key}", label, "ms", percentile(times[key], 50))
        context.record(f"page_p99/{key}", label, "ms", percentile(times[key], 99))
    context.record("page/slowest", f"the slowest statement, {sizes.page_jobs:,} jobs", "ms", slowest)
    context.record("page/cancelled", "statements that took too long and were cancelled", "statements",
                   cancelled(context.cluster.log, log, name))


class Table:
    """Job number i is of plan i / 20, and whether it has failed, waits or is delayed follows from i."""

    def __init__(self, db, jobs):
        self.db, self.jobs = db, jobs
        self.waiting, self.delayed = jobs - jobs // 10, jobs - jobs // 100
        begun = time.monotonic()
        for first in range(1, jobs + 1, CHUNK):
            db.run_named(FILL, first=first, last=min(jobs, first + CHUNK - 1), waiting=self.waiting,
                         delayed=self.delayed)
        db.run_named(PLANS, plans=max(1, min(1_000, jobs // SPOTS - 1)))
        note(f"big_page: {jobs:,} jobs were added in {time.monotonic() - begun:.0f} s")
        db.run("VACUUM ANALYZE")

    def id(self, number):
        return self.db.value(ID, f"plan {number // SPOTS}", f"spot {number % SPOTS}")

    def any(self, chance, of="any"):
        """The id of a random job."""
        first, last = {"queued": (self.waiting, self.delayed), "delayed": (self.delayed, self.jobs),
                       "succeeded": (0, self.waiting)}.get(of, (0, self.jobs))
        number = chance.randint(first + 1, last)
        if of == "failed":
            return self.id(max(10, number // 10 * 10))
        return self.id(number - 1 if of != "any" and number % 10 == 0 else number)


def routes_of(table, db, client):
    """For each what it is called and paths that take turns. All are made before the clock runs."""
    chance = random.Random(1)

    def ids(of, count=50):
        return [table.any(chance, of) for _ in range(count)]

    def lists(status, cursors):
        first = LIST + (f"&status={status}" if status else "")
        begins = [first, first + "&kind=spot_image"]
        return begins + [f"{begins[n % 2]}&after={cursor}" for n, cursor in enumerate(cursors)]

    def jobs(of, kind="spot_image"):
        return [f"/api/jobs/{kind}/{job}" for job in of]

    groups = client.json("/api/failed")["items"]
    first = [f"/api/failed/jobs?kind={each['kind']}&fingerprint={each['fingerprint']}&limit=50" for each in groups]
    further = [client.json(path)["next"] for path in first]
    entries = db.rows("SELECT min(seq), max(seq) FROM rowrunner.queue WHERE priority = 0")[0]
    places = [f"0:{chance.randint(*entries)}" for _ in range(50)]
    running = [row[0] for row in db.rows("SELECT id::text FROM bench_jobs LIMIT 50")]
    return {
        "session": ("who is signed in", ["/api/session"]),
        "overview": ("overview", ["/api/overview"]),
        "jobs": ("jobs, all", lists("", ids("any"))),
        "jobs_queued": ("jobs, waiting", lists("queued", places)),
        "jobs_processing": ("jobs, running", lists("processing", [])),
        "jobs_delayed": ("jobs, delayed", lists("delayed", [])),
        "jobs_succeeded": ("jobs, succeeded", lists("succeeded", ids("any"))),
        "jobs_failed": ("jobs, failed", lists("failed", ids("failed"))),
        "jobs_cancelled": ("jobs, cancelled: there is none", lists("cancelled", ids("any"))),
        "failed": ("failed, the groups", ["/api/failed", "/api/failed?kind=spot_image"]),
        "failed_jobs": ("failed, the jobs of a group",
                        first + [f"{path}&after={after}" for path, after in zip(first, further) if after]),
        "operations": ("failed, what is being retried", ["/api/operations"]),
        "job_succeeded": ("job, succeeded", jobs(ids("succeeded"))),
        "job_failed": ("job, failed", jobs(ids("failed"))),
        "job_queued": ("job, waiting", jobs(ids("queued"))),
        "job_delayed": ("job, delayed", jobs(ids("delayed"))),
        "job_running": ("job, running", jobs(running, "bench")),
        "plans": ("plans", ["/api/plans"]),
        "plan": ("plan", [f"/api/plans/plan%20{n}" for n in range(1, 50)]),
        "workers": ("workers", ["/api/workers"]),
        "queue": ("queue", ["/api/queue", "/api/queue?kind=spot_image"]),
    }


def ask_all(client, routes, rounds):
    """One route after the other, so that what the server keeps for a second is old when it is asked for again."""
    times = {key: [] for key in routes}
    paths = {key: itertools.cycle(of) for key, (_, of) in routes.items()}
    for _ in range(rounds):
        for key, path in paths.items():
            times[key].append(client.get(next(path))[1])
    return times


def cancelled(log, begin, name):
    with open(log, encoding="utf-8") as file:
        file.seek(begin)
        return sum(1 for line in file if (found := CANCELLED.match(line)) and found[1] == name)
