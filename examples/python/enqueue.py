#!/usr/bin/env python3
"""Saves a travel guide and enqueues its pictures in one transaction, without our library.

Usage: DATABASE_URL=... enqueue.py PLAN.json
"""
import json, os, sys, unicodedata
import psycopg2


def nfc(text):
    """The tables take names in Unicode normal form C only."""
    return unicodedata.normalize("NFC", text)


def save_guide(sql, guide):
    plan_id = nfc(guide["plan_id"])
    sql.execute("INSERT INTO travel_plans (plan_id, title) VALUES (%s, %s)",
                [plan_id, guide["title"]])
    for position, spot in enumerate(guide["spots"], 1):
        sql.execute(
            "INSERT INTO spots (plan_id, spot_name, position, area, description)"
            " VALUES (%s, %s, %s, %s, %s)",
            [plan_id, nfc(spot["spot_name"]), position, spot["area"], spot["description"]])
    return plan_id


def enqueue_pictures(sql, plan_id):
    """A job is a row: the INSERT is the whole enqueue. Says how many were made.

    The savepoint keeps the guide safe: if this fails, the guide is saved all the same, and
    `rowrunner enqueue spot-images --missing` finds what was missed.
    """
    sql.execute("SAVEPOINT pictures")
    try:
        sql.execute(
            "INSERT INTO spot_image_jobs (plan_id, spot_name)"
            " SELECT plan_id, spot_name FROM spots"
            " WHERE plan_id = %s AND coalesce(image_url, '') = ''"
            "   AND image_status IN ('not_started', 'failed')"
            " ORDER BY position, spot_name"
            " ON CONFLICT (plan_id, spot_name) DO NOTHING", [plan_id])
        count = sql.rowcount
        sql.execute("RELEASE SAVEPOINT pictures")
        return count
    except psycopg2.OperationalError:
        raise  # the connection is gone, and the guide with it
    except psycopg2.Error as error:
        sql.execute("ROLLBACK TO SAVEPOINT pictures")
        print("pictures are not enqueued:", error.diag.message_primary, file=sys.stderr)
        return 0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        guide = json.load(file)
    connection = psycopg2.connect(os.environ["DATABASE_URL"])
    with connection, connection.cursor() as sql:  # commits at the end, or rolls all of it back
        plan_id = save_guide(sql, guide)
        count = enqueue_pictures(sql, plan_id)
    print(f"{plan_id}: guide saved, {count} pictures enqueued")


if __name__ == "__main__":
    main()
