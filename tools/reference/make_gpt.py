"""Makes data/reference/gpt_mistakes.npz and data/reference/lessons/microgpt-1.npz: a decoder alone, right and wrong.

Run from the root of the repository:  python3 tools/reference/make_gpt.py
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

The lesson's numpy.py and torch.py must agree within 1e-12, and the loss of microgpt's first step with its blog; the
gradients are PyTorch's autograd. The weights of that step come from Python's own random, in microgpt's order. Each
mistake is written out here as a learner writes it. Names in the mistakes' file: RUN.in.TENSOR for what is given,
RUN.MISTAKE.TENSOR for what comes out.
"""

import csv
import random
from pathlib import Path

import numpy as np
import torch

import lesson_code

LESSON, MISTAKES_FILE = Path("data/reference/lessons/microgpt-1.npz"), Path("data/reference/gpt_mistakes.npz")
D, D_FF, HEADS, VOCAB, CONTEXT, EPSILON = 16, 64, 4, 27, 16, 1e-5
MISTAKES = ["no_mask", "sees_next", "no_scale", "scale_no_root", "no_root", "residual_normed", "no_residual",
            "no_positions", "positions_restarted", "weights_transposed", "no_activation", "not_shifted",
            "counts_unknown"]
LAYER = "decoder.layers.0"


def first_step():
    """microgpt before its first step: its document, and weights by Python's random after the shuffle."""
    table = lambda name: list(csv.reader(open(f"data/tutorials/microgpt-{name}.csv")))
    documents, (document, loss) = int(table("text")[1][1]), table("steps")[1]
    random.seed(42)
    random.shuffle(list(range(documents)))

    def matrix(out, into):
        return np.array([[random.gauss(0, 0.08) for _ in range(into)] for _ in range(out)])

    w = {"tgt_embed.0.lut.weight": matrix(VOCAB, D), "tgt_embed.1.weight": matrix(CONTEXT, D),
         "generator.proj.weight": matrix(VOCAB, D)}
    for part in range(4):
        w[f"{LAYER}.self_attn.linears.{part}.weight"] = matrix(D, D)
    w[f"{LAYER}.feed_forward.w_1.weight"] = matrix(D_FF, D)
    w[f"{LAYER}.feed_forward.w_2.weight"] = matrix(D, D_FF)
    ids = [VOCAB - 1] + [ord(letter) - ord("a") for letter in document] + [VOCAB - 1]
    return w, np.array(ids[:-1]), np.array(ids[1:]), float(loss)


def model(w, tgt, labels, wrong=None):
    """A decoder with one mistake in it."""
    n = len(tgt)

    def norm(x):
        square = (x * x).mean(axis=-1, keepdims=True) + EPSILON
        return x / (square if wrong == "no_root" else np.sqrt(square))

    def linear(name, x):
        W = w[name + ".weight"]
        return x @ (W if wrong == "weights_transposed" and W.shape[0] == W.shape[1] else W.T)

    def attention(x):
        split = lambda part: linear(f"{LAYER}.self_attn.linears.{part}", x).reshape(n, HEADS, -1).swapaxes(0, 1)
        Q, K, V = split(0), split(1), split(2)
        scores = Q @ K.swapaxes(1, 2)
        if wrong != "no_scale":
            scores = scores / (Q.shape[-1] if wrong == "scale_no_root" else np.sqrt(Q.shape[-1]))
        if wrong != "no_mask":
            scores = np.where(np.tri(n, k=1 if wrong == "sees_next" else 0, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = weights / weights.sum(axis=-1, keepdims=True)
        return linear(f"{LAYER}.self_attn.linears.3", (weights @ V).swapaxes(0, 1).reshape(n, D))

    def feed_forward(x):
        hidden = linear(f"{LAYER}.feed_forward.w_1", x)
        return linear(f"{LAYER}.feed_forward.w_2", hidden if wrong == "no_activation" else np.maximum(hidden, 0))

    def sublayer(x, f):
        y = norm(x)
        return f(y) + {"no_residual": 0, "residual_normed": y}.get(wrong, x)

    places = np.zeros(n, dtype=int) if wrong == "positions_restarted" else np.arange(n)
    x = w["tgt_embed.0.lut.weight"][tgt]
    if wrong != "no_positions":
        x = x + w["tgt_embed.1.weight"][places]
    x = sublayer(sublayer(norm(x), attention), feed_forward)
    logits = linear("generator.proj", x)
    top = logits.max(axis=-1, keepdims=True)
    log_probs = logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
    known = labels >= 0
    asked = tgt if wrong == "not_shifted" else labels
    total = -log_probs[known, asked[known]].sum()
    return dict(log_probs=log_probs, loss=total / (n if wrong == "counts_unknown" else known.sum()))


def page_steps(w, tgt, labels):
    """Every tensor of the page, under its name there."""
    n, t = len(tgt), dict(tgt=tgt, labels=labels, pad_id=-1, tgt_positions=np.arange(len(tgt)))

    def norm(place, x, name):
        t[place + ".squares"] = x * x
        t[place + ".mean_square"] = t[place + ".squares"].mean(axis=-1, keepdims=True)
        t[place + ".mean_square_eps"] = t[place + ".mean_square"] + EPSILON
        t[place + ".divisor"] = np.sqrt(t[place + ".mean_square_eps"])
        t[name] = x / t[place + ".divisor"]
        return t[name]

    def linear(name, x):
        t[name] = x @ w[name + ".weight"].T
        return t[name]

    t["tgt_embed.rows"], t["tgt_embed.pe"] = w["tgt_embed.0.lut.weight"][tgt], w["tgt_embed.1.weight"][:n]
    t["tgt_embed.sum"] = t["tgt_embed.rows"] + t["tgt_embed.pe"]
    x = norm("tgt_embed.norm", t["tgt_embed.sum"], "tgt_embed")
    place = f"{LAYER}.sublayer.0.norm"
    y, a = norm(place, x, place), f"{LAYER}.self_attn"
    for part, letter in enumerate("QKV"):
        t[f"{a}.{letter}"] = linear(f"{a}.linears.{part}", y).reshape(n, HEADS, -1).swapaxes(0, 1)
    t[f"{a}.scores"] = t[f"{a}.Q"] @ t[f"{a}.K"].swapaxes(1, 2)
    t[f"{a}.scaled"] = t[f"{a}.scores"] / np.sqrt(D // HEADS)
    t[f"{a}.causal"] = np.tri(n)
    t[f"{a}.mask"] = np.broadcast_to(t[f"{a}.causal"], (HEADS, n, n))
    t[f"{a}.masked"] = np.where(t[f"{a}.mask"] == 1, t[f"{a}.scaled"], -np.inf)
    e = np.exp(t[f"{a}.masked"] - t[f"{a}.masked"].max(axis=-1, keepdims=True))
    t[f"{a}.weights"] = e / e.sum(axis=-1, keepdims=True)
    t[f"{a}.heads"] = t[f"{a}.weights"] @ t[f"{a}.V"]
    t[f"{a}.concat"] = t[f"{a}.heads"].swapaxes(0, 1).reshape(n, D)
    t[f"{a}.output"] = t[f"{a}.concat"] @ w[f"{a}.linears.3.weight"].T
    x = t[f"{LAYER}.sublayer.0.output"] = x + t[f"{a}.output"]
    place, f = f"{LAYER}.sublayer.1.norm", f"{LAYER}.feed_forward"
    t[f"{f}.hidden"] = np.maximum(linear(f"{f}.w_1", norm(place, x, place)), 0)
    t[f"{f}.output"] = t[f"{f}.hidden"] @ w[f"{f}.w_2.weight"].T
    t["decoder.output"] = x + t[f"{f}.output"]
    t["logits"] = t["decoder.output"] @ w["generator.proj.weight"].T
    top = t["logits"].max(axis=-1, keepdims=True)
    t["log_probs"] = t["logits"] - top - np.log(np.exp(t["logits"] - top).sum(axis=-1, keepdims=True))
    t["target"] = np.eye(VOCAB)[labels] * (labels >= 0)[:, None]
    t["loss"] = -(t["target"] * t["log_probs"]).sum() / (labels >= 0).sum()
    return t


def compare(a, b, what):
    worst = np.abs(np.asarray(a) - np.asarray(b)).max()
    assert worst <= 1e-12, (what, worst)


def lesson_file():
    w, tgt, labels, printed = first_step()
    made = lesson_code.function("gpt", "numpy")(w, tgt, labels, HEADS)
    leaves = {name: torch.tensor(x, requires_grad=True) for name, x in w.items()}
    theirs = lesson_code.function("gpt", "torch")(leaves, torch.tensor(tgt), torch.tensor(labels), HEADS)
    assert made.keys() == theirs.keys()
    for name, x in theirs.items():
        compare(made[name], x.detach().numpy(), name)
    assert abs(made["loss"] - printed) < 5e-5, (made["loss"], printed)
    theirs["loss"].backward()
    tensors = w | page_steps(w, tgt, labels)
    for name, x in made.items():
        compare(tensors[name], x, name)
    tensors |= {f"d.{name}": x.grad.numpy() for name, x in leaves.items()}
    np.savez_compressed(LESSON, **{f"gpt.{name}": np.asarray(x, dtype=np.float64) for name, x in tensors.items()})
    print(f"{LESSON}: {len(tensors)} arrays, {LESSON.stat().st_size} bytes, loss {made['loss']:.6f}")


def mistakes_file():
    r = np.random.RandomState(42)
    w, tgt, labels, _ = first_step()
    w = {name: r.randn(*x.shape) / np.sqrt(x.shape[-1]) for name, x in w.items()}
    labels = np.append(labels[:-1], -1)
    arrays = {f"drawn.in.{name}": np.asarray(x, dtype=np.float64)
              for name, x in (w | dict(tgt=tgt, labels=labels)).items()}
    right = model(w, tgt, labels)
    compare(right["log_probs"], lesson_code.function("gpt", "numpy")(w, tgt, labels, HEADS)["log_probs"], "right")
    for mistake in MISTAKES:
        wrong = model(w, tgt, labels, mistake)
        assert not np.allclose(wrong["loss"], right["loss"]), mistake
        arrays |= {f"drawn.gpt.{mistake}.{name}": x for name, x in wrong.items()}
    np.savez_compressed(MISTAKES_FILE, **arrays)
    print(f"{MISTAKES_FILE}: {len(arrays)} arrays, {MISTAKES_FILE.stat().st_size} bytes")


if __name__ == "__main__":
    lesson_file()
    mistakes_file()
