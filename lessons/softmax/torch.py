"""softmax: scores become shares of one whole."""
import math

import torch


def softmax(scores, d_k):
    scaled = scores / math.sqrt(d_k)                                   # (n_q, n_k)
    row_max = scaled.amax(dim=-1, keepdim=True)                        # (n_q, 1)
    shifted = scaled - row_max                                         # (n_q, n_k) − (n_q, 1) → (n_q, n_k)
    exponentials = torch.exp(shifted)                                  # (n_q, n_k), between 0 and 1
    row_sum = exponentials.sum(dim=-1, keepdim=True)                   # (n_q, 1)
    weights = torch.softmax(scaled, dim=-1)                            # (n_q, n_k) = exponentials / row_sum
    entropy = torch.special.entr(weights).sum(dim=-1, keepdim=True)    # (n_q, 1), nats: entr(w) = −w·log w
    return dict(scaled=scaled, row_max=row_max, shifted=shifted, exponentials=exponentials,
                row_sum=row_sum, weights=weights, entropy=entropy)
