#!/usr/bin/env python3
"""A worker without our library: every call is an SQL function that counts only under the job's lease.

    DATABASE_URL=… examples/other_language/worker.py     works until no thumbnail is due

docs/other-languages.md describes each function.
"""
import contextlib
import os
import socket
import sys
import threading
import time

import psycopg2
from psycopg2.extras import Json

KIND = "thumbnail"
LEASE_SECONDS = 30
WORKER = f"python:{socket.gethostname()}:{os.getpid()}"  # a name of its own for every process


class LeaseLost(Exception):
    """The lease is lost: another worker may have the job, so nothing more may be done for it."""


def connect():
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    connection.autocommit = True  # a claim commits at once, and no transaction is open during the work
    return connection


def connect_again():
    while True:
        try:
            return connect()
        except psycopg2.OperationalError as e:
            print("no connection:", e, file=sys.stderr)
            time.sleep(1)


def call(sql, function, *arguments):
    sql.execute(f"SELECT rowrunner.{function}({', '.join(['%s'] * len(arguments))})", arguments)
    row = sql.fetchone()
    return row[0] if row else None


class Heartbeat(threading.Thread):
    """Extends the lease of a job while it is worked on, on a connection of its own."""

    def __init__(self, lease):
        super().__init__(daemon=True)
        self.lease, self.over, self.lost = lease, threading.Event(), False

    def run(self):
        connection = None
        while not self.over.wait(LEASE_SECONDS / 3):
            try:
                connection = connection or connect()
                with connection.cursor() as sql:
                    self.lost = not call(sql, "heartbeat", self.lease)  # as long as the claim was for
            except psycopg2.Error as e:
                print("no heartbeat:", e, file=sys.stderr)  # the next one may be in time
                connection = None
            if self.lost:
                return


def shrink(job):
    """The work: anything that takes time or calls a service."""
    print("shrinking", job["picture"])
    return f"small/{job['width']}/{job['picture']}"


@contextlib.contextmanager
def transaction(connection, sql):
    sql.execute("BEGIN")
    try:
        yield
        sql.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            sql.execute("ROLLBACK")
        raise


def work(connection, job, heartbeat):
    this = (KIND, job["id"], job["lease"])
    with connection.cursor() as sql:
        # A step that an earlier attempt has done is not done again.
        done = call(sql, "steps", KIND, job["id"])
        if "shrink" not in done:
            done["shrink"] = shrink(job)
            if heartbeat.lost:
                raise LeaseLost
            # The step and its effect commit together; of a step that was stored before, nothing is written.
            with transaction(connection, sql):
                stored = call(sql, "add_step", *this, "shrink", Json(done["shrink"]))
                if stored is None:
                    raise LeaseLost
                if stored:
                    sql.execute("INSERT INTO thumbnail_costs (picture, cents) VALUES (%s, 1)", [job["picture"]])
        if not call(sql, "progress", *this, 1, 2, "shrunk"):
            raise LeaseLost
        if call(sql, "cancel_requested", job["id"], job["lease"]):
            raise Exception("stopped on request")  # fail() ends it as cancelled

        # The effect and the end of the job commit together, or not at all.
        with transaction(connection, sql):
            sql.execute("INSERT INTO thumbnails_made (picture, file) VALUES (%s, %s)"
                        " ON CONFLICT (picture) DO UPDATE SET file = excluded.file",
                        [job["picture"], done["shrink"]])
            if not call(sql, "succeed", *this):
                raise LeaseLost


def run(connection, job):
    heartbeat = Heartbeat(job["lease"])
    heartbeat.start()
    try:
        work(connection, job, heartbeat)
    except LeaseLost:
        print("the lease is lost: another worker may have the job", file=sys.stderr)
    except Exception as e:
        if connection.closed:
            raise  # no failure of the job
        with connection.cursor() as sql:
            status = call(sql, "fail", KIND, job["id"], job["lease"], str(e), "5 seconds")
        # NULL: the lease is lost, so this failure does not count and another worker may have the job
        print(f"{job['picture']} failed ({status or 'the lease is lost'}):", e, file=sys.stderr)
    finally:
        heartbeat.over.set()


def main():
    connection, job = connect(), None
    while True:
        try:
            with connection.cursor() as sql:
                if job:  # of a session that was lost: released uncharged, unless its end has counted
                    call(sql, "release", KIND, job["id"], job["lease"])
                    job = None
                job = call(sql, "claim", KIND, WORKER, 1, f"{LEASE_SECONDS} seconds")
            if job is None:
                break  # nothing is due; a resident worker waits a second and asks again
            run(connection, job)
            job = None
        except Exception as e:
            if not connection.closed:
                raise
            print("the session is lost:", e, file=sys.stderr)
            connection = connect_again()


if __name__ == "__main__":
    main()
