"""What the wrong and the different programs of this folder are made of: attention and layers whose every step can be
changed. Written as learners write them."""

import numpy as np


def T(M):
    return M.swapaxes(-1, -2)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def attend(Q, K, V=None, divisor=None, axis=-1, mask=None, fill=-np.inf):
    """Weights, or with V the output."""
    scaled = Q @ T(K) / (np.sqrt(Q.shape[-1]) if divisor is None else divisor)
    weights = softmax(scaled if mask is None else np.where(mask, scaled, fill), axis)
    return weights if V is None else weights @ V


def causal(n, k=0):
    return np.tri(n, k=k, dtype=bool)


def split(M, h):
    return T_heads(M.reshape(*M.shape[:-1], h, -1))


def T_heads(M):
    return M.swapaxes(-3, -2)


def merge(M):
    return T_heads(M).reshape(M.shape[-2], -1)


def heads_of(g, h, **change):
    """(h, n, d_k): what each head mixes; `change` goes to attend."""
    return attend(*(split(g["X"] @ g[f"W_{M}"], h) for M in "QKV"), **change)


def norm(x, eps=1e-6, ddof=1, axis=-1):
    return (x - x.mean(axis=axis, keepdims=True)) / (x.std(axis=axis, keepdims=True, ddof=ddof) + eps)


def standard_norm(x, eps=1e-5):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def relu(x):
    return np.maximum(0, x)


def self_attention(x, g, h=2, **change):
    return merge(attend(*(split(x @ g[f"W_{M}"], h) for M in "QKV"), **change)) @ g["W_O"]


def feed_forward(x, g, activation=relu):
    return activation(x @ g["W_1"] + g["b_1"]) @ g["W_2"] + g["b_2"]


def block(g, norm_1=norm, norm_2=norm, attention=self_attention, feed=feed_forward):
    x = g["X"]
    x = x + attention(norm_1(x), g)
    return x + feed(norm_2(x), g)


def one_hot(ids, n):
    return np.eye(n)[np.asarray(ids, dtype=int)]


def log_softmax(x, axis=-1):
    return x - x.max(axis, keepdims=True) - np.log(np.exp(x - x.max(axis, keepdims=True)).sum(axis, keepdims=True))
