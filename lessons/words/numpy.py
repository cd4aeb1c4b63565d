"""words: how long the vectors are, and how near to each other."""
import numpy as np


def words(X):
    norms = np.sqrt((X * X).sum(axis=-1))                        # (n, d) → (n)
    dots = X @ X.swapaxes(-1, -2)                                # (n, d)·(d, n) → (n, n)
    lengths = norms[..., :, None] * norms[..., None, :]          # (n, 1)·(1, n) → (n, n)
    cosines = dots / np.where(lengths > 0, lengths, 1)           # (n, n), 0 beside a word of length 0
    steps = X[..., :, None, :] - X[..., None, :, :]              # (n, 1, d) − (1, n, d) → (n, n, d)
    distances = np.sqrt((steps * steps).sum(axis=-1))            # (n, n, d) → (n, n)
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
