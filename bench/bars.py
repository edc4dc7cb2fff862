"""The bars: what is compared with what, and what it must and should be. A bench never asserts a time;
a bar that is missed is shown, and listed at the end."""

import dataclasses
from typing import Callable, Optional

from context import median


@dataclasses.dataclass(frozen=True)
class Bar:
    what: str
    value: Callable[[dict], Optional[float]]
    must: Optional[float]
    aim: Optional[float] = None
    at_least: bool = True
    unit: str = ""

    def met(self, value, limit):
        if value is None or limit is None:
            return None
        return value >= limit if self.at_least else value <= limit


def of(figures, key):
    return median(figures[key]) if key in figures else None


def best(figures, *keys):
    return max((median(figures[key]) for key in keys if key in figures), default=None)


def beginning(figures, prefix):
    return [key for key in figures if key.startswith(prefix)]


def divided(a, b):
    return None if a is None or b is None or b == 0 else a / b


def ratio(a, b):
    return lambda figures: divided(of(figures, a), of(figures, b))


def ratio_of_best(a, b):
    """Of the best of all figures whose keys begin so."""
    return lambda figures: divided(best(figures, *beginning(figures, a)), best(figures, *beginning(figures, b)))


def of_best_count(figures):
    """The largest number of processes against the best one."""
    keys = beginning(figures, "workers/")
    largest = max(keys, key=lambda key: int(key.rpartition("/")[2]), default=None)
    return divided(of(figures, largest), best(figures, *keys))


def largest_shares(figures):
    keys = beginning(figures, "shares/")
    return of(figures, max(keys, key=lambda key: int(key.rpartition("/")[2]), default=None))


def hoarded(figures):
    return best(figures, "long_job/hoarded", "long_job/hoarded_1")


def cost(what):
    """Against Graphile Worker's and the history that it does not keep."""
    def value(figures):
        peer, history = of(figures, f"{what}/graphile_worker"), of(figures, f"{what}/history")
        if peer is None or history is None:
            return None
        return divided(of(figures, f"{what}/rowrunner"), peer + history)
    return value


def worst(*keys):
    return lambda figures: best(figures, *keys)


def share_of_2000(figures):
    return divided(of(figures, "waiting/rowrunner"), 2000)


QUEUE = [
    Bar("burn-down / Graphile Worker's best", ratio_of_best("burn_down/rowrunner", "burn_down/graphile"), 2.5, 4),
    Bar("first claim to last end / ceiling: the same statements inside the server, at their best",
        ratio_of_best("at_work/rowrunner", "burn_down/ceiling"), 0.7, 0.85),
    Bar("bulk enqueue / Graphile Worker's add_jobs at its best",
        ratio_of_best("enqueue/rowrunner", "enqueue/graphile"), 1.2, 2),
    Bar("one commit a job, 8 clients / plain INSERTs of the same row, without a queue",
        ratio("commits/own_table", "commits/own_row"), 0.8, 0.9),
    Bar("the same on the job table of the pictures, with the trigger of the pictures",
        ratio("commits/rowrunner", "commits/same_row"), None),
    Bar("pick-up after commit, p50 / Graphile Worker's",
        ratio("pick_up_p50/rowrunner", "pick_up_p50/graphile_worker"), 0.7, at_least=False),
    Bar("pick-up after commit, p99 / Graphile Worker's",
        ratio("pick_up_p99/rowrunner", "pick_up_p99/graphile_worker"), 1.0, at_least=False),
    Bar("pick-up after commit, p50", lambda figures: of(figures, "pick_up_p50/rowrunner"), None, 0.5,
        at_least=False, unit="ms"),
    Bar("xmin held: last quarter / first", ratio("xmin/held_4", "xmin/held_1"), 0.9, 1.0),
    Bar("xmin held: all / nothing held", ratio("xmin/held", "xmin/free"), 0.9, 1.0),
    Bar("finished rows in the table / empty table", ratio("history/full", "history/empty"), 0.9, 1.0),
    Bar("claim p99, long queue / short queue", ratio("claim_p99/long", "claim_p99/short"), 1.5, 1.1, at_least=False),
    Bar("most processes on one queue / best number of processes", of_best_count, 0.8, 0.95),
    Bar("most processes on one queue: busiest / idlest share", largest_shares, 1.5, at_least=False),
    Bar("200 waiting handlers of 100 ms / 2,000 jobs a second", share_of_2000, 0.97, 0.99),
    Bar("one long job among short ones: its wait / its neighbours'",
        lambda figures: of(figures, "long_job/wait"), 2, at_least=False),
    Bar("one long job among short ones: jobs kept from an idle process", hoarded, 0, at_least=False, unit="jobs"),
    Bar("private memory of an idle worker", lambda figures: of(figures, "memory/idle"), 10, 6,
        at_least=False, unit="MB"),
    Bar("private memory with 1,000 running coroutines", lambda figures: of(figures, "memory/busy"), 50, 25,
        at_least=False, unit="MB"),
    Bar("beside urgent delayed jobs / without", ratio("delayed/with", "delayed/without"), 0.9, 1.0),
    Bar("statements of an idle worker a second", lambda figures: of(figures, "idle/statements"), 2, at_least=False),
    Bar("WAL a job / Graphile Worker's and a row of history", cost("wal"), 1.0, at_least=False),
    Bar("server CPU a job / Graphile Worker's and a row of history", cost("cpu"), 1.0, at_least=False),
    Bar("beside a backlog of 600,000: an urgent job, commit to start, p99",
        lambda figures: of(figures, "saturated_p99/urgent"), 300, at_least=False, unit="ms"),
    Bar("beside a backlog of 600,000: a late commit, commit to start, p99",
        lambda figures: of(figures, "saturated_p99/late"), 300, at_least=False, unit="ms"),
    Bar("beside a backlog of 600,000: a job of a second kind, commit to start, p99",
        lambda figures: of(figures, "saturated_p99/second"), 300, at_least=False, unit="ms"),
    Bar("burn-down with one join for 1,000 jobs / without joins", ratio("joins/with", "joins/without"), 0.9, 1.0),
    Bar("a poll, or firing a join, beside 200,000 held jobs, p99",
        worst("joins_ms/poll_p99", "joins_ms/fire_joins_p99"), 5, at_least=False, unit="ms"),
    Bar("a sweep of 1,000 pages of joins, every ten minutes, beside 200,000 held jobs",
        lambda figures: of(figures, "joins_ms/sweep"), None, at_least=False, unit="ms"),
    Bar("a job after 10,000 others: from the last end to its start, p99",
        lambda figures: of(figures, "joins_ms/fan_in"), 2000, at_least=False, unit="ms"),
    Bar("joins and jobs of a diamond that did not run exactly once",
        worst("joins_once/diamond", "joins_once/same_moment"), 0, at_least=False, unit="jobs"),
    Bar("small steps a second, many at once in one worker", lambda figures: of(figures, "steps/plain"), 5000,
        unit="steps/s"),
    Bar("1,000 jobs that report 10 times a second: statements a second",
        lambda figures: of(figures, "progress/statements"), 4, at_least=False),
    Bar("ends beside jobs that report / beside jobs that do not, p99",
        ratio("progress/ends_with", "progress/ends_without"), 1.2, 1.0, at_least=False),
]


def beside_nginx(what, read):
    """What a read of the API is beside a file from nginx. It asks PostgreSQL, so no limit is set."""
    return [Bar(f"{what}: requests a second / those of nginx with a file of that size",
                ratio(f"api/{read}", f"api/{read}_nginx"), None),
            Bar(f"{what}: p99 / that of nginx", ratio(f"api_p99/{read}", f"api_p99/{read}_nginx"), None,
                at_least=False)]


SERVER = [
    Bar("1,000 viewers of 1,000 jobs: statements a second that they add", worst("viewers/quiet", "viewers/busy"), 5,
        at_least=False),
    Bar("1,000 viewers of 1,000 jobs: from a commit to its message, p99", worst("viewers_p99/one", "viewers_p99/all"),
        1000, at_least=False, unit="ms"),
    Bar("memory of the server for each viewer", lambda figures: of(figures, "viewers/memory"), None, at_least=False,
        unit="kB"),
    *beside_nginx("GET /documents/jobs/{id}", "document"),
    *beside_nginx("GET /api/jobs/{kind}/{id}", "job"),
    *beside_nginx("GET /api/jobs?status=queued, 50 jobs", "jobs"),
    *beside_nginx("GET /api/queue", "queue"),
    *beside_nginx("GET /api/overview", "overview"),
    *beside_nginx("GET /livez, without a query", "live"),
    Bar("10 M jobs, 1 M failed: p99 of the data of the slowest view",
        lambda figures: best(figures, *beginning(figures, "page_p99/")), 150, at_least=False, unit="ms"),
    Bar("10 M jobs, 1 M failed: the slowest statement", lambda figures: of(figures, "page/slowest"), 2000,
        at_least=False, unit="ms"),
    Bar("10 M jobs, 1 M failed: statements that were cancelled", lambda figures: of(figures, "page/cancelled"), 0,
        at_least=False),
]
BARS = QUEUE + SERVER


def judged(figures, bars=BARS):
    """Each bar with its value, whether it holds (None: not measured) and whether its aim is reached."""
    for bar in bars:
        value = bar.value(figures)
        yield bar, value, bar.met(value, bar.must), bar.met(value, bar.aim)


def missed(figures):
    return [(bar, value) for bar, value, holds, _ in judged(figures) if holds is False]
