#!/usr/bin/env python3
"""A model for measurements: speaks OpenAI's chat completions on 127.0.0.1 and answers every question after a while.

model.py [--latency SECONDS] [--limit CALLS_A_SECOND:SECONDS,...] [--log FILE]

Prints its port. GET /stats answers {"calls", "rejected", "questions", "repeated", "most_at_once", "seconds"}; "seconds" has
limit, taken and rejected calls of each second since the first call. With a limit, calls beyond it are answered with 429;
the last one of the list stays. The log has a line for each call: time, block, utterance.
"""
import argparse
import asyncio
import collections
import json
import time


class Model:
    def __init__(self, latency, limit, log):
        self.latency = latency
        self.limits = [tuple(map(int, part.split(":"))) for part in limit.split(",")] if limit else []
        self.log = open(log, "a", buffering=1, encoding="utf-8") if log else None
        self.calls = self.rejected = self.under_way = self.most_at_once = 0
        self.questions = collections.Counter()
        self.began, self.seconds = None, []

    def stats(self):
        return {"calls": self.calls, "rejected": self.rejected, "questions": len(self.questions),
                "repeated": self.calls - len(self.questions), "most_at_once": self.most_at_once, "seconds": self.seconds}

    def limit_at(self, second):
        for limit, length in self.limits:
            if second < length:
                return limit
            second -= length
        return self.limits[-1][0] if self.limits else 0

    def admit(self):
        now = time.monotonic()
        self.began = self.began or now
        second = int(now - self.began)
        while len(self.seconds) <= second:
            self.seconds.append([self.limit_at(len(self.seconds)), 0, 0])
        limit, taken, _ = self.seconds[second]
        fits = not limit or taken < limit
        self.seconds[second][1 if fits else 2] += 1
        return fits

    async def answer(self, body):
        if not self.admit():
            self.rejected += 1
            return 429, {"error": {"code": "rate_limit_exceeded"}}
        asked = json.loads(json.loads(body)["messages"][1]["content"].split("\n")[0])
        self.calls += 1
        self.questions[(asked["block"], asked["utterance"])] += 1
        if self.log:
            self.log.write(f'{time.time():.3f}\t{asked["block"]}\t{asked["utterance"]}\n')
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        if self.latency:
            await asyncio.sleep(self.latency)
        self.under_way -= 1
        scores = {c["name"]: len(asked["utterance"] + c["name"]) % 101 / 100 for c in asked["categories"]}
        return 200, {"choices": [{"finish_reason": "stop", "message": {"content": json.dumps({"scores": scores})}}],
                     "usage": {"prompt_tokens": 100, "completion_tokens": 20}}

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                size = 0
                for line in head.split(b"\r\n"):
                    if line.lower().startswith(b"content-length:"):
                        size = int(line[15:])
                body = await reader.readexactly(size)
                status, answer = (200, self.stats()) if head.startswith(b"GET") else await self.answer(body)
                text = json.dumps(answer).encode()
                writer.write(b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                             % (status, len(text), text))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0)
    parser.add_argument("--limit", default="")
    parser.add_argument("--log")
    chosen = parser.parse_args()
    model = Model(chosen.latency, chosen.limit, chosen.log)
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
