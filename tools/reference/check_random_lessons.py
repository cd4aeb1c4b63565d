"""Runs the built tfx on random inputs and compares every tensor with the lesson's numpy.py.

    python3 tools/reference/check_random_lessons.py BINARY [--cases 200] [--seed 0]

Each case draws a lesson, shapes, values, weights, biases and a mask (and often --grad), hands them to tfx as files, and reads
back --save and --json. Every tensor of the lesson must be there in C order and double, with the right shape,
within 1e-12 of NumPy (|a − b| / max(1, |b|)); the JSON must hold the same bits. Exit status 1 on any failure;
the command of a failed case is printed and its files stay.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import lesson_code
import tutorial_runs
from lesson_code import LESSONS

TOLERANCE = 1e-12
# Not train: where a gradient is 0 but for rounding, Adam makes of that rounding a number. Not params, which reads sizes.
LESSONS = [lesson for lesson in LESSONS if lesson not in ("train", "params")]
RUN = {lesson: lesson_code.function(lesson, "numpy") for lesson in LESSONS}
PROJECTING = {"qkv", "multihead"}             # here --q --k --v are X_Q X_K X_V; elsewhere Q K V themselves
MASKABLE = {"sdpa", "masked", "multihead"}


class Case:
    """One random command line, and the tensors it must give."""

    def __init__(self, r, lesson, folder):
        self.r, self.lesson, self.folder = r, lesson, folder
        self.arguments = [lesson, "step"] if lesson in {"decode", "cache", "bpe"} else [lesson]
        self.integers = r.rand() < 0.3        # small whole numbers: equal scores, vectors of length 0
        self.known = {}                       # inputs and steps on the way, compared where tfx saves them too
        self.expected = self.make()           # what the lesson itself computes: must be there
        self.known.update(self.expected)

    def draw(self, *shape, scale=1.0):
        """Values of N(0, scale²), of which some cases keep only float32 digits; or −1, 0, 1."""
        if self.integers:
            return self.r.randint(-1, 2, size=shape).astype(np.float64)
        values = self.r.randn(*shape) * scale
        return values.astype(np.float32).astype(np.float64) if self.r.rand() < 0.3 else values

    def give(self, option, value):
        """Write an array in one of the forms that hold it exactly, and add `--option FILE`."""
        r, path = self.r, self.folder / f"{option}.npy"
        if value.ndim == 2 and r.rand() < 0.2:
            path = path.with_suffix(".csv")
            path.write_text("".join(",".join(map(repr, row)) + "\n" for row in value.astype(float).tolist()))
        elif r.rand() < 0.2:
            np.save(path, np.asfortranarray(value))
        elif value.dtype == np.float64 and np.array_equal(value, value.astype(np.float32)):
            np.save(path, value.astype(np.float32))
        else:
            np.save(path, value)
        self.arguments += [f"--{option}", str(path)]

    def make(self):
        r, lesson = self.r, self.lesson
        batch = [(), (), (1,), (2,), (3,)][r.randint(5)]
        heads = r.randint(1, 5) if lesson == "multihead" else 1
        d_model = heads * r.randint(1, 9)
        n_q, n_k = r.randint(1, 11, size=2)
        if lesson == "decode":
            return self.decode()
        if lesson == "bpe":
            return self.bpe()
        if lesson == "cache":
            return self.cache(batch, n_q, d_model)
        if lesson != "loss" and r.rand() < 0.5:  # fails unless they equal their central differences
            self.arguments += ["--grad"]
        if lesson in {"cross", "embed", "block", "loss"}:
            return getattr(self, lesson)(batch, n_q, n_k)
        if lesson == "words":
            self.known["X"] = self.draw(*batch, n_q, d_model)
            self.give("x", self.known["X"])
            return RUN["words"](self.known["X"])

        if r.rand() < 0.5:                    # self-attention
            n_k = n_q
            X = self.draw(*batch, n_q, d_model)
            self.give("x", X)
            self.known["X"] = X
            inputs = dict(X_Q=X, X_K=X, X_V=X)
        elif lesson in PROJECTING:            # queries from one sequence, keys and values from another
            inputs = {f"X_{name}": self.draw(*batch, n, d_model) for name, n in zip("QKV", [n_q, n_k, n_k])}
            for name in "QKV":
                self.give(name.lower(), inputs[f"X_{name}"])
            self.known.update(inputs)
        else:                                 # Q, K and V as they are
            inputs = None
            d_k, d_v = r.randint(1, 17, size=2)
            shapes = dict(Q=(n_q, d_k), K=(n_k, d_k), V=(n_k, d_v))
            for name, shape in shapes.items():
                self.known[name] = self.draw(*batch, *shape)
                self.give(name.lower(), self.known[name])
        if inputs is not None:
            weights = self.weights(d_model)
            used = {name: value for name, value in weights.items() if not name.endswith("O")}
            self.known.update(RUN["qkv"](**inputs, **used))
        if lesson == "qkv":
            return {name: self.known[name] for name in "QKV"}

        mask = self.mask(n_q, n_k) if lesson in MASKABLE else None
        if lesson == "multihead":
            self.arguments += ["--heads", str(heads)]
            return RUN["multihead"](**inputs, **weights, heads=heads, mask=mask)
        return self.single_head(mask)

    def cross(self, batch, n_q, n_k):
        """Two sequences of their own widths."""
        d, d_memory, d_k, d_v = self.r.randint(1, 9, size=4)
        X, memory = self.draw(*batch, n_q, d), self.draw(*batch, n_k, d_memory)
        self.give("x", X), self.give("memory", memory)
        weights = dict(W_Q=self.draw(d, d_k), W_K=self.draw(d_memory, d_k), W_V=self.draw(d_memory, d_v))
        if self.r.rand() < 0.5:
            weights.update(b_Q=self.draw(d_k), b_K=self.draw(d_k), b_V=self.draw(d_v))
        self.save_weights(weights)
        self.known.update(X=X, memory=memory)
        return RUN["cross"](X, memory, **weights, mask=self.mask(n_q, n_k))

    def embed(self, batch, n_q, n_k):
        """Words of one letter, a table that may have rows to spare, and perhaps learned positions."""
        words = self.r.randint(1, 8, size=n_q)
        ids = {}
        token_ids = np.array([ids.setdefault(word, len(ids)) for word in words], dtype=np.float64)
        d_model = self.r.randint(1, 9)
        tables = dict(token_embedding=self.draw(len(ids) + self.r.randint(80), d_model))
        if self.r.rand() < 0.5:
            tables["position_embedding"] = self.draw(n_q + self.r.randint(3), d_model)
        self.save_weights(tables)
        self.arguments += ["--text", " ".join("abcdefgh"[word] for word in words)]
        self.known["token_ids"] = token_ids
        return RUN["embed"](token_ids, **tables)

    def block(self, batch, n, _):
        """A layer whose heads, values and feed-forward have widths of their own."""
        r = self.r
        heads, d_model, d_ff = r.randint(1, 4), r.randint(2, 9), r.randint(1, 12)
        d_k, d_v = heads * r.randint(1, 4, size=2)
        X = self.draw(*batch, n, d_model) + self.r.randn(d_model)  # no token of equal numbers
        self.give("x", X)
        shapes = dict(W_Q=(d_model, d_k), W_K=(d_model, d_k), W_V=(d_model, d_v), W_O=(d_v, d_model),
                      W_1=(d_model, d_ff), b_1=(d_ff,), W_2=(d_ff, d_model), b_2=(d_model,))
        shapes.update({f"{name}_{i}": (d_model,) for name in ["gain", "shift"] for i in "12"})
        if r.rand() < 0.5:
            shapes.update(b_Q=(d_k,), b_K=(d_k,), b_V=(d_v,), b_O=(d_model,))
        weights = {name: self.draw(*shape) for name, shape in shapes.items()}
        self.save_weights(weights)
        norm, first = r.choice(["annotated", "standard"]), bool(r.rand() < 0.5)
        self.arguments += ["--heads", str(heads), "--norm", norm, "--norm-first" if first else "--norm-last"]
        activation = r.choice(["relu", "gelu", "gelu_tanh", "silu"])
        self.arguments += ["--activation", activation]
        eps = None
        if r.rand() < 0.5:
            eps = r.choice([1e-12, 1e-6, 1e-5, 0.1])
            self.arguments += ["--norm-eps", repr(float(eps))]
        dropout, keep = 0, None
        if r.rand() < 0.5:
            dropout, seed = r.choice([0.1, 0.5]), r.randint(1000)
            self.arguments += ["--dropout", str(dropout), "--seed", str(seed)]
            keep = np.random.RandomState(seed).rand(*batch, heads, n, n) >= dropout
            self.known["keep"] = keep
        self.known["X"] = X
        return RUN["block"](X, heads, self.mask(n, n), norm, first, keep, dropout, activation, eps,
                            **weights)

    def loss(self, batch, n, _):
        """Tokens, one attention of any width, a vocabulary, and labels of which at least one counts."""
        r = self.r
        d_model, d_k, d_v = r.randint(1, 7, size=3)
        vocabulary = r.randint(3, 12)
        X = self.draw(*batch, n, d_model)
        self.give("x", X)
        shapes = dict(W_Q=(d_model, d_k), W_K=(d_model, d_k), W_V=(d_model, d_v), W_O=(d_v, vocabulary))
        if r.rand() < 0.5:
            shapes.update(b_Q=(d_k,), b_K=(d_k,), b_V=(d_v,), b_O=(vocabulary,))
        weights = {name: self.draw(*shape) for name, shape in shapes.items()}
        self.save_weights(weights)
        labels, pad_id = r.randint(vocabulary, size=X.shape[:-1]), r.randint(vocabulary)
        labels.flat[0] = (pad_id + 1) % vocabulary
        rows = ";".join(",".join(map(str, row)) for row in labels.reshape(-1, n))
        smoothing = r.choice([0, 0.1, 0.5])
        self.arguments += ["--labels", rows, "--pad-id", str(pad_id), "--smoothing", str(smoothing)]
        self.known.update(X=X, labels=labels)
        return RUN["loss"](labels, smoothing=smoothing, pad_id=pad_id, X=X, mask=self.mask(n, n), **weights)

    def decode(self):
        """A row of logits, and every way to cut it; the beam's targets are the lesson's own."""
        r, run = self.r, tutorial_runs.numbers_zh_1()
        logits, seed = 2 * self.draw(1, r.randint(1, 30)), r.randint(1000)
        temperature, top_k, top_p = r.uniform(0.2, 3), r.randint(1, 12), r.uniform(0.1, 1)
        self.give("logits", logits)
        self.arguments += ["--temperature", repr(temperature), "--top-k", str(top_k), "--top-p", repr(top_p),
                           "--seed", str(seed)]
        given = dict(run, logits=logits, u=np.random.RandomState(seed).rand(1, 1))
        self.known.update(given)
        return RUN["decode"](**given, temperature=temperature, top_k=top_k, top_p=top_p)

    def bpe(self):
        r = self.r
        words = ["".join(r.choice(list("abc"), size=r.randint(2, 8))) for _ in range(r.randint(1, 6))]
        words = words[:1] + [words[i] for i in r.randint(len(words), size=r.randint(2, 20))] + words[:1] * 2
        word, merges = "".join(r.choice(list("abcd"), size=r.randint(1, 12))), r.randint(1, 21)
        self.arguments += ["--text", " ".join(words), "--word", word, "--merges", str(merges)]
        return RUN["bpe"](**tutorial_runs.cut_text(words, word), max_merges=merges)

    def cache(self, batch, n, d_model):
        """A text of any length, the first of several; any widths."""
        X = self.draw(*batch, n, d_model)
        self.give("x", X)
        weights = {name: value for name, value in self.weights(d_model).items() if not name.endswith("O")}
        self.known["X"] = X[0] if batch else X
        return RUN["cache"](self.known["X"], **weights)

    def save_weights(self, tensors):
        path = self.folder / "weights.npz"
        np.savez(path, **tensors)
        self.arguments += ["--weights", str(path)]
        self.known.update(tensors)

    def weights(self, d_model):
        """W_* and perhaps b_*, in an npz that may hold a stranger too. A single head may be of any width."""
        r, lesson = self.r, self.lesson
        square = lesson == "multihead" or r.rand() < 0.5
        d_k, d_v = (d_model, d_model) if square else r.randint(1, 17, size=2)
        names = "QKVO" if lesson == "multihead" else "QKV"
        width = dict(Q=d_k, K=d_k, V=d_v, O=d_model)
        tensors = {f"W_{name}": self.draw(d_model, width[name], scale=d_model**-0.5) for name in names}
        if r.rand() < 0.5:
            tensors.update({f"b_{name}": self.draw(width[name]) for name in names})
        self.known.update(tensors)
        stranger = dict(stranger=self.draw(2, 2)) if r.rand() < 0.2 else {}
        path = self.folder / "weights.npz"
        np.savez(path, **tensors, **stranger)
        self.arguments += ["--weights", str(path)]
        return tensors

    def mask(self, n_q, n_k):
        """Causal, padding, both, or a file that may block a whole row; or none where that is allowed."""
        masks = lesson_code.load("masked", "numpy")
        kinds = ["causal", "file", "file"] + (["pad", "causal pad"] if n_k > 1 else [])
        if self.lesson == "cross":  # two sequences: none is before the other
            kinds = [kind for kind in kinds if "causal" not in kind]
        kind = self.r.choice(kinds + ([] if self.lesson in {"masked", "loss"} else ["none", "none"]))
        if kind == "none":
            return None
        if kind == "file":
            mask = self.r.rand(n_q, n_k) < self.r.choice([0.2, 0.5, 0.9])
            self.give("mask", mask if self.r.rand() < 0.5 else mask.astype(np.float64))
            return mask
        mask = np.ones((n_q, n_k), dtype=bool)
        if "causal" in kind:
            self.arguments += ["--causal"]
            mask = mask & masks.causal_mask(n_q, n_k)
        if "pad" in kind:
            pad = self.r.randint(1, n_k)
            self.arguments += ["--pad", str(pad)]
            mask = mask & masks.padding_mask(n_q, n_k, pad)
        return mask

    def single_head(self, mask):
        """The lesson on Q, K and V as one head, and the steps before it."""
        lesson, Q, K, V = self.lesson, *(self.known[name] for name in "QKV")
        if lesson == "lookup":
            return RUN["lookup"](Q, K, V)
        if lesson == "scores":
            return RUN["scores"](Q, K)
        if lesson in {"sdpa", "masked"}:
            return RUN[lesson](Q, K, V, mask)
        self.known.update(RUN["scores"](Q, K))
        steps = RUN["softmax"](self.known["scores"], Q.shape[-1])
        if lesson == "softmax":
            return steps
        self.known.update(steps)
        return RUN["attention"](steps["weights"], V)


def run(binary, case):
    """tfx on the case.  → the arrays it saved, and the JSON it printed"""
    saved = case.folder / "out.npz"
    command = [binary, *case.arguments, "--save", str(saved), "--json", "--no-time"]
    home = {name: str(case.folder) for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]}
    done = subprocess.run(command, capture_output=True, timeout=60, env={**os.environ, **home})
    message = done.stderr.decode(errors="replace").strip()
    assert done.returncode == 0, f"exit status {done.returncode}: {message}"
    with np.load(saved) as arrays:
        return {name: arrays[name] for name in arrays.files}, json.loads(done.stdout)


def worst_difference(a, b):
    """max |a − b| / max(1, |b|); NaN counts as infinitely far, the same infinity as equal."""
    with np.errstate(invalid="ignore"):
        difference = np.where(a == b, 0.0, np.abs(a - b) / np.maximum(1, np.abs(b)))
    return np.where(np.isnan(difference), np.inf, difference).max(initial=0.0)


def check_arrays(case, arrays):
    """→ (worst difference, its tensor)"""
    missing = case.expected.keys() - arrays.keys()
    assert not missing, f"not saved: {' '.join(sorted(missing))}"
    worst = (0.0, "")
    for name in arrays.keys() & case.known.keys():
        array, wanted = arrays[name], np.asarray(case.known[name], dtype=np.float64)
        assert array.dtype == np.float64, f"{name} is {array.dtype}"
        assert array.flags.c_contiguous, f"{name} is not in C order"
        assert array.shape == wanted.shape, f"{name} is {array.shape}, not {wanted.shape}"
        worst = max(worst, (worst_difference(array, wanted), name))
    assert worst[0] <= TOLERANCE, f"{worst[1]} differs by {worst[0]:.3g}"
    return worst


def numbers(data):
    """Nested lists with "NaN", "Infinity" and "-Infinity" → nested lists of floats."""
    return [numbers(item) for item in data] if isinstance(data, list) else float(data)


def check_json(document, arrays):
    assert document["schema_version"] == 1, "schema_version is not 1"
    tensors = {tensor["name"]: tensor for tensor in document["tensors"]}
    assert len(tensors) == len(document["tensors"]), "--json names a tensor twice"
    only_one = sorted(tensors.keys() ^ arrays.keys())
    assert not only_one, f"only in one of --json and --save: {' '.join(only_one)}"
    for name, tensor in tensors.items():
        data = np.array(numbers(tensor["data"]), dtype=np.float64)
        shape = arrays[name].shape
        assert shape == tuple(tensor["shape"]) == data.shape, f"--json: {name} is not {shape}"
        assert data.tobytes() == arrays[name].tobytes(), f"--json: {name} has other bits than --save"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="the built tfx")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    worst, failures = {lesson: (0.0, "") for lesson in LESSONS}, 0
    for number in range(options.cases):
        lesson = LESSONS[number % len(LESSONS)]
        r = np.random.RandomState([options.seed, number])  # a case is the same however many run before it
        folder = tempfile.mkdtemp(prefix="tfx-")
        case = Case(r, lesson, Path(folder))
        try:
            arrays, document = run(binary, case)
            worst[lesson] = max(worst[lesson], check_arrays(case, arrays))
            check_json(document, arrays)
            shutil.rmtree(folder)
        except Exception as error:  # whatever goes wrong is this case's failure; the others still run
            failures += 1
            print(f"case {number}: {type(error).__name__}: {error}\n  tfx {shlex.join(case.arguments)}")
    for lesson, (difference, name) in worst.items():
        print(f"{lesson:<10} worst {difference:.2g} {name}")
    print(f"{options.cases - failures} cases passed, {failures} failed")
    sys.exit(1 if failures or options.cases < 1 else 0)


if __name__ == "__main__":
    main()
