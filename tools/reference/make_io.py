"""Makes data/reference/io: npy and npz files as NumPy writes them, for the readers in src/io.

Run from the root of the repository:  python3 tools/reference/make_io.py
Needs NumPy only (the committed files were made by NumPy 1.24 on x86-64 Linux). The same bytes every time.

The values follow a rule, so that tests/io knows them without reading anything. Cell i, counted in C order, holds
    f2 f4 f8   (i - 3) / 4        exact in all three
    i4 i8      1000 * i - 2000
    u1         (7 * i) % 256
    b1         i % 3 == 0
A file's name tells its type, byte order, layout and shape: `f4_be_fortran_2x3.npy`; a scalar has shape `scalar`.
`v2_…` and `v3_…` carry that format version. numpy.npz and compressed.npz hold the same arrays.
"""

from pathlib import Path

import numpy as np

FOLDER = Path("data/reference/io")
SHAPES = [(), (1,), (5,), (0, 3), (2, 3), (3, 2, 4), (2, 1, 3, 2), (2, 3, 1, 2, 2), (1, 2, 1, 3, 1, 2),
          (2, 1, 2, 1, 2, 1, 3), (2, 1, 2, 2, 1, 2, 1, 3)]
TYPES = ["f2", "f4", "f8", "i4", "i8", "u1", "b1"]


def values(code, shape):
    i = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    rule = {"f": (i - 3) / 4, "i": 1000 * i - 2000, "u": (7 * i) % 256, "b": i % 3 == 0}[code[0]]
    return np.asarray(rule).astype(code).reshape(shape)


def shape_name(shape):
    return "x".join(map(str, shape)) or "scalar"


def save(name, array, version=(1, 0)):
    with open(FOLDER / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version, allow_pickle=False)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for shape in SHAPES:
        save(f"f8_{shape_name(shape)}.npy", values("f8", shape))
        if len(shape) > 1:
            save(f"f4_fortran_{shape_name(shape)}.npy", np.asfortranarray(values("f4", shape)))
    for code in TYPES:
        for shape in [(2, 3), (3, 2, 4)]:
            save(f"{code}_{shape_name(shape)}.npy", values(code, shape))
            save(f"{code}_fortran_{shape_name(shape)}.npy", np.asfortranarray(values(code, shape)))
        if np.dtype(code).itemsize > 1:
            big = np.dtype(code).newbyteorder(">")
            save(f"{code}_be_2x3.npy", values(code, (2, 3)).astype(big))
            save(f"{code}_be_fortran_2x3.npy", np.asfortranarray(values(code, (2, 3)).astype(big)))
    for version in (2, 3):
        save(f"v{version}_f8_2x3.npy", values("f8", (2, 3)), version=(version, 0))
        save(f"v{version}_i8_fortran_3x2x4.npy", np.asfortranarray(values("i8", (3, 2, 4))), version=(version, 0))

    arrays = {f"{code}_{shape_name(shape)}": values(code, shape) for code in TYPES for shape in [(), (2, 3), (3, 2, 4)]}
    arrays["f8_fortran_3x2x4"] = np.asfortranarray(values("f8", (3, 2, 4)))
    arrays["u1_100x50"] = values("u1", (100, 50))  # longer than the part that is read for the header
    arrays["f4_60x50"] = values("f4", (60, 50))
    arrays["f8_嵌入_2x3"] = values("f8", (2, 3))
    np.savez(FOLDER / "numpy.npz", **arrays)
    np.savez_compressed(FOLDER / "compressed.npz", **arrays)
    np.savez(FOLDER / "empty.npz")


if __name__ == "__main__":
    main()
