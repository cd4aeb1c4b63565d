"""What mutated_npy.py and mutated_npz.py share: edits of bytes, NumPy's verdict on what they make, and both in one file.

An edit is (position, how many bytes go, which come); those of a mutation are made one after the other. A file of
mutations keeps the edits and the verdicts, not the mutated bytes:
    base       of each mutation: which of the bases
    edits      of each mutation: how many
    position removed inserted      of each edit: where, how many bytes go, how many come
    bytes      those that come, of all edits
    verdict    0 refused, 1 numbers, 2 something else
    digest     of numbers: CRC32 of each array's name where it has one, its shape as text, "(2, 3)", and its cells as
               float64 in C order
"""

import resource
import warnings
import zlib

import numpy as np


def from_the_back(edits):
    """From the back to the front, so that an edit does not move the others; of overlapping ones the last."""
    edits.sort(key=lambda edit: -edit[0])
    return [edit for i, edit in enumerate(edits) if i == 0 or edit[0] + edit[1] <= edits[i - 1][0]]


def applied(data, edits):
    for at, removed, fresh in edits:
        data = data[:at] + fresh + data[at + removed:]
    return data


def verdict_of(data, load):
    """(verdict, digest) of the bytes; `load` gives the (name, array) in them, or None where they are no such file."""
    try:
        arrays = load(data)
    except Exception:  # whatever it is: NumPy gives no array
        return 0, 0
    if arrays is None:
        return 2, 0
    digest = 0
    for name, array in arrays:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            return 2, 0
        digest = zlib.crc32(str(array.shape).encode(), zlib.crc32(name.encode(errors="surrogatepass"), digest))
        if array.size > 0:  # a shape without cells may be too large to be turned into another type
            values = array.astype("<f8")
            values[np.isnan(values)] = np.nan
            digest = zlib.crc32(values.tobytes("C"), digest)
    return 1, digest


def write(target, count, bases, mutation, load, /, unlike=(), **about_bases):
    """`count` mutations, all different and `unlike` those: mutation(i) is the base of the i-th, and its edits."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # a shape beyond memory is refused, not tried
    rows, edit_rows, fresh_bytes, seen = [], [], b"", set(unlike)
    while len(rows) < count:
        base, edits = mutation(len(rows))
        data = applied(bases[base], edits)
        if data in seen:
            continue
        seen.add(data)
        rows.append((base, len(edits), *verdict_of(data, load)))
        for at, removed, fresh in edits:
            edit_rows.append((at, removed, len(fresh)))
            fresh_bytes += fresh
    base, edits, verdict, digest = np.array(rows, dtype=np.int64).T
    position, removed, inserted = np.array(edit_rows, dtype=np.int64).T
    np.savez_compressed(target, **about_bases, base=base.astype(np.uint8), edits=edits.astype(np.uint8),
                        position=position.astype(np.uint16), removed=removed.astype(np.uint16),
                        inserted=inserted.astype(np.min_scalar_type(inserted.max())), bytes=np.frombuffer(fresh_bytes, np.uint8),
                        verdict=verdict.astype(np.uint8), digest=digest.astype(np.uint32))
    print({name: int((verdict == i).sum()) for i, name in enumerate(["refused", "numbers", "other"])})
