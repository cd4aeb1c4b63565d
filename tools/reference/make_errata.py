#!/usr/bin/env python3
"""Both forms of the errata in NumPy, on the same draws: data/reference/errata.json.

    python3 tools/reference/make_errata.py

Written from the tutorials' formulas, without a look at the C++. A key is ID.FORM.MEASURE, FORM being page or instead,
or ID.FACT. The tests compare within 1e-6 relative, as some tutorials compute in float32 and tfx in double.
"""
import json
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
figures = {}


def both(erratum, measure, page, instead):
    figures[f"{erratum}.page.{measure}"] = page
    figures[f"{erratum}.instead.{measure}"] = instead


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def fun_transformer():
    words = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.random.seed(42)
    W_Q, W_K, W_V = (np.random.randint(3, size=(3, 3)) for _ in range(3))
    Q, K = words @ W_Q, words @ W_K
    scores = Q @ K.T
    cosines = scores / np.outer(np.linalg.norm(Q, axis=1), np.linalg.norm(K, axis=1))
    best = cosines.argmax(axis=1)
    both("similarity", "best_aligned", int((scores.argmax(axis=1) == best).sum()), 4)
    figures["similarity.cosines"] = cosines[0].tolist()
    large = 200 * scores / np.sqrt(3)
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(large)
        page = e / e.sum(axis=1, keepdims=True)
    both("softmax_overflow", "not_finite", int((~np.isfinite(page)).sum()), int((~np.isfinite(softmax(large))).sum()))

    def entropy(w):
        return float(-(w * np.log(w)).sum(axis=1).mean())

    figures["softmax_overflow.entropy_plain"] = entropy(softmax(scores.astype(float)))
    figures["softmax_overflow.entropy_scaled"] = entropy(softmax(scores / np.sqrt(3)))
    row = softmax(np.where(np.zeros(4) == 0, -1e9, scores[0] / np.sqrt(3)))
    both("blocked_row", "weight_on_blocked", float(row.sum()), 0)

    random = np.random.RandomState(42)
    B = h = 4
    T = 5
    S = random.randn(B, h, T, T)
    mask = np.ones((B, T, T))
    for b in range(B):
        mask[b, :, T - b:] = 0 if b else mask[b, :, T:]

    def on_padding(m):
        weights = softmax(np.where(m == 0, -np.inf, S))
        return float((weights * (1 - mask[:, None])).sum())

    both("mask_on_heads", "weight_on_padding", on_padding(mask), on_padding(mask[:, None]))
    flat = np.repeat(np.arange(63), 128).reshape(-1, 126)
    both("heads_divide", "mixed_rows", int((flat[:, 0] != flat[:, -1]).sum()), 0)
    both("heads_divide", "rows_of_view", len(flat), 63)


def scaled_dot_product():
    random = np.random.RandomState(42)

    def derivative(w):
        return float(np.mean([np.linalg.norm(np.diag(r) - np.outer(r, r)) for r in w]))

    for d_k in (4, 1024):
        Q, K = random.randn(64, d_k), random.randn(8, d_k)
        both("exploding", f"derivative_{d_k}", derivative(softmax(Q @ K.T)), derivative(softmax(Q @ K.T / np.sqrt(d_k))))


def attention_block():
    f4 = np.float32
    np.random.seed(42)
    token = np.random.randn(10000, 64).astype(f4) * f4(0.02)
    position = np.random.randn(512, 64).astype(f4) * f4(0.02)
    std = f4(np.sqrt(2 / 128))
    W_q, W_k, W_v, W_o = (np.random.randn(64, 64).astype(f4) * std for _ in range(4))
    ids = np.random.randint(0, 10000, size=(2, 10))
    labels = np.random.randint(0, 10000, size=(2, 10))
    logits = np.random.randn(2, 10, 10000).astype(f4)
    drawn = np.random.randn(2, 10, 64).astype(f4) * f4(0.01)
    W_q, W_k, W_v, W_o, token, position = (a.astype(float) for a in (W_q, W_k, W_v, W_o, token, position))

    def split(x):
        return x.reshape(2, 10, 4, 16).transpose(0, 2, 1, 3)

    def attend(X, seen):
        Q, K, V = split(X @ W_q), split(X @ W_k), split(X @ W_v)
        w = softmax(np.where(seen, Q @ K.transpose(0, 1, 3, 2) / 4, -np.inf))
        return w, (w @ V).transpose(0, 2, 1, 3).reshape(2, 10, 64)

    X = (token[ids] + position[:10]).astype(f4).astype(float)
    causal = np.tril(np.ones((10, 10), bool))
    w, concat = attend(X, causal)
    no_padding = causal & (np.arange(10) < 8)
    both("padding_seen", "weight_on_padding", float(w[0, :, :, 8:].sum()),
         float(attend(X, no_padding)[0][0, :, :, 8:].sum()))

    def from_uniform(w):
        return float(np.abs(np.where(causal, w - 1 / (np.arange(10)[:, None] + 1), 0)).max())

    both("uniform_picture", "from_uniform", from_uniform(w), from_uniform(attend(50 * X, causal)[0][0, 0]))
    both("minimum_zero", "smallest_weight", float(w[0].min()), float(w[0][:, causal].min()))
    words = ["the", "cat", "eats", "the", "fish", "in", "the", "river"]
    both("picture_words", "ids_of_one_word", len({int(i) for i, word in zip(ids[0], words) if word == "the"}), 1)
    figures["he_unused.drawn_deviation"] = float(W_q.std(ddof=1))
    z = logits.astype(float)
    largest = z.max(axis=-1, keepdims=True)
    page = z - np.log(np.exp(z - largest).sum(axis=-1, keepdims=True))
    right = page - largest

    def loss(log_probs):
        return float(-np.take_along_axis(log_probs, labels[..., None], -1).mean())

    both("log_probs_max", "row_sum", float(np.exp(page[0, 0]).sum()), float(np.exp(right[0, 0]).sum()))
    both("log_probs_max", "loss", loss(page), loss(right))
    figures["random_backward.page.gradient_off"] = float(np.abs(drawn).max())

    def tied(output):
        u = output @ token.T
        return loss(u - np.log(np.exp(u).sum(axis=-1, keepdims=True)))

    both("random_logits", "loss", loss(right), tied(concat @ W_o))
    both("random_logits", "loss_moves", 0, abs(tied(concat @ W_o) - tied(0 * concat)))

    X8 = np.random.RandomState(42)
    times = X8.uniform(0.98, 1.02, 100)
    times[50] += 100
    both("mean_time", "time_of_a_run", float(times.mean()), float(np.median(times)))
    for name, deviation, form in (("xavier", np.sqrt(2 / 128), "page"), ("he", np.sqrt(2 / 64), "instead")):
        random = np.random.RandomState(42)
        x = random.randn(64, 64)
        before = (x ** 2).mean()
        for _ in range(8):
            x = np.maximum(0, x @ (deviation * random.randn(64, 64)))
        figures[f"he_unused.{form}.kept_square"] = float((x ** 2).mean() / before)


def annotated():
    random = np.random.RandomState(42)
    X = random.randn(5, 512)
    bound, b = np.sqrt(6 / 1024), 1 / np.sqrt(512)
    weights = {}
    for letter in "QKVO":
        weights[letter] = random.uniform(-bound, bound, (512, 512)), random.uniform(-b, b, (512,))
    Q, K, V = (X @ weights[c][0] + weights[c][1] for c in "QKV")
    both("projection", "along_b", float(X[0] @ X[1]), float(X[0] @ X[1] / np.linalg.norm(X[1])))
    both("projection", "along_2b", float(2 * X[0] @ X[1]), float(X[0] @ X[1] / np.linalg.norm(X[1])))
    w = softmax(Q @ K.T / np.sqrt(512))
    figures["k_is_v.page.output_off"] = float(np.abs(w @ K - w @ V).max())
    figures["k_is_v.apart"] = float(np.abs(K - V).max())
    both("a13", "product_of_rows", float(Q[2] @ K[2]), float(Q[0] @ K[2]))
    random = np.random.RandomState(42)
    x = random.randn(4, 8)
    page = (x - x.mean(1, keepdims=True)) / (x.std(1, ddof=1, keepdims=True) + 1e-6)
    right = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    both("layer_norm", "population_deviation", float(page[0].std()), float(right[0].std()))
    figures["layer_norm.apart"] = float(np.abs(page - right).max())


def happy_llm():
    random = np.random.RandomState(42)
    A, B = random.randn(2000, 64), random.randn(2000, 64)
    cosine = (A * B).sum(1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)
    both("unrelated_below_zero", "recognised", float(100 * (cosine < 0).mean()),
         float(100 * (np.abs(cosine) < 3 / 8).mean()))
    random = np.random.RandomState(42)
    X, W_Q, W_K = random.randn(5, 4), random.randn(4, 4), random.randn(4, 4)
    S = (X @ W_Q) @ (X @ W_K).T
    both("same_three", "lopsided", 0, float(np.abs(S - S.T).max()))
    heads = [((X @ W_Q)[:, c:c + 2] @ (X @ W_K)[:, c:c + 2].T) / np.sqrt(2) for c in (0, 2)]
    both("scores_for_weights", "sum_of_last_row", float(heads[0][4].sum()), 1)
    seen = np.tril(np.ones((5, 5)))
    both("is_causal", "weight_on_future", float(np.mean([(softmax(s) * (1 - seen)).sum() for s in heads])), 0)
    page = 0
    for t in range(4):
        hidden = X.copy()
        hidden[t + 1:] = 0
        s = (hidden @ W_Q)[:, :2] @ (hidden @ W_K)[:, :2].T / np.sqrt(2)
        page += float(softmax(s)[t, t + 1:].sum())
    both("masked_inputs", "weight_on_hidden", page, 0)


fun_transformer()
scaled_dot_product()
attention_block()
annotated()
happy_llm()
text = json.dumps(figures, indent=1, sort_keys=True) + "\n"
(ROOT / "data/reference/errata.json").write_text(text)
