"""block: one encoder layer."""
import math

import numpy as np


def split(T, h):  # (…, n, d_model) → (…, n, h, d_k) → (…, h, n, d_k)
    return T.reshape(*T.shape[:-1], h, -1).swapaxes(-3, -2)


def softmax(x):
    row_max = x.max(axis=-1, keepdims=True)                             # (…, n, 1)
    exponentials = np.exp(x - np.where(row_max > -np.inf, row_max, 0))  # (…, n, n), e^−∞ = 0
    return exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)  # a blocked row stays 0


def self_attention(X, p, heads, mask, keep, dropout):
    t = {M: X @ p[f"W_{M}"] + p.get(f"b_{M}", 0) for M in "QKV"}        # (…, n, d_model)
    t.update({f"{M}_heads": split(t[M], heads) for M in "QKV"})         # (…, h, n, d_k)
    t["scores"] = t["Q_heads"] @ t["K_heads"].swapaxes(-1, -2)          # (…, h, n, n)
    t["scaled"] = t["scores"] / math.sqrt(t["K_heads"].shape[-1])
    masked = t["scaled"] if mask is None else np.where(mask, t["scaled"], -np.inf)
    if mask is not None:
        t.update(mask=mask, masked=masked)
    weights = t["weights"] = softmax(masked)                            # (…, h, n, n)
    if dropout:                                                         # in training only
        t["kept"] = weights * keep
        weights = t["dropped"] = t["kept"] / (1 - dropout)
    t["heads"] = weights @ t["V_heads"]                                 # (…, h, n, d_k)
    t["concat"] = t["heads"].swapaxes(-3, -2).reshape(t["V"].shape)     # (…, n, d_model)
    t["attention"] = t["concat"] @ p["W_O"] + p.get("b_O", 0)           # (…, n, d_model)
    return t


def layer_norm(X, gain, shift, norm, i, output, eps=None):
    """Along each token: (…, n, d_model)."""
    mean = X.mean(axis=-1, keepdims=True)                               # (…, n, 1)
    centred = X - mean
    t = {f"mean_{i}": mean, f"centred_{i}": centred}
    if norm == "annotated":
        t[f"std_{i}"] = X.std(axis=-1, keepdims=True, ddof=1)           # over d_model − 1
        divisor = t[f"std_{i}"] + (1e-6 if eps is None else eps)
    else:
        t[f"variance_{i}"] = X.var(axis=-1, keepdims=True)              # over d_model
        t[f"variance_eps_{i}"] = t[f"variance_{i}"] + (1e-5 if eps is None else eps)
        divisor = np.sqrt(t[f"variance_eps_{i}"])
    normalized = centred / divisor
    return {**t, f"divisor_{i}": divisor, f"normalized_{i}": normalized, f"gained_{i}": normalized * gain,
            output: normalized * gain + shift}


ACTIVATIONS = {
    "relu": lambda x: np.maximum(0, x),
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,  # exact, not by tanh
    "gelu_tanh": lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,  # GPT-2's
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def feed_forward(X, W_1, b_1, W_2, b_2, activation):
    hidden = X @ W_1 + b_1                                              # (…, n, d_ff)
    activated = ACTIVATIONS[activation](hidden)
    return dict(hidden=hidden, activated=activated, feed_forward=activated @ W_2 + b_2)  # (…, n, d_model)


def block(X, heads, mask=None, norm="annotated", norm_first=True, keep=None, dropout=0, activation="relu",
          eps=None, **p):
    def attention_of(X):
        return self_attention(X, p, heads, mask, keep, dropout)

    def norm_of(X, i, output):
        return layer_norm(X, p[f"gain_{i}"], p[f"shift_{i}"], norm, i, output, eps)

    ff = dict({name: p[name] for name in ["W_1", "b_1", "W_2", "b_2"]}, activation=activation)
    if norm_first:
        t = norm_of(X, 1, "norm_1")
        t.update(attention_of(t["norm_1"]))
        t["residual_1"] = X + t["attention"]                            # X itself, not its norm
        t.update(norm_of(t["residual_1"], 2, "norm_2"))
        t.update(feed_forward(t["norm_2"], **ff))
        t["output"] = t["residual_1"] + t["feed_forward"]
    else:
        t = attention_of(X)
        t["residual_1"] = X + t["attention"]
        t.update(norm_of(t["residual_1"], 1, "norm_1"))
        t.update(feed_forward(t["norm_1"], **ff))
        t["residual_2"] = t["norm_1"] + t["feed_forward"]
        t.update(norm_of(t["residual_2"], 2, "output"))
    return t
