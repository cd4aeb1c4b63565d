"""Makes data/reference/mutated_npy.npz: 10,000 damaged npy files and what NumPy says of each.

Run from the root of the repository:  python3 tools/reference/mutated_npy.py
Needs NumPy only (the committed file was made by NumPy 1.24 on x86-64 Linux). The same bytes every time: the mutations
come from one seed.

A mutation is a few edits of one of the files of data/reference/io; mutations.py says what is kept of it. Besides that:
    bases      the names of those files as text, one a line
An array of something else than numbers is one of complex numbers, text, dates or records.
"""

import io
import random
from pathlib import Path

import mutations
import numpy as np

FOLDER = Path("data/reference/io")
TARGET = Path("data/reference/mutated_npy.npz")
COUNT = 10_000
BASES = ["f8_2x3", "f8_scalar", "f8_5", "f8_0x3", "f4_fortran_2x3", "f2_be_2x3", "i8_fortran_3x2x4", "i4_be_fortran_2x3",
         "u1_3x2x4", "b1_2x3", "v2_f8_2x3", "v3_i8_fortran_3x2x4", "f8_2x1x2x2x1x2x1x3"]

# What replaces a part of the header of its kind.
PARTS = {
    "descr": [b"'<f8'", b"'>f8'", b"'=f8'", b"'|f8'", b"'f8'", b"'<f4'", b"'>f4'", b"'<f2'", b"'<i8'", b"'>i8'", b"'<u8'",
              b"'<i4'", b"'>i4'", b"'<u4'", b"'<i2'", b"'>u2'", b"'|i1'", b"'<i1'", b"'i1'", b"'|u1'", b"'|b1'", b"'?'",
              b"'<c8'", b"'<c16'", b"'|O'", b"'<U2'", b"'|S8'", b"'|V8'", b"'<M8[s]'", b"'<m8'", b"'<f16'", b"'<g'", b"'d'",
              b"'float64'", b"'int'", b"'>d'", b"float", b"[('a', '<f8')]", b"('<f4', (2,))", b"'<f8, <f8'", b"''", b"None",
              b"\"<f8\"", b"'''<f8'''", b"u'<f8'", b"b'<f8'", b"'<f' '8'"],
    "order": [b"True", b"False", b"true", b"0", b"1", b"None", b"'True'", b"not True", b"True "],
    "shape": [b"(6,)", b"(3, 2)", b"(2, 3)", b"(1, 6)", b"(6, 1)", b"(2, 3, 1)", b"()", b"(6)", b"6", b"[2, 3]", b"(0,)",
              b"(0, 5)", b"(5, 0)", b"(24,)", b"(4, 6)", b"(2, -3)", b"(-6,)", b"(-1,)", b"(2L, 3L)", b"(2.0, 3)", b"(True, 6)",
              b"(2, 3,)", b"( 2 , 3 )", b"(02, 3)", b"(0x2, 3)", b"(0b10, 3)", b"(1_0,)", b"(+2, 3)", b"(2 3)", b"(2,, 3)",
              b"((2, 3))", b"((2,), 3)", b"(12,)", b"(48,)", b"(5,)", b"(7,)", b"(1,)", b"(1, 1)", b"(1000000000000,)",
              b"(4294967296, 4294967296)", b"(9223372036854775808,)", b"(0, 9223372036854775807)", b"None", b"(2, None)",
              b"(1, 1, 1, 1, 1, 1, 1, 2, 3)", b"(2, 3, 1, 1, 1, 1, 1, 1, 1)", b"(2, '3')"],
    "key": [b"'descr'", b"'fortran_order'", b"'shape'", b"\"descr\"", b"'Descr'", b"'x'", b"descr", b"'shape '"],
    "mark": [b"", b",", b":", b"{", b"}", b"(", b")", b"'", b" ", b"  ", b"\n", b"\t", b"\0", b"#", b"\\", b";", b", 'x': 1",
             b", 'shape': (6,)", b",,", b"{}", b"\r", b"\xff", b"\xc3\xa9", b"\x0c"],
}


def parts_of(header, begin):
    """Where the parts of an unharmed header stand: (kind, position, length)."""
    found = []
    for key, kind in ((b"'descr'", "descr"), (b"'fortran_order'", "order"), (b"'shape'", "shape")):
        at = header.index(key)
        found.append(("key", at, len(key)))
        value = at + len(key) + 2
        end = header.index(b")", value) + 1 if kind == "shape" else header.index(b",", value)
        found.append((kind, value, end - value))
    found += [("mark", at, 1) for at in range(begin, len(header)) if header[at:at + 1] in b"{}:,() '\n"]
    return found


def edits_of(rng, data):
    """One to three edits; each is (position, how many bytes go, which come)."""
    begin = 10 if data[6] == 1 else 12
    end = data.index(b"\n") + 1
    parts, way, edits = parts_of(data[:end], begin), rng.random(), []
    for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3])):
        one = rng.random()
        if way < 0.55:  # a part of the header becomes another of its kind, or of any
            kind, at, length = rng.choice([part for part in parts if part[0] == "mark"] if one < 0.25 else
                                          [part for part in parts if part[0] != "mark"])
            choices = PARTS[kind if rng.random() < 0.95 else rng.choice(sorted(PARTS))]
            edits.append((at, length, rng.choice(choices)))
        elif way < 0.8:  # any byte of the header
            at = rng.randrange(begin, end)
            fresh = bytes([data[at] ^ 1 << rng.randrange(8) if one < 0.4 else rng.randrange(256)])
            edits.append((at, int(one < 0.8), fresh if one < 0.9 else b""))
        elif way < 0.9:  # the magic bytes, the version, the length of the header
            at = rng.randrange(begin)
            edits.append((at, 1, bytes([rng.choice([0, 1, 2, 3, 4, 255, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)])])))
        elif way < 0.95:  # the values
            at = rng.randrange(end, len(data) + 1)
            edits.append((at, rng.randrange(2), rng.randbytes(rng.randrange(3))))
        else:  # the end
            at = rng.randrange(len(data))
            edits.append((at, len(data) - at, b""))
    return mutations.from_the_back(edits)


def keep_length(data, edits):
    """The edit of the preamble that makes the header's length right again; NumPy pads, so any length will do."""
    begin = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:begin], "little") + sum(len(fresh) - removed for _, removed, fresh in edits)
    return (8, begin - 8, length.to_bytes(begin - 8, "little"))


def load(data):
    return [("", np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))]


def main():
    rng = random.Random(20240607)
    bases = [(FOLDER / f"{name}.npy").read_bytes() for name in BASES]

    def mutation(_):
        base = rng.randrange(len(bases))
        edits = edits_of(rng, bases[base])
        begin, end = 10 if bases[base][6] == 1 else 12, bases[base].index(b"\n") + 1
        if all(begin <= at and at + removed <= end for at, removed, _ in edits) and rng.random() < 0.9:
            edits.append(keep_length(bases[base], edits))
        return base, edits

    mutations.write(TARGET, COUNT, bases, mutation, load, unlike=bases, bases=np.frombuffer("\n".join(BASES).encode(), np.uint8))


if __name__ == "__main__":
    main()
