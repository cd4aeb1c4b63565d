"""scores: every query meets every key."""
import torch


def scores(Q, K):
    S = torch.matmul(Q, K.transpose(-2, -1))  # (n_q, d_k)·(d_k, n_k) → (n_q, n_k)
    return dict(scores=S)
