"""multihead: split the columns among h heads, attend in each, put them side by side again."""
import math

import numpy as np


def split(T, h):  # (…, n, d_model) → (…, n, h, d_k) → (…, h, n, d_k), d_k = d_model / h
    return T.reshape(*T.shape[:-1], h, -1).swapaxes(-3, -2)


def softmax(x):
    row_max = x.max(axis=-1, keepdims=True)                             # (…, n_q, 1)
    exponentials = np.exp(x - np.where(row_max > -np.inf, row_max, 0))  # (…, n_q, n_k), e^−∞ = 0
    row_sum = exponentials.sum(axis=-1, keepdims=True)                  # (…, n_q, 1), ≥ 1; in a blocked row 0
    return exponentials / np.maximum(row_sum, 1)                        # (…, n_q, n_k), a blocked row stays 0


def multihead(X_Q, X_K, X_V, W_Q, W_K, W_V, W_O, heads, b_Q=0, b_K=0, b_V=0, b_O=0, mask=None):
    """Self-attention gives the same X three times; without a bias, b is 0."""
    Q = X_Q @ W_Q + b_Q                               # (…, n_q, d_model)
    K = X_K @ W_K + b_K                               # (…, n_k, d_model)
    V = X_V @ W_V + b_V                               # (…, n_k, d_model)
    Q_heads = split(Q, heads)                         # (…, h, n_q, d_k)
    K_heads = split(K, heads)                         # (…, h, n_k, d_k)
    V_heads = split(V, heads)                         # (…, h, n_k, d_k)
    scores = Q_heads @ K_heads.swapaxes(-1, -2)       # (…, h, n_q, d_k)·(…, h, d_k, n_k) → (…, h, n_q, n_k)
    scaled = scores / math.sqrt(Q_heads.shape[-1])    # (…, h, n_q, n_k)
    masked = scaled if mask is None else np.where(mask, scaled, -np.inf)  # one (n_q, n_k) mask for all heads
    weights = softmax(masked)                         # (…, h, n_q, n_k)
    mixed = weights @ V_heads                         # (…, h, n_q, n_k)·(…, h, n_k, d_k) → (…, h, n_q, d_k)
    concat = mixed.swapaxes(-3, -2).reshape(Q.shape)  # (…, n_q, h, d_k) → (…, n_q, d_model)
    output = concat @ W_O + b_O                       # (…, n_q, d_model)
    tensors = dict(Q=Q, K=K, V=V, Q_heads=Q_heads, K_heads=K_heads, V_heads=V_heads, scores=scores,
                   scaled=scaled, weights=weights, heads=mixed, concat=concat, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
