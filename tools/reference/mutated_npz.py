"""Makes data/reference/mutated_npz.npz: 12,000 damaged or odd npz files and what NumPy says of each.

Run from the root of the repository:  python3 tools/reference/mutated_npz.py
Needs NumPy only (the committed file was made by NumPy 1.24 and Python 3.11 on x86-64 Linux: what is an archive, NumPy
leaves to Python's zipfile). The same bytes every time: the mutations come from one seed.

A mutation is a few edits of a base; mutations.py says what is kept of it. Besides that:
    bases      the bytes of the bases, one after the other
    lengths    of each base
What is something else than arrays of numbers: an npy file, entries that are no arrays, text, dates.
"""

import io
import random
import struct
import zipfile
from pathlib import Path

import mutations
import numpy as np

TARGET = Path("data/reference/mutated_npz.npz")
COUNT = 12_000
X = np.arange(6.0).reshape(2, 3) / 4
Y = np.array([7, -8], np.int16)
Z = np.array(3, np.float32)
LOCAL, ENTRY, END, RECORD, LOCATOR = b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\7"
# Fields of the headers: (offset, bytes).
FIELDS = {
    LOCAL: [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
    ENTRY: [(4, 2), (6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (34, 2), (42, 4)],
    END: [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
    RECORD: [(4, 8), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8), (48, 8)],
    LOCATOR: [(4, 4), (8, 8), (16, 4)],
}


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def saved(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


class Stream(io.RawIOBase):
    """A file that cannot seek: zipfile writes sizes and checksum behind the entry."""

    def __init__(self):
        self.data = b""

    def writable(self):
        return True

    def write(self, data):
        self.data += bytes(data)
        return len(data)


def archive(entries, file=None, comment=b"", extra=b"", about=b"", method=zipfile.ZIP_STORED, wide=False):
    file = file or io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type, info.extra, info.comment = method, extra, about
            with zipped.open(info, "w", force_zip64=wide) as entry:
                entry.write(content)
        zipped.comment = comment
    return file.data if isinstance(file, Stream) else file.getvalue()


def with_zip64(data):
    """The same archive with the record and the locator of zip64 before its end record."""
    end = data.rindex(END)
    count, size, position = struct.unpack("<10xHLL2x", data[end:])
    record = struct.pack("<4sQHHLLQQQQ", RECORD, 44, 45, 45, 0, 0, count, count, size, position)
    locator = struct.pack("<4sLQL", LOCATOR, 0, end, 1)
    return data[:end] + record + locator + END + struct.pack("<HHHHLLH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)


def with_wide_entry(data):
    """The same archive of one entry, whose sizes and position stand in an extra field."""
    at, end = data.rindex(ENTRY), data.rindex(END)
    packed, size, length = struct.unpack("<LLH", data[at + 20:at + 30])
    entry = bytearray(data[at:at + 46 + length])
    entry[20:28] = b"\xff" * 8
    entry[42:46] = b"\xff" * 4
    entry[30:32] = struct.pack("<H", 28)
    entry += struct.pack("<HHQQQ", 1, 24, size, packed, 0)
    return data[:at] + bytes(entry) + data[end:end + 12] + struct.pack("<L", len(entry)) + data[end + 16:]


def shifted(data, prefix):
    """The archive behind a prefix that its positions know of."""
    data, by = bytearray(data), len(prefix)
    at = -1
    while (at := data.find(ENTRY, at + 1)) >= 0:
        data[at + 42:at + 46] = struct.pack("<L", struct.unpack("<L", data[at + 42:at + 46])[0] + by)
    end = data.rindex(END)
    data[end + 16:end + 20] = struct.pack("<L", struct.unpack("<L", data[end + 16:end + 20])[0] + by)
    return prefix + bytes(data)


def make_bases():
    one, other = saved(x=X), saved(x=X + 1)
    two = [("x.npy", npy(X)), ("y.npy", npy(Y))]
    deflated = archive(two, method=zipfile.ZIP_DEFLATED)
    inside = saved(x=X + 2)
    hidden = npy(np.frombuffer(inside, np.uint8))
    return [
        one, saved(np.savez_compressed, x=X), saved(x=X, y=Y, z=Z), deflated, saved(), saved(**{"词": Y, "x": Z}),
        archive(two, file=Stream()), archive(two, file=Stream(), method=zipfile.ZIP_DEFLATED),  # data descriptors
        archive(two, wide=True), with_zip64(archive(two)), with_wide_entry(archive(two[1:])), with_zip64(deflated),
        archive(two, comment=b"made by hand"), archive(two, comment=inside), archive(two, comment=END + bytes(18)),
        archive(two, extra=struct.pack("<HH4s", 0x7075, 4, b"more"), about=b"of y"),
        one + other, other + one, one + deflated, deflated + one, one + other + saved(y=Y), saved() + one, one + saved(),
        with_zip64(one) + other, one + with_zip64(other),  # joined
        shifted(one, LOCAL + b"a prefix"), LOCAL + b"a prefix" + one, shifted(other, one), b"#!/bin/sh\n" + one,
        archive([("x.npy", hidden)]), archive([("x.npy", hidden), ("y.npy", npy(Y))], method=zipfile.ZIP_DEFLATED),
        one.replace(b"x.npy", b"y.npy", 1),  # another name at its place
        archive([("x.npy", npy(X)), ("x", npy(Y))]), archive([("x.npy", npy(X)), ("text", b"no array")]),
    ]


def headers_in(data):
    """(position, mark) of everything that looks like a header."""
    found = []
    for mark in FIELDS:
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            found.append((at, mark))
    return found


def edits_of(rng, data, bases):
    """One to three edits; each is (position, how many bytes go, which come)."""
    headers, edits = headers_in(data), []
    way = rng.random()
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        one = rng.random()
        if way < 0.55 and headers:  # a field of a header
            at, mark = rng.choice(headers)
            offset, size = rng.choice(FIELDS[mark])
            now = int.from_bytes(data[at + offset:at + offset + size], "little")
            near = rng.choice([1, -1, 2, 4, 8, 20, 22, 56, 76, -22, len(data), len(data) // 2])
            value = rng.choice([0, 1, 8, 0x800, now + near, now + near, now ^ 1 << rng.randrange(8 * size), 2 ** (8 * size) - 1,
                                rng.choice(headers)[0], rng.randrange(256), 63, 64])
            edits.append((at + offset, size, (value % 2 ** (8 * size)).to_bytes(size, "little")))
        elif way < 0.62 and headers:  # a mark
            at, _ = rng.choice(headers)
            edits.append((at, 4, rng.choice(list(FIELDS)) if one < 0.7 else bytes(4)))
        elif way < 0.72:  # any byte
            at = rng.randrange(len(data))
            edits.append((at, int(one < 0.8), bytes([data[at] ^ 1 << rng.randrange(8)]) if one < 0.9 else b""))
        elif way < 0.77:  # a name
            at = data.find(rng.choice([b"x.npy", b"y.npy"]), rng.randrange(len(data)))
            if at >= 0:
                edits.append((at, 5, rng.choice([b"z.npy", b"x.npy", b"y.npy", b"x.np\0", b"\xe9.npy", b"a/npy", b"x.txt", b".np.y"])))
        elif way < 0.87:  # before, behind, between
            fresh = rng.choice([b"\0", b"\0" * 22, b"\n", b"PK", LOCAL, END, END + bytes(18), LOCATOR + bytes(16), RECORD + bytes(52),
                                rng.randbytes(rng.randrange(1, 9))])
            edits.append((rng.choice([0, len(data), len(data)] + [at for at, _ in headers]), 0, fresh))
        elif way < 0.93:  # another archive before, behind, between
            at = rng.choice([0, len(data), len(data), rng.choice(headers)[0] if headers else 0])
            edits.append((at, 0, rng.choice(bases[:12])))
            break
        else:  # a part is missing
            at = rng.randrange(len(data))
            edits.append((at, len(data) - at if one < 0.5 else min(len(data) - at, rng.randrange(1, 60)), b""))
    return mutations.from_the_back(edits)


def load(data):
    file = np.load(io.BytesIO(data))
    return [(name, file[name]) for name in file.files] if isinstance(file, np.lib.npyio.NpzFile) else None


def main():
    rng = random.Random(20240712)
    bases = make_bases()

    def mutation(i):
        if i < len(bases):
            return i, []  # each as it is, first
        base = rng.randrange(len(bases))
        return base, edits_of(rng, bases[base], bases)

    mutations.write(TARGET, COUNT, bases, mutation, load, bases=np.frombuffer(b"".join(bases), np.uint8),
                    lengths=np.array([len(one) for one in bases], np.uint16))


if __name__ == "__main__":
    main()
