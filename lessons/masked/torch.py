"""masked: a blocked score is −∞ before the softmax, so its weight is 0. 1 = may be seen."""
import math

import torch


def causal_mask(n_q, n_k):
    return torch.ones(n_q, n_k, dtype=torch.bool).tril()                 # (n_q, n_k), key j ≤ query i


def padding_mask(n_q, n_k, pad):
    return (torch.arange(n_k) < n_k - pad).expand(n_q, n_k)              # (n_k) → (n_q, n_k)


def masked(Q, K, V, mask):
    scores = torch.matmul(Q, K.transpose(-2, -1))                        # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    scaled = scores / math.sqrt(Q.size(-1))                              # (n_q, n_k)
    seen = scaled.masked_fill(mask == 0, -torch.inf)                     # (n_q, n_k), −∞ where blocked
    weights = torch.softmax(seen, dim=-1).masked_fill(mask == 0, 0)      # (n_q, n_k), a blocked row: NaN → 0
    output = torch.matmul(weights, V)                                    # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    return dict(scores=scores, scaled=scaled, mask=mask, masked=seen, weights=weights, output=output)
