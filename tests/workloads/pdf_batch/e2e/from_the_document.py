#!/usr/bin/python3
"""A client that was written from the document alone: from_the_document.py EMULATOR SERVER TOKEN STORAGE JOB_ID PAGES
[REDIS_PORT]

Publishes the document's message, polls the status until it ends, and reads the result file. Fails at the first field
that is not as the document has it.
"""
import base64, json, pathlib, re, sys, time, urllib.request

emulator, server, token, storage, job_id, pages = sys.argv[1:7]
redis_port = int(sys.argv[7]) if len(sys.argv) > 7 else None
pages = int(pages)
FIELDS = ["status", "progress", "message", "result_url", "error_msg", "updated_at"]
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$")


def publish(message):
    data = base64.b64encode(json.dumps(message).encode()).decode()
    request = urllib.request.Request(
        f"http://{emulator}/v1/projects/local-dev/topics/pdf-processing-topic:publish",
        data=json.dumps({"messages": [{"data": data}]}).encode(), headers={"Content-Type": "application/json"})
    urllib.request.urlopen(request).read()


def status():
    request = urllib.request.Request(f"{server}/api/pdf-batch/{job_id}", headers={"Authorization": f"Bearer {token}"})
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return None  # not pulled yet


def in_redis(key):
    value = redis_client.get(key)
    return value and json.loads(value)


def check_of_all_kinds(state):
    """The String job:status:{job_id}, which has the same job in the words of all kinds."""
    global last_of_all_kinds
    assert state["job_id"] == job_id and state["job_type"] == "pdf_batch", state
    assert state["status"] in ("pending", "processing", "completed"), state
    assert 0 <= state["processed_pages"] <= state["total_pages"] <= pages, state
    assert last_of_all_kinds <= state["progress"] <= 100, state
    last_of_all_kinds = state["progress"]
    assert state["error"] is None and TIME.match(state["updated_at"]), state


def check(state):
    assert list(state) == FIELDS, state
    assert isinstance(state["progress"], int) and 0 <= state["progress"] <= 100, state
    assert TIME.match(state["updated_at"]), state
    if state["status"] == "processing":
        page = re.fullmatch(r"Page (\d+)/(\d+) analyzing\.\.\.", state["message"])
        if page:
            assert int(page[2]) == pages, state
            assert state["progress"] == int((int(page[1]) / pages) * 100), state
        else:
            assert state["message"] == "Processing started...", state
        assert state["result_url"] == "" and state["error_msg"] == "", state


redis_client = last_of_all_kinds = None
last_in_redis = 0
if redis_port:
    import redis
    redis_client, last_of_all_kinds = redis.Redis(host="localhost", port=redis_port, db=0, decode_responses=True), 0
publish({"job_id": job_id, "pdf_path": f"uploads/{job_id}/document.pdf", "bucket_name": "local",
         "timestamp": "2026-02-12T06:30:00Z"})
deadline, last = time.time() + 60, 0
while True:
    assert time.time() < deadline, "it does not end"
    state = status()
    mirrored = redis_client and in_redis(f"job:{job_id}")
    if mirrored:
        check(mirrored)
        assert mirrored["progress"] >= last_in_redis, f"in Redis it fell from {last_in_redis}: {mirrored}"
        last_in_redis = mirrored["progress"]
    of_all_kinds = redis_client and in_redis(f"job:status:{job_id}")
    if of_all_kinds:
        check_of_all_kinds(of_all_kinds)
    if state:
        check(state)
        assert state["progress"] >= last, f"the progress fell from {last}: {state}"
        last = state["progress"]
        if state["status"] in ("completed", "failed"):
            break
    time.sleep(0.05)
assert state["status"] == "completed" and state["progress"] == 100, state
assert state["message"] == "Processing completed!", state
assert state["result_url"] == f"results/{job_id}/result.json" and state["error_msg"] == "", state

result = json.loads((pathlib.Path(storage) / state["result_url"]).read_text("utf-8"))
assert result["job_id"] == job_id and result["pages"] == pages, result
assert TIME.match(result["processed_at"]), result
assert isinstance(result["processing_time_seconds"], float) and result["processing_time_seconds"] >= 0, result
assert [page["page"] for page in result["page_details"]] == list(range(1, pages + 1)), result
if redis_client:
    while in_redis(f"job:{job_id}") != state:
        assert time.time() < deadline, f"Redis has {in_redis(f'job:{job_id}')}, the server {state}"
        time.sleep(0.05)
    while (in_redis(f"job:status:{job_id}") or {}).get("status") != "completed":
        assert time.time() < deadline, f"Redis has {in_redis(f'job:status:{job_id}')}"
        time.sleep(0.05)
    of_all_kinds = in_redis(f"job:status:{job_id}")
    check_of_all_kinds(of_all_kinds)
    assert of_all_kinds["progress"] == 100 and of_all_kinds["processed_pages"] == pages, of_all_kinds
    for key in (f"job:{job_id}", f"job:status:{job_id}"):
        assert 86000 < redis_client.ttl(key) <= 86400, (key, redis_client.ttl(key))
print("as the document says")
