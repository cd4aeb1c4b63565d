"""Makes data/reference/modern.npz: Llama's block on random numbers of many shapes.

Run from the root of the repository:  python3 tools/reference/make_modern.py
Needs NumPy and PyTorch (the committed file was made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

Each case is computed in double by lessons/modern's numpy.py and torch.py, which must agree within 1e-12; NumPy's
results are kept. Names in the file: CASE.in.NAME for an input, also of heads, kv_heads, base and window, and CASE.NAME.
"""

from pathlib import Path

import numpy as np
import torch

import lesson_code

FILE = Path("data/reference/modern.npz")
CASES = 12


def main():
    r, arrays = np.random.RandomState(46), {}
    ours, theirs = (lesson_code.function("modern", library) for library in ("numpy", "torch"))
    for case in range(CASES):
        kv = r.randint(1, 4)
        heads, w, n = kv * r.randint(1, 4), 2 * r.randint(1, 4), r.randint(1, 8)
        d, d_ff = heads * w, r.randint(1, 12)
        inputs = dict(X=r.randn(n, d), W_Q=r.randn(d, d), W_K=r.randn(d, kv * w), W_V=r.randn(d, kv * w),
                      W_O=r.randn(d, d), W_1=r.randn(d, d_ff), W_3=r.randn(d, d_ff), W_2=r.randn(d_ff, d),
                      gain_1=1 + r.randn(d) / 4, gain_2=1 + r.randn(d) / 4)
        sizes = dict(heads=heads, kv_heads=kv, base=[10000.0, 500000.0][case % 2], window=[0, 0, 1, 3][case % 4])
        results = ours(**inputs, **sizes)
        again = theirs(**{name: torch.from_numpy(value) for name, value in inputs.items()}, **sizes)
        for name, value in results.items():
            assert np.abs(value - again[name].numpy()).max() <= 1e-12 * max(1, np.abs(value).max()), (case, name)
            arrays[f"{case}.{name}"] = value
        arrays.update({f"{case}.in.{name}": np.asarray(value, dtype=np.float64) for name, value in (inputs | sizes).items()})
    np.savez_compressed(FILE, **arrays)
    print(f"{FILE}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
