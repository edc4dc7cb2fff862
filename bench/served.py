"""The shipped server, as a client of the bench sees it: `rowrunner serve` with its defaults on a free port, and a
token of an admin."""

import contextlib
import http.client
import json
import re
import subprocess
import time

import processes

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")


class Server:
    def __init__(self, queue, name):
        url = queue.cluster.url(name)
        made = processes.start([queue.binary, "tokens", "add", "--user", "bench", "--role", "admin"], url,
                               stdout=subprocess.PIPE)
        self.token = made.stdout.read().strip().splitlines()[-1]
        processes.wait(made, "rowrunner tokens add")
        self.process = processes.start([queue.binary, "serve", "--port", "0"], url)
        processes.until(self._listens, "the server", 30)
        self.port = int(ADDRESS.search(self.process.errors.read_text())[1])

    def _listens(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"rowrunner serve ended: {self.process.errors.read_text()[-500:]}")
        return ADDRESS.search(self.process.errors.read_text())

    def megabytes(self):
        return processes.private_megabytes(self.process.pid)

    def address(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}


class Client:
    """One connection that is kept, as a browser has it."""

    def __init__(self, server):
        self.headers = server.headers()
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def get(self, path):
        """The answer, and the milliseconds until its last byte."""
        begun = time.perf_counter()
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - begun) * 1e3
        if answer.status != 200:
            raise RuntimeError(f"GET {path} was answered with {answer.status}: {body[:300]}")
        return body, took

    def json(self, path):
        return json.loads(self.get(path)[0])


@contextlib.contextmanager
def serving(queue, name):
    server = Server(queue, name)
    try:
        yield server
    finally:
        processes.end(server.process)
