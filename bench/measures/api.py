"""Reads of the HTTP API by wrk, each beside nginx with one process, as the server has one, that sends a file of the
same size from the same machine. What nginx does without is asking PostgreSQL, who asks and what to answer."""

import contextlib
import os
import pathlib
import shutil
import socket
import tempfile

import processes
from context import note
from served import Client, serving

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "programs/wrk.lua"
TOOLS = ("wrk", "nginx")
CONNECTIONS = 16
HINT = "install the packages wrk and nginx-light"
CONFIGURATION = """
daemon off;
worker_processes 1;
{user}
pid {folder}/pid;
error_log {folder}/errors;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  default_type application/json;
  keepalive_requests 100000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} backlog=1024; root {folder}/files; }}
}}
"""


def missing_tools():
    return [tool for tool in TOOLS if not found(tool)]


def found(tool):
    # nginx is where only root looks.
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/usr/local/sbin")


def run(context):
    if missing_tools():
        note(f"api: not measured, as {' and '.join(missing_tools())} is not there: {HINT}")
        return
    queue, sizes = context.rowrunner, context.sizes
    with queue.database() as name, serving(queue, name) as server, nginx() as static:
        queue.add_finished(name, sizes.api_jobs)
        queue.add_queued(name, sizes.api_jobs)
        with context.cluster.connect(name) as db:
            job = db.value("SELECT id::text FROM spot_image_jobs WHERE plan_id = 'waiting' AND spot_name = %s",
                           str(sizes.api_jobs // 2))
        client = Client(server)
        for _ in context.rounds():
            for key, (label, path) in reads(job).items():
                body, _ = client.get(path)
                static.add(key, body)
                record(context, key, label, load(context, server.address(path), server.headers()))
                record(context, f"{key}_nginx", f"nginx, a file of {len(body):,} bytes",
                       load(context, static.address(key), server.headers()))


def reads(job):
    return {"document": ("GET /documents/jobs/{id}", f"/documents/jobs/{job}"),
            "job": ("GET /api/jobs/{kind}/{id}", f"/api/jobs/spot_image/{job}"),
            "jobs": ("GET /api/jobs?status=queued", "/api/jobs?status=queued&limit=50"),
            "queue": ("GET /api/queue", "/api/queue"),
            "overview": ("GET /api/overview", "/api/overview"),
            "live": ("GET /livez", "/livez")}


def load(context, address, headers):
    fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    answer = processes.answer([found("wrk"), "-t", 1, "-c", CONNECTIONS, "-d", f"{context.sizes.api_seconds}s", *fields,
                               "-s", SCRIPT, address], "")
    if answer["errors"] or not answer["requests"]:
        raise RuntimeError(f"{answer['errors']} of {answer['requests']} requests of {address} failed")
    return answer


def record(context, key, label, answer):
    context.record(f"api/{key}", label, "requests/s", answer["requests"] / answer["seconds"])
    context.record(f"api_p99/{key}", label, "ms", answer["p99"])


class Static:
    def __init__(self, folder):
        self.folder = folder
        self.files = folder / "files"
        self.files.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        configuration = folder / "configuration"
        user = "user root;" if os.geteuid() == 0 else ""
        configuration.write_text(CONFIGURATION.format(folder=folder, port=self.port, user=user))
        self.process = processes.start([found("nginx"), "-e", folder / "errors", "-c", configuration], "")

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"nginx ended: {(self.folder / 'errors').read_text()[-500:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def add(self, name, content):
        (self.files / name).write_bytes(content)

    def address(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"


@contextlib.contextmanager
def nginx():
    with tempfile.TemporaryDirectory(prefix="rowrunner-bench-nginx-") as folder:
        static = Static(pathlib.Path(folder))
        try:
            processes.until(static.answers, "nginx")
            yield static
        finally:
            processes.end(static.process)
