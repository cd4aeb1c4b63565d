"""multihead: split the columns among h heads, attend in each, put them side by side again."""
import math

import torch


def split(T, h):  # (…, n, d_model) → (…, n, h, d_k) → (…, h, n, d_k), d_k = d_model / h
    return T.view(*T.shape[:-1], h, -1).transpose(-3, -2)


def multihead(X_Q, X_K, X_V, W_Q, W_K, W_V, W_O, heads, b_Q=0, b_K=0, b_V=0, b_O=0, mask=None):
    """Self-attention gives the same X three times. An nn.Linear keeps W transposed: pass linear.weight.T."""
    Q = torch.matmul(X_Q, W_Q) + b_Q                           # (…, n_q, d_model)
    K = torch.matmul(X_K, W_K) + b_K                           # (…, n_k, d_model)
    V = torch.matmul(X_V, W_V) + b_V                           # (…, n_k, d_model)
    Q_heads = split(Q, heads)                                  # (…, h, n_q, d_k)
    K_heads = split(K, heads)                                  # (…, h, n_k, d_k)
    V_heads = split(V, heads)                                  # (…, h, n_k, d_k)
    scores = torch.matmul(Q_heads, K_heads.transpose(-2, -1))  # (…, h, n_q, n_k)
    scaled = scores / math.sqrt(Q_heads.size(-1))              # (…, h, n_q, n_k)
    blocked = torch.tensor(False) if mask is None else mask == 0     # (n_q, n_k), the same for all heads
    masked = scaled.masked_fill(blocked, -torch.inf)                 # (…, h, n_q, n_k)
    weights = torch.softmax(masked, dim=-1).masked_fill(blocked, 0)  # (…, h, n_q, n_k), blocked row: NaN → 0
    mixed = torch.matmul(weights, V_heads)                     # (…, h, n_q, d_k)
    concat = mixed.transpose(-3, -2).contiguous().view(Q.shape)      # (…, n_q, h, d_k) → (…, n_q, d_model)
    output = torch.matmul(concat, W_O) + b_O                   # (…, n_q, d_model)
    tensors = dict(Q=Q, K=K, V=V, Q_heads=Q_heads, K_heads=K_heads, V_heads=V_heads, scores=scores,
                   scaled=scaled, weights=weights, heads=mixed, concat=concat, output=output)
    return tensors if mask is None else dict(tensors, mask=mask, masked=masked)
