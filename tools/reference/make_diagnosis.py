"""Makes data/reference/diagnosis/*.npz and *.csv: what learners hand in that is wrong, and what is right in another
form, with the true cause of each. `tfx check` is measured by them (tests/judge/trust_test.cpp).

Run from the root of the repository:  python3 tools/reference/make_diagnosis.py BINARY
The programs were written without looking at the catalogue of mistakes. BINARY draws what a lesson gives (`tfx inputs`)
and says what is right, so that nothing is kept that is wrong by name only.
"""

import csv
import subprocess
import sys
import tempfile

import numpy as np

from diagnosis import fourth_set, held_out, last_set, right_differently, wrong_attention, wrong_layers

SETS = {"first": {"wrong": [wrong_attention, wrong_layers], "different": [right_differently]},
        "second": {"wrong": [held_out.wrong], "different": [held_out.different]},
        "third": {"wrong": [last_set.wrong], "different": [last_set.different]},
        "fourth": {"wrong": [fourth_set.wrong], "different": [fourth_set.different]}}
PAGES = {"train": "step", "decode": "step", "cache": "step", "params": "count", "bpe": "step"}  # of these, the lesson


def run(*words):
    """The arrays that tfx saves."""
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        done = subprocess.run([sys.argv[1], "--lang", "en", *words, "--save", file.name], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)}: {done.stderr}")
        return dict(np.load(file.name))


def differs(mine, right):
    mine = np.asarray(mine, dtype=float)
    return mine.shape != right.shape or not np.allclose(mine, right, rtol=1e-9, atol=1e-12, equal_nan=True)


def page(command, *options):
    return [command, *([PAGES[command]] if command in PAGES else []), *options]


def cases(kind, module):
    for typed, programs in module.SERIES.items():
        given, right = run("inputs", *typed.split()), run(*page(*typed.split()))
        for name, cause, tensors in programs(given):
            unknown = tensors.keys() - right.keys()
            if unknown:
                sys.exit(f"{typed} {name}: no tensor {unknown}")
            if kind == "wrong" and not any(differs(value, right[tensor]) for tensor, value in tensors.items()):
                sys.exit(f"{typed} {name}: nothing is wrong")
            yield [f"{programs.__name__}/{name}", typed, kind, cause], tensors


def judged(path):
    """What may be said of each case: written by hand into the last column, and kept."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return {row["case"]: row.get("says", "") for row in csv.DictReader(file)}
    except FileNotFoundError:
        return {}


def main():
    for name, kinds in SETS.items():
        rows, arrays = [], {}
        for kind, modules in kinds.items():
            for module in modules:
                for row, tensors in cases(kind, module):
                    row[0] = f"{row[2]}/{row[0]}"
                    rows.append(row)
                    arrays.update({f"{row[0]}/{tensor}": np.ascontiguousarray(value) for tensor, value in tensors.items()})
        np.savez_compressed(f"data/reference/diagnosis/{name}.npz", **arrays)
        path = f"data/reference/diagnosis/{name}.csv"
        says = judged(path)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["case", "typed", "kind", "cause", "says"])
            writer.writerows([*row, says.get(row[0], "")] for row in rows)
        print(name, {kind: sum(row[2] == kind for row in rows) for kind in kinds})


if __name__ == "__main__":
    main()
