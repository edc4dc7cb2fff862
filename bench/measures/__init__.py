"""One file a measurement; MEASURES is their order. Those of the HTTP server, SERVER, have a run of their own."""

from measures import (anatomy, api, backlog, big_page, burn_down, commits, delayed, held_xmin, history, idle, joins,
                      long_job, many_workers, memory, pick_up, plans, progress, saturated, steps, viewers,
                      waiting_handlers)

MEASURES = {
    "burn_down": burn_down,
    "anatomy": anatomy,
    "plans": plans,
    "commits": commits,
    "pick_up": pick_up,
    "held_xmin": held_xmin,
    "history": history,
    "backlog": backlog,
    "many_workers": many_workers,
    "waiting_handlers": waiting_handlers,
    "long_job": long_job,
    "memory": memory,
    "delayed": delayed,
    "idle": idle,
    "saturated": saturated,
    "joins": joins,
    "steps": steps,
    "progress": progress,
    "viewers": viewers,
    "api": api,
    "big_page": big_page,
}
SERVER = ("viewers", "api", "big_page")
