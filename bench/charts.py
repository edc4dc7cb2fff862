"""Charts as SVG: bars for what is compared, lines for what grows."""

import html
import math
import statistics

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 84, 24, 48, 84
COLOURS = ("#1f6feb", "#bf5700", "#2da44e", "#8250df", "#cf222e", "#57606a")
COMPARISONS = [
    ("burn_down", "burn_down/", "Burn-down of no-op jobs"),
    ("enqueue", "enqueue/", "Bulk enqueue"),
    ("commits", "commits/", "One commit a job, 8 clients"),
    ("pick_up", "pick_up_p50/", "Pick-up after commit, p50"),
    ("held_xmin", "xmin/", "A transaction held open by another session"),
    ("workers", "workers/", "Processes on one queue"),
]


def text(x, y, content, anchor="start", size=12, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}"'
            f' fill="#24292f">{html.escape(content)}</text>')


def picture(title, body, height=HEIGHT):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
            f' height="{height}" font-family="sans-serif" role="img" aria-label="{html.escape(title)}">'
            f'<rect width="100%" height="100%" fill="#ffffff"/>{text(16, 26, title, size=15, weight="bold")}'
            f'{"".join(body)}</svg>\n')


def short(value):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def bar_chart(title, rows):
    """rows: (label, median, samples, unit), one horizontal bar each, with the range as a line."""
    left, step = 320, 30
    largest = max(max(samples) for _, _, samples, _ in rows) or 1
    scale = (WIDTH - left - 110) / largest
    body = []
    for i, (label, median, samples, unit) in enumerate(rows):
        y = 48 + i * step
        colour = COLOURS[0] if label.startswith("Rowrunner") else COLOURS[5]
        body.append(text(left - 8, y + 15, label if len(label) < 52 else label[:50] + "…", "end"))
        body.append(f'<rect x="{left}" y="{y}" width="{max(median * scale, 1):.1f}" height="20" fill="{colour}"/>')
        low, high = left + min(samples) * scale, left + max(samples) * scale
        body.append(f'<path d="M{low:.1f} {y + 10}H{high:.1f}" stroke="#24292f" stroke-width="2"/>')
        body.append(text(max(high, left + median * scale) + 6, y + 15, f"{short(median)} {unit}"))
    return picture(title, body, 48 + len(rows) * step + 12)


def ticks(largest):
    step = 10 ** math.floor(math.log10(largest))
    step = next(s for s in (step / 5, step / 2, step, step * 2) if largest / s <= 6)
    return [i * step for i in range(int(largest / step) + 1)]


def line_chart(title, unit, x_title, lines):
    """lines: {name: [(x, y)]}; the x axis is logarithmic, with zero at its left end."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    positive = [x for x in xs if x > 0] or [1]
    low = math.log10(positive[0]) - (1 if 0 in xs else 0)
    high = max(math.log10(positive[-1]), low + 0.1)
    top = max(y for points in lines.values() for _, y in points) * 1.1 or 1

    def across(x):
        share = (math.log10(x) if x > 0 else low) - low
        return LEFT + share / (high - low) * (WIDTH - LEFT - RIGHT)

    def down(y):
        return HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    body = []
    for value in ticks(top):
        body.append(f'<path d="M{LEFT} {down(value):.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        body.append(text(LEFT - 8, down(value) + 4, short(value), "end"))
    for x in xs:
        body.append(text(across(x), HEIGHT - BOTTOM + 18, short(x), "middle"))
    body.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 38, x_title, "middle"))
    body.append(text(16, TOP - 4, unit))
    place = LEFT
    for colour, (name, points) in zip(COLOURS, lines.items()):
        path = "L".join(f"{across(x):.1f} {down(y):.1f}" for x, y in points)
        body.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>' for x, y in points]
        body.append(f'<rect x="{place}" y="{HEIGHT - 26}" width="12" height="12" fill="{colour}"/>')
        body.append(text(place + 18, HEIGHT - 16, name))
        place += 40 + 7 * len(name)
    return picture(title, body)


def save(folder, name, svg):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.svg"
    path.write_text(svg, encoding="utf-8")
    return path


def comparisons(figures, folder):
    made = []
    for name, prefix, title in COMPARISONS:
        members = [figure for key, figure in figures.items() if key.startswith(prefix)]
        if members:
            rows = [(f["label"], statistics.median(f["samples"]), f["samples"], f["unit"]) for f in members]
            made.append((title, save(folder, name, bar_chart(title, rows))))
    return made


def curves(found, folder):
    made = []
    for name, curve in found.items():
        lines = {line: sorted((float(x), statistics.median(ys)) for x, ys in points.items())
                 for line, points in curve["lines"].items()}
        title = f"Growth: {curve['title']}"
        made.append((title, save(folder, f"growth_{name}",
                                 line_chart(title, curve["unit"], curve["x"], lines))))
    return made
