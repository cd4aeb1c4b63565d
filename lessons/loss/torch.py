"""loss: cross-entropy with smoothed labels; PyTorch finds the gradients. dT is ∂loss/∂T."""
import math

import torch
import torch.nn.functional as F


def attend(X, W_Q, W_K, W_V, W_O, mask=None, b_Q=0, b_K=0, b_V=0, b_O=0):
    Q, K, V = X @ W_Q + b_Q, X @ W_K + b_K, X @ W_V + b_V                  # (…, n, d)
    scores = Q @ K.transpose(-2, -1)                                       # (…, n, n)
    scaled = scores / math.sqrt(K.size(-1))
    blocked = torch.tensor(False) if mask is None else mask == 0
    masked = scaled.masked_fill(blocked, -torch.inf) if mask is not None else scaled
    weights = torch.softmax(masked, dim=-1).masked_fill(blocked, 0)
    output = weights @ V                                                   # (…, n, d_v)
    t = dict(Q=Q, K=K, V=V, scores=scores, scaled=scaled, weights=weights, output=output)
    t["logits"] = output @ W_O + b_O                                       # (…, n, vocabulary)
    return t if mask is None else dict(t, mask=mask, masked=masked)


def loss(labels, logits=None, smoothing=0.0, pad_id=0, **model):
    """What The Annotated Transformer's LabelSmoothing gives, over the number of tokens."""
    leaves = {name: value.requires_grad_() for name, value in model.items() if name != "mask"}
    labels = torch.as_tensor(labels, dtype=torch.long)
    t = dict(logits=logits.requires_grad_()) if logits is not None else attend(**model)
    V = t["logits"].size(-1)
    t["log_probs"] = torch.log_softmax(t["logits"], dim=-1)
    t["probs"] = torch.softmax(t["logits"], dim=-1)
    target = torch.full_like(t["log_probs"], smoothing / (V - 2) if smoothing else 0.0).detach()
    target.scatter_(-1, labels.unsqueeze(-1), 1 - smoothing)
    target[..., pad_id] = 0
    target.masked_fill_((labels == pad_id).unsqueeze(-1), 0)
    tokens = (labels != pad_id).sum()
    t["loss"] = F.kl_div(t["log_probs"], target, reduction="sum") / tokens  # nn.KLDivLoss(reduction="sum")
    for value in t.values():
        if value.requires_grad:
            value.retain_grad()
    t["loss"].backward()
    moved = {name: value for name, value in {**leaves, **t}.items() if name not in ("loss", "probs")}
    gradients = {f"d{name}": value.grad for name, value in moved.items() if value.requires_grad}
    return {name: value.detach() for name, value in {**t, "target": target, **gradients}.items()}
