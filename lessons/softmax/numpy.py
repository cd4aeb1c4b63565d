"""softmax: scores become shares of one whole."""
import math

import numpy as np


def softmax(scores, d_k):
    scaled = scores / math.sqrt(d_k)                         # (n_q, n_k)
    row_max = scaled.max(axis=-1, keepdims=True)             # (n_q, 1)
    shifted = scaled - row_max                               # (n_q, n_k) − (n_q, 1) → (n_q, n_k), at most 0
    exponentials = np.exp(shifted)                           # (n_q, n_k), between 0 and 1
    row_sum = exponentials.sum(axis=-1, keepdims=True)       # (n_q, 1)
    weights = exponentials / row_sum                         # (n_q, n_k) / (n_q, 1) → (n_q, n_k)
    logs = np.log(np.where(weights > 0, weights, 1))         # (n_q, n_k), so that 0·log 0 counts as 0
    entropy = -(weights * logs).sum(axis=-1, keepdims=True)  # (n_q, 1), nats
    return dict(scaled=scaled, row_max=row_max, shifted=shifted, exponentials=exponentials,
                row_sum=row_sum, weights=weights, entropy=entropy)


def sweep(seed=42):
    """Without the scale, wide vectors leave almost all the weight on one key."""
    r, rows = np.random.RandomState(seed), []
    for d_k in [4, 16, 64, 256, 1024]:
        q, k = r.randn(8, d_k), r.randn(8, d_k)              # (8, d_k) each
        s = q @ k.T                                          # (8, d_k)·(d_k, 8) → (8, 8)
        row = [s.std()]                                      # grows like √d_k
        for divisor in [1, d_k]:                             # not scaled, then scaled
            steps = softmax(s, divisor)
            row += [steps["weights"].max(axis=-1).mean(), steps["entropy"].mean()]
        rows.append(row)
    return dict(sweep=np.array(rows))                        # (5, 5)
