"""Makes data/reference/random.txt and random.bin: what NumPy's legacy RandomState draws.

Run from the root of the repository:  python3 tools/reference/make_random.py
Needs NumPy only (the committed files were made by NumPy 1.24 on x86-64 Linux).

random.txt is a script, one call a line: `TYPE METHOD ARGUMENTS COUNT`. A line `seed N` starts a new stream.
random.bin holds the values of all calls one after another, little-endian: f64, f32 (drawn in double, then cast)
or i64, as TYPE says. tests/random/numpy_rng_test.cpp replays the script and compares every byte.
"""

from pathlib import Path

import numpy as np

FOLDER = Path("data/reference")
SEEDS = [0, 1, 42, 12345, 2**31 - 1, 4294967295]

# Exclusive upper bounds: the smallest ones, powers of two and their neighbours, and both sides of 32 bits.
HIGHS = [1, 2, 3, 5, 10, 100, 255, 256, 257, 1000, 50257, 2**31 - 1, 2**31, 2**31 + 1,
         2**32 - 1, 2**32, 2**32 + 1, 2**40, 2**40 + 1, 2**53, 2**62, 2**63 - 1]
RANGES = [(0, high) for high in HIGHS] + [
    (-3, 4), (-1, 0), (5, 6), (-2**31, 2**31), (-2**31, 2**31 + 1), (-2**40, 7), (-2**62, 2**62), (-2**63, 2**63 - 1)]


def calls():
    """Every call of one stream, in order: (type, method, arguments, count)."""
    yield "f64", "randn", (), 1            # leaves the second of the pair waiting
    yield "f64", "rand", (), 5
    yield "i64", "randint", (0, 7), 3
    yield "f64", "randn", (), 2            # the waiting one, then half of a new pair
    yield "i64", "permutation", (), 9
    yield "f64", "randn", (), 1001
    yield "f64", "randn", (), 2500
    yield "f32", "randn", (), 1501
    yield "f64", "rand", (), 1500
    yield "f32", "rand", (), 700
    for low, high in [(0.0, 1.0), (-1.0, 1.0), (-0.1, 0.1), (3.0, -2.5), (-0.3061862178478972, 0.3061862178478972)]:
        yield "f64", "uniform", (low, high), 200
    yield "f32", "uniform", (-0.1, 0.1), 301
    for low, high in RANGES:
        yield "i64", "randint", (low, high), 20
        yield "f64", "randn", (), 1        # integers between two of a pair do not disturb the second one
    yield "i64", "randint", (0, 50257), 400
    for n in (0, 1, 2, 3, 17, 256, 257):
        yield "i64", "permutation", (), n
    for n in (0, 1, 2, 10, 33, 300):
        yield "i64", "shuffle", (), n      # of the squares 0, 1, 4, 9, ...
    for n in (1, 10, 1000):
        yield "i64", "choice_with_replacement", (n,), 30
    for n, size in [(1, 1), (10, 4), (10, 10), (100, 7), (300, 0)]:
        yield "i64", "choice_without_replacement", (n,), size
    yield "f64", "randn", (), 7


def draw(random, method, arguments, count):
    """The values of one call, or of `count` calls of a method that gives one value at a time."""
    if method in ("rand", "randn"):
        return getattr(random, method)(count)
    if method in ("uniform", "randint"):
        return getattr(random, method)(*arguments, size=count)
    if method == "permutation":
        return random.permutation(count)
    if method == "shuffle":
        values = np.arange(count) ** 2
        random.shuffle(values)
        return values
    return random.choice(arguments[0], size=count, replace=method == "choice_with_replacement")


def main():
    dtypes = {"f64": np.dtype("<f8"), "f32": np.dtype("<f4"), "i64": np.dtype("<i8")}
    script = ["# Made by tools/reference/make_random.py with NumPy " + np.__version__ + "; values in random.bin"]
    values = []
    for seed in SEEDS:
        random = np.random.RandomState(seed)
        script.append(f"seed {seed}")
        for kind, method, arguments, count in calls():
            script.append(" ".join([kind, method, *map(repr, arguments), str(count)]))
            values.append(draw(random, method, arguments, count).astype(dtypes[kind]))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "random.txt").write_text("\n".join(script) + "\n", encoding="utf-8", newline="\n")
    (FOLDER / "random.bin").write_bytes(b"".join(value.tobytes() for value in values))
    print(f"{sum(value.size for value in values)} values of {len(SEEDS)} seeds")


if __name__ == "__main__":
    main()
