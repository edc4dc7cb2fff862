"""Calls the application of examples/python/guides.py on the database of DATABASE_URL, as a client does.

The database has the schema and no plan. Run by spot_enqueue_test.cpp.
"""
import json, os, pathlib, re, sys
import psycopg2

root = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(root / "examples/python"))
from fastapi.testclient import TestClient
import guides

client = TestClient(guides.app)
# The test looks with the owner's rights, the application has only those of its role.
looker = psycopg2.connect(os.environ["OWNER_URL"])
looker.autocommit = True


def ask(sql):
    with looker.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else None


def expect(actual, wanted):
    if actual != wanted:
        sys.exit(f"expected {wanted!r}, got {actual!r}")


def post(guide):
    answer = client.post("/guides", json=guide)
    return answer.status_code, answer.json()


guide = json.loads((root / "examples/kyoto.json").read_text("utf-8"))
counts = ("SELECT (SELECT count(*) FROM travel_plans), (SELECT count(*) FROM spots),"
          " (SELECT count(*) FROM spot_image_jobs WHERE status = 'queued')")

expect(post(guide), (201, {"plan_id": "kyoto", "enqueued": 12}))
expect(ask(counts), [(1, 12, 12)])
expect(post(guide)[0], 409)
expect(ask(counts), [(1, 12, 12)])

# Both or neither: what cannot be saved leaves no guide, no spot and no job.
twice = {"plan_id": "twice", "title": "t", "spots": [{"spot_name": "a"}, {"spot_name": "a"}]}
expect(post(twice)[0], 409)
expect(post({"plan_id": "long", "title": "t", "spots": [{"spot_name": "x" * 201}]})[0], 422)
expect(post({"plan_id": "nul", "title": "t", "spots": [{"spot_name": "a\0b"}]})[0], 422)
expect(post({"plan_id": "no title", "spots": []})[0], 422)
expect(ask(counts), [(1, 12, 12)])

# か with a combining mark is が, one spot however it was typed.
expect(post({"plan_id": "nfc", "title": "t", "spots": [{"spot_name": "か\u3099"}]})[0], 201)
expect(ask("SELECT spot_name FROM spot_image_jobs WHERE plan_id = 'nfc'"), [("が",)])

# The page shows what the job does.
ask("UPDATE spot_image_jobs SET status = 'failed' WHERE plan_id = 'nfc'")
expect(client.get("/guides/nfc/spots").json(),
       [{"spot_name": "が", "image_status": "failed", "image_url": None}])

# A failure to enqueue never harms the guide.
ask("ALTER TABLE spot_image_jobs ADD CHECK (spot_name <> 'cursed')")
expect(post({"plan_id": "safe", "title": "t", "spots": [{"spot_name": "cursed"}]}),
       (201, {"plan_id": "safe", "enqueued": 0}))
expect(ask("SELECT count(*) FROM spots WHERE plan_id = 'safe'"), [(1,)])

# What the recipe shows is what runs here.
shown = re.findall(r"```python\n(.*?)```", (root / "docs/recipes/python-fastapi.md").read_text("utf-8"), re.S)
expect(len(shown), 2)
for file, block in zip(("enqueue.py", "guides.py"), shown):
    expect(block.strip() in (root / "examples/python" / file).read_text("utf-8"), True)
print("the recipe works")
