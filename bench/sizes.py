"""How much is measured: the sizes of the bars, and smaller ones that show trends in little time."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int = 3
    jobs: int = 200_000           # a burn-down
    commit_seconds: int = 5
    pick_ups: int = 200
    xmin_jobs: int = 1_000_000
    history: int = 10_000_000     # finished rows
    backlog: int = 5_000_000
    small_backlog: int = 10_000
    claim_cycles: int = 40
    workers: tuple = (1, 2, 4, 8, 32)
    shared_jobs: int = 1_000_000  # of many processes: so many that their start is not what counts
    waiting_jobs: int = 20_000
    short_jobs: int = 10_000
    running: int = 1_000          # coroutines for the memory of a busy worker
    delayed: int = 500_000
    idle_seconds: int = 20
    settle_seconds: int = 2       # before an idle process is looked at
    joins_of: int = 1_000         # one join for so many jobs of a burn-down
    fan_in: int = 10_000          # parents of one job
    fan_ins: int = 20
    diamond: int = 1_000          # jobs
    same_moment: int = 500        # joins whose parents all end at once
    held: int = 200_000           # jobs that wait for others
    small_joins: int = 30         # fired beside them
    step_jobs: int = 400
    job_steps: int = 100
    progress_seconds: int = 15
    saturated_backlog: int = 600_000
    saturated_fills: int = 4
    viewers: int = 1_000          # WebSockets, each of a job of its own
    viewer_seconds: int = 15
    api_jobs: int = 100_000       # finished, and as many waiting
    api_seconds: int = 5
    page_jobs: int = 10_000_000   # a tenth of them failed
    page_requests: int = 200      # of each route
    points: int = 100             # of a curve, at most


BARS = Sizes()
QUICK = Sizes(rounds=1, jobs=50_000, commit_seconds=2, pick_ups=60, xmin_jobs=150_000,
              history=300_000, backlog=200_000, claim_cycles=10, workers=(1, 2, 32), shared_jobs=100_000,
              waiting_jobs=4_000, short_jobs=4_000, delayed=100_000, idle_seconds=5,
              fan_ins=3, same_moment=100, held=10_000, small_joins=5, step_jobs=200, job_steps=50, progress_seconds=4,
              saturated_fills=1, viewer_seconds=4, api_jobs=10_000, api_seconds=1, page_jobs=200_000, page_requests=20)
# Everything once, as little as possible: shows that the harness works, and nothing else.
SMOKE = Sizes(rounds=1, jobs=200, commit_seconds=1, pick_ups=3, xmin_jobs=200, history=200,
              backlog=400, small_backlog=200, claim_cycles=2, workers=(1, 2), shared_jobs=200, waiting_jobs=200,
              short_jobs=100, running=50, delayed=100, idle_seconds=1,
              settle_seconds=0, points=1,
              joins_of=50, fan_in=20, fan_ins=1, diamond=10, same_moment=3, held=20, small_joins=1, step_jobs=10,
              job_steps=2, progress_seconds=0, saturated_backlog=20_000, saturated_fills=1,
              viewers=20, viewer_seconds=1, api_jobs=100, api_seconds=1, page_jobs=1_000, page_requests=2)


def capped(sizes, at_most):
    """The same with no table larger than that."""
    tables = ("jobs", "xmin_jobs", "history", "backlog", "shared_jobs", "delayed", "held", "saturated_backlog",
              "page_jobs")
    return dataclasses.replace(sizes, **{name: min(getattr(sizes, name), at_most) for name in tables})
