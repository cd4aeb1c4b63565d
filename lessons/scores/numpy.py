"""scores: every query meets every key."""
import numpy as np


def scores(Q, K):
    S = np.matmul(Q, K.swapaxes(-1, -2))  # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    return dict(scores=S)
