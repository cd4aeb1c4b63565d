#!/usr/bin/python3
"""report.py RESULTS.json FILE.md: the tables of a comparison, written between the markers of the document."""
import json
import sys

BEGIN, END = "<!-- tools/peers/compare.py writes what follows -->", "<!-- and ends here -->"
PEERS = ["NumPy", "PyTorch", "ONNX Runtime"]


def short(milliseconds):
    """Three digits."""
    digits = 0 if milliseconds >= 100 else 1 if milliseconds >= 10 else 2
    return f"{milliseconds:,.{digits}f}"


def best_of(measured, programs):
    return min((one for one in measured["results"] if one["program"] in programs), key=lambda one: one["median"],
               default=None)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def summary(run):
    """One line a configuration: the goals are its last two columns."""
    lines = [row(["", "limit", *PEERS, "tfx", "tfx / best peer", "share of the limit"]), "|---" + "|---:" * 7 + "|"]
    for measured in run["configurations"]:
        ours, peer, floor = best_of(measured, ["tfx"]), best_of(measured, PEERS), measured["floor_ms"]
        cells = [measured["config"], short(floor) if floor else "–"]
        for program in PEERS + ["tfx"]:
            best = best_of(measured, [program])
            cells.append(short(best["median"]) if best else "–")
        cells.append(f"{ours['median'] / peer['median']:.2f}" if ours and peer else "–")
        cells.append(f"{floor / ours['median']:.0%}".replace("%", " %") if ours and floor else "–")
        lines.append(row(cells))
    return lines


def details(run):
    headings = ["", "side", "median", "quartiles", "least", "runs", "memory", "differs by"]
    lines = [row(headings), "|---|---" + "|---:" * 6 + "|"]
    for measured in run["configurations"]:
        for i, one in enumerate(measured["results"]):
            differs = "–" if one["difference"] is None else f"{one['difference']:.0e}"
            lines.append(row([measured["config"] if i == 0 else "", f"{one['program']}, {one['variant']}",
                              short(one["median"]), f"{short(one['q1'])} … {short(one['q3'])}", short(one["least"]),
                              str(one["runs"]), f"{one['memory_mb']:,.0f} MB", differs]))
    return lines


def heading(run):
    machine = dict(run["machine"])
    text = f"{machine.pop('date')}, {machine.pop('cpu')}, {machine.pop('processors')} processors"
    if "isa" in machine:
        text += f", {machine.pop('isa')}"
    limits = [measured["limits"] for measured in run["configurations"] if measured["limits"]]
    if limits:
        flops, reads = ([values[i] for values in limits] for i in range(2))
        text += (f"; {min(flops):,.0f} to {max(flops):,.0f} GFLOP/s and {min(reads):,.0f} to {max(reads):,.0f} GB/s, "
                 "measured beside each configuration")
    versions = ", ".join(f"{name} {version}" for name, version in machine.items())
    return f"{text}. {versions}. Milliseconds; of each program the best variant."


def around(path):
    """The document before and behind the tables; behind them may follow others' with the same end."""
    with open(path, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in after:
        sys.exit(f"{path}: {BEGIN} should stand there once, and {END} below it")
    return before, after


def write_report(run, path):
    before, after = around(path)
    body = [BEGIN, heading(run), "", *summary(run), "", "Every side:", "", *details(run), END]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + "\n".join(body) + after)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as results:
        write_report(json.load(results), sys.argv[2])
