"""Makes data/reference/grading/*.npz and *.csv: what wrong programs return for the cases of their exercise, with what is
wrong in each. `tfx grade` is measured by them (tests/exercise/programs_test.cpp).

Run from the root of the repository:  python3 tools/reference/make_grading.py BINARY [SET…]
The programs, in grading/, were written as learners write them, without looking at the catalogue of mistakes. BINARY gives
the inputs and says which results are asked for; steps on the way are left out, as most learners return none.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

import grading.first
import grading.second
import grading.third

BINARY = pathlib.Path(sys.argv[1]).resolve()
SETS = {"first": grading.first, "second": grading.second, "third": grading.third}
PROGRAMS_A_FILE = 30  # tfx reads no file of more than 1,024 arrays
SAVES_ITS_INPUTS = """# tfx exercise {exercise}
import shutil, sys
shutil.copy(sys.argv[1], {path!r})
"""


def inputs_of(exercise):
    """{case: {name: array or number}}, as the frame below a learner's function passes them."""
    with tempfile.TemporaryDirectory() as folder:
        program, path = pathlib.Path(folder, exercise + ".py"), str(pathlib.Path(folder, "inputs.npz"))
        program.write_text(SAVES_ITS_INPUTS.format(exercise=exercise, path=path))
        subprocess.run([BINARY, "grade", str(program)], capture_output=True)
        given, cases = np.load(path), {}
        for key in given:
            case, name, *of = key.split("/")
            value = given[key].item() if given[key].ndim == 0 else given[key]
            inputs = cases.setdefault(case, {})
            if of:
                inputs.setdefault(name, {})["/".join(of)] = value
            else:
                inputs[name] = value
        return cases


def results_of(exercise):
    """The names that have to be returned: "softmax(scores, d_k) → weights"."""
    done = subprocess.run([BINARY, "exercise", "--lang", "en", "--width", "1000"], capture_output=True, text=True, check=True)
    return re.search(rf"\b{exercise}\(.*\) → (.*)", done.stdout)[1].split(", ")


def returned(exercise, program, cases):
    """{case/name: array}, up to the case that Python's own error ends."""
    names, arrays, scope = results_of(exercise), {}, {"np": np, "numpy": np}
    exec(program, scope)
    for case, inputs in cases.items():
        try:
            with np.errstate(all="ignore"):
                found = scope[exercise](**inputs)
            arrays.update({f"{case}/{name}": np.asarray(value) for name, value in found.items() if name in names})
        except Exception as error:
            return arrays, repr(error)
    return arrays, ""


def judged(path):
    """What may be said of each program: written by hand into the last column, and kept."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return {row["name"]: row["says"] for row in csv.DictReader(file)}
    except FileNotFoundError:
        return {}


def main():
    inputs = {}
    pathlib.Path("data/reference/grading").mkdir(exist_ok=True)
    for name in sys.argv[2:] or SETS:
        path = f"data/reference/grading/{name}.csv"
        says, rows, parts = judged(path), [], {}
        for number, (exercise, cause, program) in enumerate(SETS[name].PROGRAMS):
            if exercise not in inputs:
                inputs[exercise] = inputs_of(exercise)
            found, error = returned(exercise, program, inputs[exercise])
            if error:
                print(f"{name}: {number} {exercise} left out, Python itself says what is wrong: {error}")
                continue
            row = f"{exercise}_{number}"
            rows.append([row, exercise, cause, says.get(row, "")])
            arrays = parts.setdefault(number // PROGRAMS_A_FILE + 1, {})
            arrays.update({f"{row}/{key}": value for key, value in found.items()})
        for part, arrays in parts.items():
            np.savez_compressed(f"data/reference/grading/{name}-{part}.npz", **arrays)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["name", "exercise", "cause", "says"])
            writer.writerows(rows)
        print(name, len(rows))


if __name__ == "__main__":
    main()
