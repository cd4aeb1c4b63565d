"""lookup: a dictionary that takes the best key, and one that mixes all of them."""
import numpy as np


def lookup(Q, K, V, given_weights=None):
    scores = Q @ K.swapaxes(-1, -2)                                   # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    hard = np.eye(K.shape[-2], dtype=V.dtype)[scores.argmax(axis=-1)]   # (n_q, n_k), a 1 at the first maximum
    hard_output = hard @ V                                            # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))  # (n_q, n_k)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)   # (n_q, n_k), each row sums to 1
    output = weights @ V                                              # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    tensors = dict(scores=scores, hard=hard, hard_output=hard_output, weights=weights, output=output)
    if given_weights is not None:                                     # (1, n_k), chosen by hand
        tensors.update(given_weights=given_weights, given_output=given_weights @ V)  # (1, d_v)
    return tensors
