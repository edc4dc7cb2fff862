"""A FastAPI application that saves travel guides and enqueues their pictures, without our library.

Run it with: DATABASE_URL=... python3 -m uvicorn --app-dir examples/python guides:app
"""
import os
import psycopg2
from contextlib import closing
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from typing import List

from enqueue import enqueue_pictures, save_guide


class Spot(BaseModel):
    spot_name: str
    area: str = ""
    description: str = ""


class Guide(BaseModel):
    plan_id: str
    title: str
    spots: List[Spot]


app = FastAPI()


def database():
    return closing(psycopg2.connect(os.environ["DATABASE_URL"]))


@app.post("/guides", status_code=201)
def create_guide(guide: Guide):  # a plain def: FastAPI runs it in a thread, so psycopg2 may block
    try:
        with database() as connection, connection, connection.cursor() as sql:  # one transaction
            plan_id = save_guide(sql, guide.dict())
            enqueued = enqueue_pictures(sql, plan_id)
    except psycopg2.errors.UniqueViolation:
        raise HTTPException(409, "a guide of this id exists, or a spot is named twice")
    except (psycopg2.errors.CheckViolation, ValueError) as error:
        raise HTTPException(422, str(error).splitlines()[0])
    return {"plan_id": plan_id, "enqueued": enqueued}


@app.get("/guides/{plan_id}/spots")
def spots(plan_id: str):
    with database() as connection, connection, connection.cursor() as sql:
        sql.execute("SELECT spot_name, image_status, image_url FROM spots"
                    " WHERE plan_id = %s ORDER BY position, spot_name", [plan_id])
        return [dict(zip(("spot_name", "image_status", "image_url"), row)) for row in sql]
