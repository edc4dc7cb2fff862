#!/usr/bin/env python3
"""A worker without our library: claim, work, end, all by fenced SQL functions."""
import os, sys
import psycopg2

connection = psycopg2.connect(os.environ["DATABASE_URL"])
connection.autocommit = True
sql = connection.cursor()

while True:
    sql.execute("SELECT rowrunner.claim('thumbnail', %s, 1, '30 seconds')", [f"python:{os.getpid()}"])
    row = sql.fetchone()
    if row is None:
        break  # nothing is due; a resident worker would wait a moment and ask again
    job = row[0]
    try:
        print("shrinking", job["picture"])  # the work; call rowrunner.heartbeat(lease) if it is long
        sql.execute("SELECT rowrunner.succeed('thumbnail', %s, %s)", [job["id"], job["lease"]])
        if not sql.fetchone()[0]:
            print("the job belongs to somebody else by now", file=sys.stderr)
    except Exception as e:
        sql.execute("SELECT rowrunner.fail('thumbnail', %s, %s, %s)", [job["id"], job["lease"], str(e)])
