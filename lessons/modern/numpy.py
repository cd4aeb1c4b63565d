"""modern: one block, as Llama has it."""
import math

import numpy as np


def rms_norm(x, gain, epsilon=1e-5):
    mean_square = (x * x).mean(axis=-1, keepdims=True)  # no mean is taken off
    return x / np.sqrt(mean_square + epsilon) * gain    # (n, d_model)


def split(x, heads):  # (n, heads·d_k) → (heads, n, d_k)
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def rotate(x, base):  # column i with column i + d_k/2
    n, w = x.shape[-2:]
    angles = np.outer(np.arange(n), base ** (-np.arange(0, w, 2) / w))
    c, s = np.cos(angles), np.sin(angles)               # (n, d_k/2)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate((a * c - b * s, a * s + b * c), axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(x, W_Q, W_K, W_V, W_O, heads, kv_heads, base, window):
    n, group = len(x), heads // kv_heads
    Q = rotate(split(x @ W_Q, heads), base)             # (heads, n, d_k)
    K = rotate(split(x @ W_K, kv_heads), base)          # (kv_heads, n, d_k): what a cache keeps
    V = split(x @ W_V, kv_heads)
    K, V = (np.repeat(t, group, axis=0) for t in (K, V))  # neighbours share: 0 0 1 1
    back = np.arange(n)[:, None] - np.arange(n)         # how far before the query a key stands
    visible = (back >= 0) & ((back < window) | (window == 0))
    scaled = Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    weights = softmax(np.where(visible, scaled, -np.inf))
    concat = (weights @ V).swapaxes(0, 1).reshape(n, -1)
    return concat @ W_O


def mlp(x, W_1, W_3, W_2):
    gate = x @ W_1                                      # (n, d_ff)
    return (gate / (1 + np.exp(-gate)) * (x @ W_3)) @ W_2  # SwiGLU


def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads, kv_heads, base=10000.0, window=0):
    heads, kv_heads, window = int(heads), int(kv_heads), int(window)
    attended = attention(rms_norm(X, gain_1), W_Q, W_K, W_V, W_O, heads, kv_heads, base, window)
    between = X + attended                              # X itself, not its norm
    fed = mlp(rms_norm(between, gain_2), W_1, W_3, W_2)
    return dict(attended=attended, between=between, fed=fed, output=between + fed)
