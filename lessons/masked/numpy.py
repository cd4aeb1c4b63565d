"""masked: a blocked score is −∞ before the softmax, so its weight is 0. 1 = may be seen."""
import math

import numpy as np


def causal_mask(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)                                         # (n_q, n_k), key j ≤ query i


def padding_mask(n_q, n_k, pad):
    return np.broadcast_to(np.arange(n_k) < n_k - pad, (n_q, n_k))              # (n_k) → (n_q, n_k)


def masked(Q, K, V, mask):
    scores = Q @ K.swapaxes(-1, -2)                                  # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    scaled = scores / math.sqrt(Q.shape[-1])                         # (n_q, n_k)
    seen = np.where(mask, scaled, -np.inf)                           # (n_q, n_k), −∞ where blocked
    row_max = seen.max(axis=-1, keepdims=True)                       # (n_q, 1), −∞ where nothing is seen
    shifted = seen - np.where(row_max > -np.inf, row_max, 0)         # (n_q, n_k)
    exponentials = np.exp(shifted)                                   # (n_q, n_k), e^−∞ = 0
    row_sum = exponentials.sum(axis=-1, keepdims=True)               # (n_q, 1), ≥ 1, or 0 in a blocked row
    weights = exponentials / np.maximum(row_sum, 1)                  # (n_q, n_k), a blocked row stays 0
    output = weights @ V                                             # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    return dict(scores=scores, scaled=scaled, mask=mask, masked=seen, weights=weights, output=output)
