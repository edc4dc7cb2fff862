"""Two builds side by side: each measurement is taken by the bench of either build's sources, so with its
own migrations and statements, in turn and round after round; the medians are compared."""

import json
import re
import subprocess

import bars
import report
from context import median, note


def source_of(build):
    cache = build / "CMakeCache.txt"
    found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    if not found:
        raise SystemExit(f"bench: {build} is not the folder of a build")
    return build.__class__(found[1])


def sample(build, name, options):
    source = source_of(build)
    command = [source / "bench/run", options.mode, "--only", name, "--rounds", "1", "--no-peers",
               "--at-most", str(options.at_most), "--build-dir", build,
               *(["--postgres", options.postgres] if options.postgres else [])]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        return note(f"{source} has no measurement {name}")
    if done.returncode != 0:
        raise RuntimeError(f"{name} of {build} failed: {done.stderr[-500:]}")
    return json.loads((source / f"build/bench/{options.mode}.json").read_text())["figures"]


def measure(builds, names, rounds, options, tell):
    """The figures of each build, with one sample a round. Who is first changes with the rounds. Whatever is known so
    far is told after each measurement: a run that is cut off still has those before, and one that fails goes on.
    Gives the figures and what failed."""
    figures, failed = [{} for _ in builds], []
    for name in names:
        for turn in range(rounds):
            for which in sorted(range(len(builds)), reverse=turn % 2 == 1):
                note(f"{name}, round {turn + 1} of {rounds}: {builds[which]}")
                try:
                    add(figures[which], sample(builds[which], name, options) or {})
                except RuntimeError as failure:
                    note(str(failure))
                    failed.append(str(failure))
        tell(figures)
    return figures, failed


def add(figures, more):
    for key, figure in more.items():
        figures.setdefault(key, dict(figure, samples=[]))["samples"] += figure["samples"]


def text(ours, theirs):
    lines = [f"{'medians':<72} {'this':>12} {'other':>12} {'this / other':>13}"]
    for key in ours:
        if key in theirs:
            a, b = median(ours[key]), median(theirs[key])
            lines.append(row(f"{key}: {ours[key]['label']} ({ours[key]['unit']})", a, b))
    lines.append("\nBars")
    for (bar, a, *_), (_, b, *_) in zip(bars.judged(ours), bars.judged(theirs)):
        if a is not None:
            lines.append(row(f"{bar.what} ({'≥' if bar.at_least else '≤'} is better)", a, b))
    only = [key for key in ours if key not in theirs]
    if only:
        lines.append("\nMeasured only here")
        lines += [row(f"{key}: {ours[key]['label']} ({ours[key]['unit']})", median(ours[key]), None) for key in only]
    return "\n".join(lines)


def row(what, a, b):
    ratio = bars.divided(a, b)
    return f"{what:<72} {report.number(a):>12} {report.number(b):>12} {report.number(ratio):>13}"
