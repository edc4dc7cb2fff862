"""Many WebSockets, each of which watches a job of its own: the statements that they add, the time from the commit of
a change to its message, and the memory of the server. First one job after the other reports progress, then all end in
one transaction."""

import itertools
import json
import random
import time

import processes
from context import percentile
from measures.idle import COUNT, set_track
from served import serving
from web_sockets import Listeners

PAUSES = (0.005, 0.025)
ADD = """
INSERT INTO bench_jobs (name, run_at) SELECT 'watched ' || i, now() + interval '1 day' FROM generate_series(1, %s) i
RETURNING id::text"""
# What a worker writes for a job of its own; none runs here, so that the bench knows when each change was committed.
REPORT = """
INSERT INTO rowrunner.progress (kind, job_id, done, total, message)
SELECT k.id, %s, %s, 1000000000, '' FROM rowrunner.kinds k WHERE k.kind = 'bench'
ON CONFLICT (kind, job_id) DO UPDATE SET done = excluded.done, updated_at = now()"""
END = "UPDATE bench_jobs SET status = 'succeeded', updated_at = now()"


def run(context):
    with context.cluster.connect("postgres") as statistics:
        set_track(statistics, "top")
        for _ in context.rounds():
            sample(context, statistics)
        set_track(statistics, "none")


def sample(context, statistics):
    queue, sizes = context.rowrunner, context.sizes
    with queue.database() as name, context.cluster.connect(name) as db, serving(queue, name) as server:
        jobs = [row[0] for row in db.rows(ADD, sizes.viewers)]
        time.sleep(sizes.settle_seconds)
        without = statements_a_second(statistics, name, lambda: time.sleep(sizes.viewer_seconds) or 0)
        memory = server.megabytes()
        listeners = Listeners(server, [f"/ws/jobs/{job}" for job in jobs])
        processes.until(lambda: all(each.messages for each in listeners.sockets), "the first messages")
        time.sleep(sizes.settle_seconds)
        context.record("viewers/memory", f"memory of the server for each of {sizes.viewers:,}", "kB",
                       (server.megabytes() - memory) * 1024 / sizes.viewers)
        quiet = statements_a_second(statistics, name, lambda: time.sleep(sizes.viewer_seconds) or 0)
        changes = []
        busy = statements_a_second(statistics, name, lambda: report(db, jobs, sizes.viewer_seconds, changes))
        processes.until(lambda: all(arrival(listeners, change) for change in changes), "the messages of all changes")
        ended = end_all(db, listeners)
    record(context, without, quiet, busy)
    waits = [(arrival(listeners, change) - change[2]) * 1e3 for change in changes]
    for key, label, of in (("one", "one job after the other reports", waits),
                           ("all", f"{sizes.viewers:,} jobs end in one transaction", ended)):
        context.record(f"viewers_p50/{key}", label, "ms", percentile(of, 50))
        context.record(f"viewers_p99/{key}", label, "ms", percentile(of, 99))


def statements_a_second(statistics, name, work):
    """While something is done that answers how many statements are its own."""
    before, begun = statistics.value(COUNT, name), time.monotonic()
    own = work()
    return (statistics.value(COUNT, name) - before - own) / (time.monotonic() - begun)


def record(context, without, quiet, busy):
    count = f"{context.sizes.viewers:,}"
    context.record("viewers/without", "a server without viewers", "statements/s", without)
    context.record("viewers/quiet", f"added by {count} viewers, nothing changes", "statements/s", quiet - without)
    context.record("viewers/busy", f"added by {count} viewers, jobs report", "statements/s", busy - without)


def report(db, jobs, seconds, changes):
    """Adds (number of the viewer, number of the change, time of its commit) to the changes, and counts them."""
    pause, until = random.Random(1), time.monotonic() + seconds
    for number in itertools.count(1):
        viewer = number % len(jobs)
        db.run(REPORT, jobs[viewer], number)
        changes.append((viewer, number, time.monotonic()))
        if time.monotonic() > until:
            return number
        time.sleep(pause.uniform(*PAUSES))


def arrival(listeners, change):
    """When a viewer knew of it: intermediate states may be left out, so a later one counts too."""
    viewer, number, _ = change
    return next((at for at, text in listeners.sockets[viewer].messages
                 if json.loads(text)["processed_pages"] >= number), None)


def end_all(db, listeners):
    db.run(END)
    committed = time.monotonic()
    listeners.wait_ended()
    for each in listeners.sockets:
        if json.loads(each.messages[-1][1])["status"] != "completed" or each.close_code != 1000:
            raise RuntimeError(f"a viewer was left with {each.messages[-1]} and the code {each.close_code}")
    return [(each.messages[-1][0] - committed) * 1e3 for each in listeners.sockets]
