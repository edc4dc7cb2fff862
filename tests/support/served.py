"""A database of a test's own, `rowrunner serve` and workers on it, for tests with programs of others."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("ROWRUNNER_BINARY", str(ROOT / "build/dev/src/apps/rowrunner"))

# Jobs with an owner, a public id and a document: those that document 003 speaks of.
SCANS = """
CREATE TABLE public.scan_jobs (id uuid PRIMARY KEY DEFAULT rowrunner.new_id(), job_id text NOT NULL UNIQUE, user_id text, document_id uuid);
SELECT rowrunner.attach('public.scan_jobs', kind => 'document_ocr', owner => 'user_id', public_id => 'job_id',
                        add_columns => true);
"""


def server_url():
    """The URL of the test server; ctest names it in a file."""
    if os.environ.get("ROWRUNNER_TEST_URL"):
        return os.environ["ROWRUNNER_TEST_URL"]
    if os.environ.get("ROWRUNNER_TEST_URL_FILE"):
        return pathlib.Path(os.environ["ROWRUNNER_TEST_URL_FILE"]).read_text().splitlines()[0]
    up = [ROOT / "tests/containers/postgres", "up", "--lifetime-of", str(os.getpid())]
    return subprocess.run(up, check=True, capture_output=True, text=True).stdout.splitlines()[0]


class Served:
    """with Served() as served: …"""

    binary = BINARY

    def __init__(self, schema=SCANS):
        self.schema = schema
        self.children = []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rowrunner-clients-")
        self.server = server_url()
        self.name = "test_" + uuid.uuid4().hex
        self.database = re.sub(r"(?<=[^/:])/[^/?]*(?=\?|$)", "/" + self.name, self.server, count=1)
        self._psql(self.server, f"CREATE DATABASE {self.name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        self.prepare()
        return self

    def prepare(self):
        self.rowrunner("migrate")
        if self.schema:
            self.psql(self.schema)

    def __exit__(self, *trouble):
        for child in self.children:
            child.kill()
            child.wait()
        self._psql(self.server, f"DROP DATABASE {self.name} WITH (FORCE)")
        self.folder.cleanup()

    @staticmethod
    def _psql(url, statements):
        command = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statements]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{statements}\n{done.stderr}")
        return done.stdout.strip()

    def psql(self, statements):
        return self._psql(self.database, statements)

    def environment(self):
        return {**os.environ, "DATABASE_URL": self.database, "LOG_LEVEL": "info"}

    def rowrunner(self, *arguments):
        done = subprocess.run([BINARY, *arguments], env=self.environment(), cwd=self.folder.name,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"rowrunner {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def token(self, user, role):
        return self.rowrunner("tokens", "add", "--user", user, "--role", role).splitlines()[-1]

    def start(self, *arguments):
        """A process that lives until the end of the test."""
        log = open(pathlib.Path(self.folder.name) / f"log{len(self.children)}", "w+", encoding="utf-8")
        child = subprocess.Popen(arguments, env=self.environment(), cwd=self.folder.name,
                                 stdout=log, stderr=log)
        child.log = pathlib.Path(log.name)
        log.close()
        self.children.append(child)
        return child

    def logged(self, child, text, seconds=30):
        """The first line of its log that has the text."""
        def find():
            return next((line for line in child.log.read_text().splitlines() if text in line), None)
        def alive():
            return child.poll() is None
        line = until(lambda: find() or (None if alive() else "ended"), seconds)
        if line == "ended":
            raise RuntimeError(f"it ended: {child.log.read_text()}")
        return json.loads(line) if line.startswith("{") else line

    def serve(self):
        child = self.start(BINARY, "serve", "--port", "0")
        self.url = self.logged(child, '"listening"')["url"]
        return self.url

    def worker(self, *arguments):
        """Gives the address of its health port."""
        child = self.start(BINARY, "worker", "--health-port", "0", *arguments)
        port = self.logged(child, '"health"')["port"]
        return f"http://127.0.0.1:{port}"


def until(ready, seconds=30, what="it"):
    """What `ready` answers as soon as that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := ready():
            return found
        time.sleep(0.05)
    raise RuntimeError(f"{what}: not within {seconds} seconds")


def get(url, token=None):
    """Status, headers, body."""
    request = urllib.request.Request(url)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read().decode()
