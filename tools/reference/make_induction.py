"""Makes data/reference/induction.npz: the lesson induction on its usual text, and what mistakes in it give; and
data/reference/lessons/induction-1.npz, with which the page of its usual run is compared.

Run from the root of the repository:  python3 tools/reference/make_induction.py
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

The models are data/circuits. lessons/induction computes them in NumPy and in PyTorch, which must agree within 1e-12.
Names in the file: NAME of the lesson's tensors, MISTAKE.NAME of wrong ones; held.ROWS are sequences that repeat, drawn
here, and held.MODEL how many of the repeated tokens are right in each.
"""

from pathlib import Path

import numpy as np
import torch

import lesson_code
from make_lens import read_safetensors

FILE = Path("data/reference/induction.npz")
RUN = Path("data/reference/lessons/induction-1.npz")
MODELS = {name: Path(f"data/circuits/{name}.safetensors")
          for name in ("induction", "fixed-period", "one-layer", "two-heads")}
TEXT = "the cat sees my old dog the cat sees"
VOCABULARY, LONGEST = 26, 12


def ids_of(text):
    words = text.split()
    order = list(dict.fromkeys(words))
    return np.array([order.index(word) for word in words])


def run(w, tgt, heads):
    """By NumPy, PyTorch agreeing."""
    made = lesson_code.function("induction", "numpy")(w, tgt, heads)
    again = lesson_code.function("induction", "torch")({name: torch.from_numpy(x) for name, x in w.items()},
                                                       torch.from_numpy(tgt), heads)
    assert made.keys() == again.keys()
    for name, value in made.items():
        assert np.abs(value - again[name].numpy()).max() <= 1e-12 * max(1, np.abs(value).max()), name
    return made


def wrong_runs(w, tgt):
    code = lesson_code.load("induction", "numpy")
    norm, score = code.norm, code.induction_score

    def once(function):  # the second layer reads what the first read
        read = []

        def normed(x, gain, shift):
            read.append(function(x, gain, shift))
            return read[0] if len(read) == 2 else read[-1]
        return normed

    def itself(weights, ids):
        found = [weights[:, q, np.flatnonzero(ids[:q] == token)[-1]]
                 for q, token in enumerate(ids) if token in ids[:q]]
        return np.mean(found, axis=0)

    def with_changed(weights=w, **functions):
        for name, function in functions.items():
            setattr(code, name, function)
        made = code.induction(weights, tgt, 1)
        code.norm, code.induction_score = norm, score
        return made

    return {
        "induction.fixed_period": with_changed(read_safetensors(MODELS["fixed-period"])[0]),
        "induction.side_by_side": with_changed(norm=once(norm)),
        "induction.no_places": with_changed(dict(w, **{"tgt_embed.1.weight": 0 * w["tgt_embed.1.weight"]})),
        "induction.token_itself": with_changed(induction_score=itself),
    }


def held_rows():
    """Four sequences of each period from half of the longest on."""
    draws, rows = np.random.RandomState(47), []
    for period in range(LONGEST // 2, LONGEST + 1):
        for _ in range(4):
            rows.append(np.resize(draws.permutation(VOCABULARY)[:period], 2 * LONGEST))
    return np.stack(rows)


def right_in(w, row, heads):
    period = LONGEST // 2
    while row[period] != row[0]:
        period += 1
    said = run(w, row[:-1], heads)["log_probs"].argmax(axis=-1)
    return int((said == row[1:])[period:].sum())


def main():
    models = {name: read_safetensors(path) for name, path in MODELS.items()}
    w, tgt = models["induction"][0], ids_of(TEXT)
    made = run(w, tgt, 1)
    arrays = dict(made)
    for mistake, tensors in wrong_runs(w, tgt).items():
        changed = {name for name in tensors if not np.array_equal(tensors[name], made[name])}
        assert changed, mistake
        arrays |= {f"{mistake}.{name}": tensors[name] for name in sorted(changed)}
    rows = held_rows()
    arrays["held.rows"] = rows
    for name, (weights, metadata) in models.items():
        arrays[f"held.{name}"] = np.array([right_in(weights, row, int(metadata["heads"])) for row in rows])
    np.savez_compressed(FILE, **arrays)
    np.savez_compressed(RUN, **{f"induction.{name}": value for name, value in made.items()})
    for path in (FILE, RUN):
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
