"""rope: queries and keys are turned, by how much says their place."""
import torch


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)                         # (…, n, w/2) each
    return torch.cat((-b, a), dim=-1)


def rotate_pairs(x, turns):
    z = torch.view_as_complex(x.contiguous().unflatten(-1, (-1, 2)))
    return torch.view_as_real(z * turns).flatten(-2)  # (…, n, w)


def rope(Q, K, positions=None, base=10000.0, halves=False):
    """Neighbours as complex numbers (Meta's Llama), halves by rotate_half (Hugging Face's)."""
    n, w = Q.shape[-2:]
    if positions is None:
        positions = torch.arange(n, dtype=Q.dtype)    # (n)
    speeds = base ** (-torch.arange(0, w, 2, dtype=Q.dtype) / w)  # (w/2)
    angles = torch.outer(positions, speeds)           # (n, w/2)
    if halves:
        cos, sin = (torch.cat((t, t), dim=-1) for t in (angles.cos(), angles.sin()))  # (n, w)
        Q_turned, K_turned = (x * cos + rotate_half(x) * sin for x in (Q, K))
    else:
        turns = torch.polar(torch.ones_like(angles), angles)  # e^(i·angle)
        Q_turned, K_turned = (rotate_pairs(x, turns) for x in (Q, K))
    return dict(positions=positions, angles=angles, Q_turned=Q_turned, K_turned=K_turned,
                scores=Q_turned @ K_turned.transpose(-2, -1))  # V stays as it is
