"""The NumPy lines that a page prints draw the very arrays that it shows: `tools/test --extended numpy`.

Run from the repository root:  python3 tools/reference/check_numpy_lines.py build/release/tfx
Runs every lesson with every tutorial that fits, and on words and sizes of its own with every --init, executes the
lines of --json's "numpy", and compares every array they name with the tensor of that name, bit for bit. Whatever
a page calls drawn must be named. Prints "ok PAGE" or "not ok PAGE: why" for each.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

INITS = "randint normal xavier xavier-uniform he".split()
OWN = ["", "--seed 7", "--seed 4294967295", "--text 'the cat sat on the mat'", "--text 我爱你爱我 --seed 3",
       "--d-model 6", "--d-model 6 --batch 2", "--n-q 2 --n-k 5 --d-k 3 --d-v 7 --batch 2 --seed 7",
       "--n-q 3", "--text 'a b' --source 'c d e'", "--text 'a b a' --source 'a b e' --seed 5", "--dropout 0.3",
       "--d-model 6 --heads 3", "--text 'a b c' --d-model 8 --heads 2 --causal"]


def run(binary, page, options):
    """The page's JSON, or None where the lesson does not take these options."""
    words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", f"{page} {options}")]
    out = subprocess.run([binary, *words, "--json", "--no-time"], capture_output=True, text=True)
    assert out.returncode in (0, 2), (page, options, out.stderr)
    return json.loads(out.stdout) if out.returncode == 0 else None


def fault_of(page):
    """What is wrong with the lines of a page, or None, and how many arrays they give."""
    drawn = {"np": np}
    try:
        exec("\n".join(page["numpy"]), drawn)
    except Exception as error:
        return f"the lines do not run: {error}", 0
    compared = 0
    for tensor in page["tensors"]:
        if tensor["name"] not in drawn:
            if tensor["formula"] == "np.random":
                return f"{tensor['name']} is drawn and in no line", compared
            continue
        compared += 1
        ours, numpy = np.array(tensor["data"], dtype=np.float64), np.asarray(drawn[tensor["name"]])
        if ours.shape != numpy.shape or not np.array_equal(ours, numpy.astype(np.float64)):
            return f"{tensor['name']} differs", compared
    return None, compared


def main(binary):
    nothing_seen = {**os.environ, "XDG_STATE_HOME": "/nowhere"}  # the list marks what a learner has seen
    listed = subprocess.run([binary, "list"], capture_output=True, text=True, env=nothing_seen).stdout
    lessons = re.findall(r"^ +\d+  tfx (\w+)", listed, re.M)
    tutorials = [re.sub(r"-(\d+)$", r":\1", path.stem) for path in sorted(Path("data/reference/lessons").glob("*.npz"))]
    pages = [f"{lesson} step" if lesson in {"train", "decode", "cache"} else lesson for lesson in lessons]
    inputs = [f"--tutorial {name}" for name in tutorials] + OWN + [f"{own} --init {init}" for own in OWN for init in INITS]
    wrong = arrays = 0
    for page in pages:
        if page in {"model", "params", "bench", "errata", "bpe"}:  # they print no lines
            continue
        for options in inputs:
            result = run(binary, page, options)
            if result is None or not result.get("numpy"):
                continue
            fault, compared = fault_of(result)
            arrays += compared
            wrong += fault is not None
            print(f"not ok {page} {options}: {fault}" if fault else f"ok {page} {options}")
    print(f"{arrays} arrays", file=sys.stderr)
    return 1 if wrong or not arrays else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
