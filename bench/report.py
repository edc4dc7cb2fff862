"""The figures as text for a terminal, and as docs/performance.md."""

import pathlib
import re
import statistics

import bars
import charts

RED, GREEN, PLAIN = "\033[31m", "\033[32m", "\033[0m"
GROUPS = [
    ("burn_down/", "Burn-down of no-op jobs"),
    ("at_work/", "The same from the first claim to the last end"),
    ("enqueue/", "Bulk enqueue"),
    ("commits/", "One commit a job, 8 clients"),
    ("pick_up_p50/", "Pick-up after commit, p50"),
    ("pick_up_p99/", "Pick-up after commit, p99"),
    ("wal/", "WAL from enqueue to end"),
    ("cpu/", "Server CPU from enqueue to end"),
    ("burn_cpu/", "CPU of the burn-down alone"),
    ("anatomy/", "Where the time of one job goes"),
    ("plans/", "The parts of its two statements, by EXPLAIN (ANALYZE)"),
    ("xmin/", "A transaction held open by another session"),
    ("history/", "History"),
    ("claim_p50/", "Time of a claim, p50"),
    ("claim_p99/", "Time of a claim, p99"),
    ("workers/", "Processes on one queue"),
    ("shares/", "Shares of the processes"),
    ("waiting/", "Waiting handlers"),
    ("long_job/", "One long job among short ones"),
    ("memory/", "Private memory of a worker process"),
    ("delayed/", "Delayed jobs that are more urgent"),
    ("idle/", "Idle worker"),
    ("saturated_p50/", "Commit to start beside a backlog, p50"),
    ("saturated_p99/", "Commit to start beside a backlog, p99"),
    ("joins/", "Burn-down with joins"),
    ("joins_ms/", "Joins: from the last end to the start, and statements"),
    ("joins_once/", "Joins that did not run exactly once"),
    ("steps/", "Steps"),
    ("progress/", "Progress"),
    ("viewers/", "Viewers: statements and memory"),
    ("viewers_p50/", "From a commit to the viewer's message, p50"),
    ("viewers_p99/", "From a commit to the viewer's message, p99"),
    ("api/", "Reads of the API, 16 connections"),
    ("api_p99/", "Reads of the API, p99"),
    ("page_p50/", "Data of the page's views, p50"),
    ("page_p99/", "Data of the page's views, p99"),
    ("page/", "Statements of the page's views"),
]


def number(value):
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    if 0 < abs(value) < 0.1:
        return f"{value:.2g}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def limit(bar, value):
    return "–" if value is None else f"{'≥' if bar.at_least else '≤'} {value:g}"


def with_unit(text, unit):
    return f"{text} {unit}".strip()


def spread(samples):
    return "" if len(samples) == 1 else f"{number(min(samples))} – {number(max(samples))}"


def grouped(figures):
    for prefix, title in GROUPS:
        members = [figure for key, figure in figures.items() if key.startswith(prefix)]
        if members:
            yield title, members


def figures_text(figures):
    lines = []
    for title, members in grouped(figures):
        lines.append(f"\n{title}")
        for figure in members:
            median = with_unit(number(statistics.median(figure["samples"])), figure["unit"])
            lines.append(f"  {figure['label']:<62} {median:>20}   {spread(figure['samples'])}".rstrip())
    return "\n".join(lines)


def bars_text(figures, colour):
    def painted(text, holds):
        if not colour or holds is None:
            return text
        return f"{GREEN if holds else RED}{text}{PLAIN}"

    lines = ["\nBars"]
    for bar, value, holds, _ in bars.judged(figures):
        shown = with_unit(number(value), bar.unit)
        lines.append(painted(f"  {bar.what:<66} {shown:>10}   must {limit(bar, bar.must):<7}"
                             f" aim {limit(bar, bar.aim)}", holds))
    missed = bars.missed(figures)
    lines.append("\nAll bars that were measured hold." if not missed else "\nMissed:")
    lines += [painted(f"  {bar.what}: {with_unit(number(value), bar.unit)}, must be"
                      f" {limit(bar, bar.must)}", False) for bar, value in missed]
    return "\n".join(lines)


def bars_markdown(figures, of):
    lines = ["| | measured | must | aim | |", "|---|---:|---:|---:|---|"]
    for bar, value, holds, reached in bars.judged(figures, of):
        verdict = {None: "", True: "holds", False: "**missed**"}[holds]
        if reached:
            verdict = "reaches the aim"
        shown = with_unit(number(value), bar.unit)
        lines.append(f"| {bar.what} | {shown} | {limit(bar, bar.must)} | {limit(bar, bar.aim)} | {verdict} |")
    return "\n".join(lines)


def figures_markdown(figures):
    lines = []
    for title, members in grouped(figures):
        lines += [f"\n**{title}**\n", "| | median | range |", "|---|---:|---:|"]
        for figure in members:
            median = with_unit(number(statistics.median(figure["samples"])), figure["unit"])
            lines.append(f"| {figure['label']} | {median} | {spread(figure['samples'])} |")
    return "\n".join(lines)


def about_markdown(about):
    return "\n".join(f"- {name}: {value}" for name, value in about.items())


def readme_markdown(results):
    """Four figures for the first screen of the README; a peer that was not measured is left out."""
    figures = results["figures"]

    def times(key, peer):
        value = bars.ratio_of_best("burn_down/rowrunner", key)(figures)
        return [] if value is None else [f"{number(value)} × {peer}"]

    def of(key):
        return number(bars.of(figures, key))

    peers = ", ".join(times("burn_down/graphile", "Graphile Worker") + times("burn_down/pg_boss", "pg-boss"))
    best = number(bars.best(figures, *bars.beginning(figures, "burn_down/rowrunner")))
    enqueue = [f"{number(value)}{what}" for what, value in (
        ("", bars.ratio("commits/own_table", "commits/own_row")(figures)),
        (" with the trigger of the pictures", bars.ratio("commits/rowrunner", "commits/same_row")(figures)))
        if value is not None]
    return "\n".join([
        f"| measured on {results['about']['machine'].split(',')[0]}, shared with the server | |", "|---|---|",
        f"| no-op jobs run, at best | {best} a second; {peers} |",
        f"| from the commit of an enqueue to the start of its job | {of('pick_up_p50/rowrunner')} ms median,"
        f" {of('pick_up_p99/rowrunner')} ms p99 |",
        f"| private memory of an idle worker process | {of('memory/idle')} MB |",
        f"| enqueue with one commit a job / plain INSERT without a queue | {', '.join(enqueue)} |"])


def write_readme(readme: pathlib.Path, results):
    if results.get("figures"):
        text = replaced(readme.read_text(encoding="utf-8"), "readme", readme_markdown(results))
        readme.write_text(text, encoding="utf-8")


def replaced(text, part, content):
    """The generated part of a document stands between two marks; the rest is written by hand."""
    begin, end = f"<!-- bench: {part} -->", "<!-- bench: end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"bench: the document has no section for {part!r}")
    return pattern.sub(lambda _: f"{begin}\n\n{content}\n\n{end}", text)


def write_document(document: pathlib.Path, results):
    text = document.read_text(encoding="utf-8")
    folder = document.parent / document.stem
    if results.get("figures"):
        pictures = charts.comparisons(results["figures"], folder)
        text = replaced(text, "bars", about_markdown(results["about"]) + "\n\n"
                        + bars_markdown(results["figures"], bars.QUEUE))
        text = replaced(text, "figures", pictures_markdown(pictures, document)
                        + "\n" + figures_markdown(results["figures"]))
    if results.get("server"):
        text = replaced(text, "server", about_markdown(results["server_about"]) + "\n\n"
                        + bars_markdown(results["server"], bars.SERVER) + "\n" + figures_markdown(results["server"]))
    if results.get("curves"):
        pictures = charts.curves(results["curves"], folder)
        text = replaced(text, "growth", about_markdown(results["growth_about"]) + "\n\n"
                        + pictures_markdown(pictures, document))
    document.write_text(text, encoding="utf-8")


def pictures_markdown(pictures, document):
    return "\n".join(f"![{title}]({path.relative_to(document.parent)})" for title, path in pictures)
