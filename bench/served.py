"""The shipped server, as a client of the bench sees it: `rowrunner serve` with its defaults on a free port, and a
token of an admin."""

import contextlib
import http.client
import json
import re
import subprocess
import time
import uuid

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
        return self._ask("GET", path)

    def json(self, path):
        return json.loads(self.get(path)[0])

    def upload(self, path, title, file):
        """The bytes of a file as the field `file` of a form."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{title}"\r\n\r\n'
        body = head.encode() + file + f"\r\n--{boundary}--\r\n".encode()
        form = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return json.loads(self._ask("POST", path, body, form)[0])

    def _ask(self, method, path, body=None, headers=()):
        begun = time.perf_counter()
        self.connection.request(method, path, body, {**self.headers, **dict(headers)})
        answer = self.connection.getresponse()
        content = answer.read()
        took = (time.perf_counter() - begun) * 1e3
        if answer.status != 200:
            raise RuntimeError(f"{method} {path} was answered with {answer.status}: {content[:300]}")
        return content, took


@contextlib.contextmanager
def serving(queue, name):
    server = Server(queue, name)
    try:
        yield server
    finally:
        processes.end(server.process)
