"""sdpa: scaled dot-product attention, softmax(Q·Kᵀ/√d_k)·V, for any stack of matrices."""
import math

import numpy as np


def softmax(x):
    row_max = x.max(axis=-1, keepdims=True)                             # (…, n_q, 1)
    exponentials = np.exp(x - np.where(row_max > -np.inf, row_max, 0))  # (…, n_q, n_k), e^−∞ = 0
    row_sum = exponentials.sum(axis=-1, keepdims=True)                  # (…, n_q, 1), ≥ 1; in a blocked row 0
    return exponentials / np.maximum(row_sum, 1)                        # (…, n_q, n_k), a blocked row stays 0


def sdpa(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2)             # (…, n_q, d_k)·(…, d_k, n_k) → (…, n_q, n_k)
    scaled = scores / math.sqrt(Q.shape[-1])    # (…, n_q, n_k)
    masked = scaled if mask is None else np.where(mask, scaled, -np.inf)  # (…, n_q, n_k), 1 = may be seen
    weights = softmax(masked)                   # (…, n_q, n_k)
    output = weights @ V                        # (…, n_q, n_k)·(…, n_k, d_v) → (…, n_q, d_v)
    tensors = dict(scores=scores, scaled=scaled, weights=weights, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
