"""The ceiling: the statements of db/queries that a worker runs for a job that goes well, run by a
procedure inside of the server, a thousand jobs at a time, with no client at all.

A claim commits asynchronously and an end does not, as in a worker. The ids that are ended are read
from the lease that the claim wrote."""

import re
import threading
import time

from queues import rowrunner

QUERIES = rowrunner.ROOT / "db/queries/engine"


def statement(name, jobs="public.spot_image_jobs", **variables):
    """A file of db/queries as static SQL of a procedure: its parameters become variables."""
    text = re.sub(r"^\s*--.*\n", "", (QUERIES / f"{name}.sql").read_text(), flags=re.MULTILINE)
    text = text.replace("{jobs}", jobs).replace("{table}", f"'{jobs}'").replace("{columns}", "").strip()
    return re.sub(r"\$(\d+)", lambda match: variables["p" + match[1]], text)


def procedure():
    claim = statement("claim", p1="v_kind", p2="v_priority", p3="v_seq", p4="v_batch", p5="v_lease",
                      p6="v_worker", p7="10000")
    end_leases = statement("end_leases", p1="ARRAY[v_lease]", p2="0")
    succeed = statement("succeed", p1="v_ids", p2="v_leases").replace(
        "SELECT array_agg(n) AS counted", "SELECT count(*) INTO v_counted")
    return f"""
CREATE OR REPLACE PROCEDURE public.burn_down(v_batch integer, v_worker text) LANGUAGE plpgsql AS $bench$
#variable_conflict use_column
DECLARE
  v_kind smallint;
  v_priority smallint := -32768;
  v_seq bigint := -9223372036854775808;
  v_lease bigint;
  v_seen bigint;
  v_next record;
  v_ids uuid[];
  v_leases bigint[];
  v_counted bigint;
BEGIN
  SELECT id INTO v_kind FROM rowrunner.kinds WHERE kind = 'spot_image';
  LOOP
    PERFORM {statement("claim_settings").removeprefix("SELECT")};
    v_lease := rowrunner.new_lease();
    {with_into(claim, "v_next")};
    COMMIT;
    EXIT WHEN v_next.seen = 0;
    v_priority := coalesce(v_next.priority, v_priority);
    v_seq := coalesce(v_next.seq, v_seq);
    SELECT job_ids INTO v_ids FROM rowrunner.leases WHERE lease = v_lease;
    CONTINUE WHEN NOT FOUND;
    v_leases := array_fill(v_lease, ARRAY[cardinality(v_ids)]);
    PERFORM {statement("write_settings").removeprefix("SELECT")};
    {end_leases};
    {succeed};
    IF v_counted <> cardinality(v_ids) THEN
      RAISE EXCEPTION '% of % jobs counted', v_counted, cardinality(v_ids);
    END IF;
    COMMIT;
  END LOOP;
END
$bench$"""


def with_into(query, target):
    """The answer is read where it is made: how many entries were seen, and the last one that yielded a
    job. All jobs of a bench have the same priority."""
    head, select, tail = query.rpartition("\nSELECT s.n AS seen, t.*")
    if not select:
        raise RuntimeError("db/queries/engine/claim.sql answers otherwise than bench/queues/in_database.py knows")
    return (f"{head}\nSELECT max(s.n) AS seen, max(t.entry_priority) AS priority, max(t.entry_seq) AS seq"
            f" INTO {target}{tail}")


class InDatabase:
    name = "inside the database"

    def __init__(self, cluster, queue):
        self.cluster = cluster
        self.queue = queue

    def burn_down(self, database, jobs, sessions=1, batch=1000):
        connections = [self.cluster.connect(database) for _ in range(sessions)]
        connections[0].run(procedure())
        begun = time.monotonic()
        threads = [threading.Thread(target=db.run, args=("CALL public.burn_down(%s, %s)", batch, f"session {i}"))
                   for i, db in enumerate(connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - begun
        for db in connections:
            db.close()
        self.queue.expect_succeeded(database, jobs)
        return seconds
