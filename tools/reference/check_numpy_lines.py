"""The NumPy lines that a page prints draw the very arrays that it shows.

Run from the repository root:  python3 tools/reference/check_numpy_lines.py build/release/tfx
Executes the lines of --json's "numpy" and compares every array they name with the tensor of that name, bit for bit.
"""
import json
import subprocess
import sys

import numpy as np

INPUTS = [
    "scores", "qkv", "masked", "sdpa", "multihead --tutorial fun-transformer:2", "multihead --tutorial attention-block",
    "multihead --tutorial attention-block:2", "multihead --tutorial annotated", "scores --text the@cat@the@end",
    "multihead --d-model 6 --heads 3 --batch 2 --n-q 3", "sdpa --n-q 2 --n-k 5 --d-k 3 --d-v 7 --batch 2 --seed 7",
] + [f"qkv --d-model 5 --init {init} --seed 4294967295" for init in "randint normal xavier xavier-uniform he".split()]


def run(binary, line):
    words = [word.replace("@", " ") for word in line.split()]
    out = subprocess.run([binary, *words, "--json", "--no-time"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def main(binary):
    wrong = 0
    for line in INPUTS:
        page = run(binary, line)
        drawn = {"np": np}
        exec("\n".join(page["numpy"]), drawn)
        compared = 0
        for tensor in page["tensors"]:
            if tensor["name"] not in drawn:
                continue
            compared += 1
            ours, numpy = np.array(tensor["data"], dtype=np.float64), np.asarray(drawn[tensor["name"]])
            if ours.shape != numpy.shape or not np.array_equal(ours, numpy.astype(np.float64)):
                wrong += 1
                print(f"{line}: {tensor['name']} differs")
        if compared == 0:
            wrong += 1
            print(f"{line}: nothing to compare")
        print(f"{line}: {compared} arrays")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
