"""lookup: a dictionary that takes the best key, and one that mixes all of them."""
import torch
import torch.nn.functional as F


def lookup(Q, K, V, given_weights=None):
    scores = torch.matmul(Q, K.transpose(-2, -1))                     # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    hard = F.one_hot(scores.argmax(dim=-1), K.size(-2)).to(V.dtype)   # (n_q, n_k), a 1 at the first maximum
    hard_output = torch.matmul(hard, V)                               # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    weights = torch.softmax(scores, dim=-1)                           # (n_q, n_k), each row sums to 1
    output = torch.matmul(weights, V)                                 # (n_q, n_k)·(n_k, d_v) → (n_q, d_v)
    tensors = dict(scores=scores, hard=hard, hard_output=hard_output, weights=weights, output=output)
    if given_weights is not None:                                     # (1, n_k), chosen by hand
        tensors.update(given_weights=given_weights, given_output=torch.matmul(given_weights, V))  # (1, d_v)
    return tensors
