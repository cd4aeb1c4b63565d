"""rope: queries and keys are turned, by how much says their place."""
import numpy as np


def rotate(x, angles, halves=False):
    if halves:                                        # column i with column i + w/2
        a, b = np.split(x, 2, axis=-1)                # (…, n, w/2) each
    else:                                             # column 2i with column 2i + 1
        a, b = x[..., 0::2], x[..., 1::2]             # (…, n, w/2) each
    c, s = np.cos(angles), np.sin(angles)             # (n, w/2)
    turned = a * c - b * s, a * s + b * c
    if halves:
        return np.concatenate(turned, axis=-1)        # (…, n, w)
    return np.stack(turned, axis=-1).reshape(x.shape)  # a and b in turn again


def rope(Q, K, positions=None, base=10000.0, halves=False):
    n, w = Q.shape[-2:]
    if positions is None:
        positions = np.arange(n)                      # (n)
    speeds = base ** (-np.arange(0, w, 2) / w)        # (w/2): 1, then ever slower
    angles = np.outer(positions, speeds)              # (n, w/2)
    Q_turned = rotate(Q, angles, halves)
    K_turned = rotate(K, angles, halves)              # V stays as it is
    return dict(positions=positions, angles=angles, Q_turned=Q_turned, K_turned=K_turned,
                scores=Q_turned @ np.swapaxes(K_turned, -1, -2))  # (…, n, n)
