"""cross: the decoder's words ask, the encoder's output answers."""
import math

import numpy as np


def softmax(x):
    row_max = x.max(axis=-1, keepdims=True)                             # (…, n_q, 1)
    exponentials = np.exp(x - np.where(row_max > -np.inf, row_max, 0))  # (…, n_q, n_k), e^−∞ = 0
    row_sum = exponentials.sum(axis=-1, keepdims=True)                  # (…, n_q, 1), ≥ 1; in a blocked row 0
    return exponentials / np.maximum(row_sum, 1)                        # (…, n_q, n_k), a blocked row stays 0


def cross(X, memory, W_Q, W_K, W_V, b_Q=0, b_K=0, b_V=0, mask=None):
    """X (…, n_q, d_model) is the decoder's, memory (…, n_k, d_model) the encoder's. Without a bias, b is 0."""
    Q = X @ W_Q + b_Q                          # (…, n_q, d_k): queries of the decoder
    K = memory @ W_K + b_K                     # (…, n_k, d_k): keys of the encoder
    V = memory @ W_V + b_V                     # (…, n_k, d_v): values of the encoder
    scores = Q @ K.swapaxes(-1, -2)            # (…, n_q, d_k)·(…, d_k, n_k) → (…, n_q, n_k)
    scaled = scores / math.sqrt(K.shape[-1])   # (…, n_q, n_k)
    masked = scaled if mask is None else np.where(mask, scaled, -np.inf)  # the source mask hides columns
    weights = softmax(masked)                  # (…, n_q, n_k)
    output = weights @ V                       # (…, n_q, n_k)·(…, n_k, d_v) → (…, n_q, d_v)
    tensors = dict(Q=Q, K=K, V=V, scores=scores, scaled=scaled, weights=weights, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
