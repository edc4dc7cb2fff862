"""Many WebSockets that only listen (RFC 6455), in one thread. A library would take more of the cores that the server
is measured on."""

import base64
import os
import resource
import selectors
import socket
import struct
import threading
import time

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def allow_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise SystemExit(f"bench: {count} open files are needed and {hard} allowed: raise 'ulimit -n'")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def frames(data):
    """The complete frames at the beginning of what a server sent, as (opcode, content); takes them away."""
    while len(data) >= 2:
        length, begin = data[1] & 127, 2
        if length >= 126:
            form, begin = (">H", 4) if length == 126 else (">Q", 10)
            if len(data) < begin:
                return
            length = struct.unpack_from(form, data, 2)[0]
        if len(data) < begin + length:
            return
        opcode, content = data[0] & 15, bytes(data[begin:begin + length])
        del data[:begin + length]
        yield opcode, content


def masked(opcode, content):
    """What a client sends must be masked; with zeros it stays as it is."""
    return bytes([128 | opcode, 128 | len(content), 0, 0, 0, 0]) + content


class Socket:
    def __init__(self, server, path):
        self.data, self.messages, self.close_code = bytearray(), [], None
        self.connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": f"127.0.0.1:{server.port}", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key, **server.headers()}
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())

    def shake_hands(self):
        while b"\r\n\r\n" not in self.data:
            more = self.connection.recv(4096)
            if not more:
                break
            self.data += more
        head, _, rest = bytes(self.data).partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(f"a WebSocket was refused: {head[:200]}")
        self.data = bytearray(rest)
        self.connection.setblocking(False)

    def read(self):
        """Keeps each message with the time at which it came; False at the end."""
        more = self.connection.recv(65536)
        at = time.monotonic()
        self.data += more
        for opcode, content in frames(self.data):
            if opcode == TEXT:
                self.messages.append((at, content))
            elif opcode == PING:
                self.connection.send(masked(PONG, content))
            elif opcode == CLOSE:
                self.close_code = struct.unpack(">H", content[:2])[0] if content else 0
                self.connection.send(masked(CLOSE, content[:2]))
        return bool(more) and self.close_code is None


class Listeners:
    """Opens a WebSocket for each path and reads them all until each has ended."""

    def __init__(self, server, paths, at_once=50):
        allow_descriptors(len(paths) + 256)
        self.sockets = []
        for first in range(0, len(paths), at_once):
            opened = [Socket(server, path) for path in paths[first:first + at_once]]
            for each in opened:
                each.shake_hands()
            self.sockets += opened
        self.failure = None
        self.thread = threading.Thread(target=self._read_all, daemon=True)
        self.thread.start()

    def _read_all(self):
        try:
            with selectors.DefaultSelector() as selector:
                for each in self.sockets:
                    selector.register(each.connection, selectors.EVENT_READ, each)
                while selector.get_map():
                    for key, _ in selector.select():
                        if not key.data.read():
                            selector.unregister(key.fileobj)
        except OSError as failure:
            self.failure = failure

    def wait_ended(self, seconds=60):
        self.thread.join(seconds)
        if self.failure or self.thread.is_alive():
            raise RuntimeError(f"not every WebSocket was closed: {self.failure or 'time is over'}")
        for each in self.sockets:
            each.connection.close()
