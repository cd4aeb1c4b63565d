"""sdpa: scaled dot-product attention, softmax(Q·Kᵀ/√d_k)·V, for any stack of matrices."""
import math

import torch


def sdpa(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1))    # (…, n_q, d_k)·(…, d_k, n_k) → (…, n_q, n_k)
    scaled = scores / math.sqrt(Q.size(-1))          # (…, n_q, n_k)
    blocked = torch.tensor(False) if mask is None else mask == 0       # (n_q, n_k), mask 1 = may be seen
    masked = scaled.masked_fill(blocked, -torch.inf)                   # (…, n_q, n_k)
    weights = torch.softmax(masked, dim=-1).masked_fill(blocked, 0)    # (…, n_q, n_k), a blocked row: NaN → 0
    output = torch.matmul(weights, V)                # (…, n_q, n_k)·(…, n_k, d_v) → (…, n_q, d_v)
    tensors = dict(scores=scores, scaled=scaled, weights=weights, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
