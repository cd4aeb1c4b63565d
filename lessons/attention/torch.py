"""attention: each row mixes the values by its weights."""
import torch


def attention(weights, V):
    output = torch.matmul(weights, V)  # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    return dict(output=output)
