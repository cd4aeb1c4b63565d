"""words: how long the vectors are, and how near to each other."""
import torch


def words(X):
    norms = torch.linalg.vector_norm(X, dim=-1)                  # (n, d) → (n)
    dots = torch.matmul(X, X.transpose(-2, -1))                  # (n, d)·(d, n) → (n, n)
    lengths = norms.unsqueeze(-1) * norms.unsqueeze(-2)          # (n, 1)·(1, n) → (n, n)
    cosines = dots / lengths.masked_fill(lengths == 0, 1)        # (n, n), 0 beside a word of length 0
    steps = X.unsqueeze(-2) - X.unsqueeze(-3)                    # (n, 1, d) − (1, n, d) → (n, n, d)
    distances = torch.linalg.vector_norm(steps, dim=-1)          # (n, n, d) → (n, n)
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
