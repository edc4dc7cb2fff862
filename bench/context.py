"""What every measurement gets: the server, the queues, the sizes, and where its figures go."""

import statistics
import sys
import time


class Context:
    def __init__(self, sizes, cluster, rowrunner, in_database, graphile_worker=None, pg_boss=None):
        self.sizes = sizes
        self.cluster = cluster
        self.rowrunner = rowrunner
        self.in_database = in_database
        self.graphile_worker = graphile_worker
        self.pg_boss = pg_boss
        self.figures = {}
        self.curves = {}

    def rounds(self):
        return range(self.sizes.rounds)

    def record(self, key, label, unit, value):
        figure = self.figures.setdefault(key, {"label": label, "unit": unit, "samples": []})
        figure["samples"].append(value)
        note(f"{key}: {label}: {value:,.4g} {unit}")

    def point(self, curve, x, unit, line, value):
        """One more sample of a curve of `bench/run growth`."""
        lines = self.curves.setdefault(curve, {"unit": unit, "lines": {}})["lines"]
        lines.setdefault(line, {}).setdefault(str(x), []).append(value)
        note(f"{curve} {x}: {line}: {value:,.4g} {unit}")


def note(text):
    print(f"{time.strftime('%H:%M:%S')}  {text}", file=sys.stderr, flush=True)


def median(figure):
    return statistics.median(figure["samples"])


def percentile(values, share):
    """The smallest value that so large a share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]
