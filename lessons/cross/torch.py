"""cross: the decoder's words ask, the encoder's output answers."""
import math

import torch


def cross(X, memory, W_Q, W_K, W_V, b_Q=0, b_K=0, b_V=0, mask=None):
    """src_attn(x, memory, memory, src_mask) of a decoder layer, with one head and without W_O."""
    Q = torch.matmul(X, W_Q) + b_Q                         # (…, n_q, d_k)
    K = torch.matmul(memory, W_K) + b_K                    # (…, n_k, d_k)
    V = torch.matmul(memory, W_V) + b_V                    # (…, n_k, d_v)
    scores = torch.matmul(Q, K.transpose(-2, -1))          # (…, n_q, n_k)
    scaled = scores / math.sqrt(K.size(-1))                # (…, n_q, n_k)
    blocked = torch.tensor(False) if mask is None else mask == 0     # (n_q, n_k)
    masked = scaled.masked_fill(blocked, -torch.inf)                 # (…, n_q, n_k)
    weights = torch.softmax(masked, dim=-1).masked_fill(blocked, 0)  # (…, n_q, n_k), blocked row: NaN → 0
    output = torch.matmul(weights, V)                      # (…, n_q, d_v)
    tensors = dict(Q=Q, K=K, V=V, scores=scores, scaled=scaled, weights=weights, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
