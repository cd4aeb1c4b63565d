"""How long every lesson takes on many words, beside its own numpy.py.

    python3 tools/reference/growth.py BINARY [--words 2000] [--rounds 3] [--write]

Both sides are whole processes, each on the same numbers, in turns: `tfx LESSON --text "w0 w1 …" --quiet` (with its
checks and its times), and Python that loads what tfx saved of the same run and calls the lesson's function. The
medians go to standard output, with --write also into docs/performance.md. Exit status 1 where a lesson takes
more than ten times as long as its numpy.py.
"""

import argparse
import datetime
import inspect
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from lesson_code import LESSONS, ROOT, function

MOST = 10  # times NumPy
PAGE = ROOT / "docs" / "performance.md"
BETWEEN = re.compile(r"(<!-- tools/reference/growth.py writes what follows -->\n).*?(<!-- and ends here -->)", re.S)


def run_numpy(lesson, path):
    """The lesson's function on what the run was given, read from the file that tfx saved."""
    tensors = np.load(path)
    run = function(lesson, "numpy")
    asked = [name for name in inspect.signature(run).parameters if name != "given_weights"]
    if lesson in {"block", "loss"}:  # **p: every weight, bias and gain
        asked += [name for name in tensors if re.fullmatch(r"[Wb]_\w|gain_\d|shift_\d|X", name)]
    given = {"heads": 1, "d_k": 4}
    for name in asked:
        source = "X" if name.startswith("X_") else name
        if name not in given and source in tensors:
            given[name] = tensors[source]
    if "pad_id" in given:
        given["pad_id"] = int(given["pad_id"])
    if "mask" in given:
        given["mask"] = given["mask"].astype(bool)
    run(**{name: value for name, value in given.items() if name in asked})


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    if sys.argv[1:2] == ["--numpy"]:
        return run_numpy(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path)
    parser.add_argument("--words", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = " ".join(f"w{i}" for i in range(options.words))
    lines = [f"{datetime.date.today()}, {options.words:,} words of width 4, medians of {options.rounds}. Seconds.", "",
             "|  | tfx | numpy.py | tfx / numpy.py |", "|---|---:|---:|---:|"]
    slowest = 0
    with tempfile.TemporaryDirectory() as folder:
        # A training step is a loss and a few numbers a weight; decoding and sizes have no text, or keep n² rows.
        for lesson in LESSONS[:LESSONS.index("train")]:
            path = str(Path(folder) / "run.npz")
            tfx = [str(options.binary.resolve()), lesson, "--text", text, "--quiet"]
            subprocess.run([*tfx, "--save", path], check=True, stdout=subprocess.DEVNULL)
            numpy = [sys.executable, __file__, "--numpy", lesson, path]
            rounds = [(seconds(tfx), seconds(numpy)) for _ in range(options.rounds)]
            ours, theirs = (statistics.median(side) for side in zip(*rounds))
            slowest = max(slowest, ours / theirs)
            lines.append(f"| {lesson} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.1f} |")
            print(lines[-1], flush=True)
    if options.write:
        table = "\n".join(lines) + "\n"
        PAGE.write_text(BETWEEN.sub(lambda found: found[1] + table + found[2], PAGE.read_text()))
    return 0 if slowest <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
