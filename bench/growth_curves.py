#!/usr/bin/env python3
"""Growth curves as SVG, from Google Benchmark's JSON.

    core_growth_bench --benchmark_format=json > growth.json
    bench/growth_curves.py growth.json docs/growth.svg

Both axes are logarithmic and relative: each curve starts at 1, so that they show how cost grows, not how
fast this machine is. The dashed line is linear growth."""

import json
import math
import sys

WIDTH, HEIGHT, MARGIN = 720, 420, 60
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"]
NAMES = {
    "BM_CycleByQueues": "a cycle, by ClusterQueues (one head each)",
    "BM_CycleByWorkloads": "a cycle, by workloads that wait in a queue",
    "BM_CycleByDepth": "a cycle, by levels of cohorts",
    "BM_Undo": "a trial undone, by queues charged",
}


def curves(report):
    """{name: [(size, time)]}, both relative to the first point."""
    found = {}
    for run in report["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        name, size = run["name"].split("/")[:2]
        if name in NAMES:
            found.setdefault(name, []).append((int(size), run["cpu_time"]))
    return {
        name: [(size / points[0][0], time / points[0][1]) for size, time in points] for name, points in found.items()
    }


def svg(lines):
    most_x = max(x for points in lines.values() for x, _ in points)
    most_y = max(most_x, max(y for points in lines.values() for _, y in points))

    def place(x, y):
        across = MARGIN + (WIDTH - 2 * MARGIN) * math.log(x) / math.log(most_x)
        up = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * math.log(max(y, 1e-3)) / math.log(most_y)
        return f"{across:.1f},{up:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<polyline points="{place(1, 1)} {place(most_x, most_x)}" stroke="#999" stroke-dasharray="4" fill="none"/>',
    ]
    for step in range(int(math.log10(most_x)) + 1):
        x, y = place(10**step, 1).split(",")
        out.append(f'<text x="{x}" y="{float(y) + 18}" text-anchor="middle">×{10**step}</text>')
    for step in range(int(math.log10(most_y)) + 1):
        x, y = place(1, 10**step).split(",")
        out.append(f'<text x="{float(x) - 8}" y="{y}" text-anchor="end">×{10**step}</text>')
    for index, (name, points) in enumerate(sorted(lines.items())):
        colour = COLOURS[index % len(COLOURS)]
        path = " ".join(place(x, y) for x, y in points)
        out.append(f'<polyline points="{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        out.append(f'<text x="{MARGIN + 12}" y="{MARGIN + 16 * index}" fill="{colour}">{NAMES[name]}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">size, relative to the smallest</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    source, target = sys.argv[1:]
    with open(source) as file:
        lines = curves(json.load(file))
    with open(target, "w") as file:
        file.write(svg(lines))


if __name__ == "__main__":
    main()
