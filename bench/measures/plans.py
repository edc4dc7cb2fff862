"""What the parts of the two statements take, by EXPLAIN (ANALYZE) over batches of 1,000 jobs. The clock
that it reads for every row makes each part look longer than it is; their shares are what counts."""

import json

from queues.in_database import statement

BATCH = 1_000
# The batch that is measured: those before it have warmed up the session.
MEASURED = 8
LEASE = 1_000
CLAIM_PARTS = {
    "entry": "claim.sql: finds and locks the entries",
    "gone": "claim.sql: deletes the entries",
    "taken": "claim.sql: marks the jobs as processing",
    "leased": "claim.sql: writes the lease",
}


def run(context):
    for _ in context.rounds():
        sample(context)


def sample(context):
    queue = context.rowrunner
    with queue.database() as name, context.cluster.connect(name) as db:
        queue.enqueue(name, BATCH * (MEASURED + 1))
        for number in range(MEASURED + 1):
            claimed = explained(db, "claim_settings", claim(LEASE + number, behind=BATCH * number))
            ids = db.value("SELECT job_ids::text FROM rowrunner.leases WHERE lease = %s", LEASE + number)
            ended = explained(db, "write_settings", succeed(LEASE + number, ids))
    for part, label in CLAIM_PARTS.items():
        plan = next(each for each in claimed["Plan"]["Plans"] if each.get("Subplan Name") == f"CTE {part}")
        record(context, part, label, plan["Actual Total Time"])
    record(context, "claim_triggers", "claim.sql: the triggers of the pictures", trigger_time(claimed))
    update = next(each for each in ended["Plan"]["Plans"] if each.get("Subplan Name") == "CTE ended")
    record(context, "ended", "succeed.sql: marks the jobs as succeeded", update["Actual Total Time"])
    record(context, "end_triggers", "succeed.sql: the triggers of the pictures", trigger_time(ended))


def explained(db, settings, query):
    db.run("BEGIN")
    db.run(statement(settings))
    answer = db.value("EXPLAIN (ANALYZE, FORMAT JSON) " + query)
    db.run("COMMIT")
    return (json.loads(answer) if isinstance(answer, str) else answer)[0]


def claim(lease, behind):
    seq = behind or "'-9223372036854775808'"
    return statement("claim", p1="'1'", p2="'0'", p3=f"{seq}", p4=str(BATCH), p5=str(lease), p6="'bench'",
                     p7="10000")


def succeed(lease, ids):
    return statement("succeed", p1=f"'{ids}'", p2=f"array_fill({lease}::bigint, ARRAY[{BATCH}])")


def trigger_time(plan):
    return sum(each["Time"] for each in plan.get("Triggers", []))


def record(context, key, label, milliseconds):
    context.record(f"plans/{key}", label, "µs a job", milliseconds * 1000 / BATCH)
