"""How long a claim takes in a short queue and in a very long one. The server's log says how long each
claim of the shipped worker took."""

import re

import processes
from context import percentile

DURATION = re.compile(r"^(\S+) (\d+) LOG:  duration: ([\d.]+) ms  (bind|execute) claim/")


def run(context):
    queue, sizes = context.rowrunner, context.sizes
    with queue.database("short") as short, queue.database("long") as long:
        queue.add_queued(short, sizes.small_backlog)
        queue.add_queued(long, sizes.backlog)
        for name in (short, long):
            with context.cluster.connect("postgres") as db:
                db.run(f"ALTER DATABASE {name} SET log_min_duration_statement = 0")
        for number in context.rounds():
            for name, key, size in ((short, "short", sizes.small_backlog), (long, "long", sizes.backlog)):
                times = claims(context, name, f"round {number}", sizes.small_backlog // 2)
                label = f"{size:,} jobs queued"
                context.record(f"claim_p50/{key}", label, "ms", percentile(times, 50))
                context.record(f"claim_p99/{key}", label, "ms", percentile(times, 99))


def claims(context, name, prefix, jobs):
    """Workers run so many jobs again and again, and the queue is filled up again each time."""
    queue = context.rowrunner
    begin = context.cluster.log.stat().st_size
    for cycle in range(context.sizes.claim_cycles):
        processes.wait(queue.worker(name, "--max-jobs", jobs), "rowrunner worker")
        queue.enqueue(name, jobs, prefix=f"{prefix} {cycle}")
    return claim_times(context.cluster.log, begin, name)


def claim_times(log, begin, name):
    """The plan is made when the parameters are bound, so that counts too."""
    times = []
    bound = {}
    with open(log, encoding="utf-8") as file:
        file.seek(begin)
        for line in file:
            found = DURATION.match(line)
            if not found or found[1] != name:
                continue
            if found[4] == "bind":
                bound[found[2]] = float(found[3])
            else:
                times.append(bound.pop(found[2], 0) + float(found[3]))
    if not times:
        raise RuntimeError("the server's log shows no claims")
    return times
