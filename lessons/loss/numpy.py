"""loss: cross-entropy with smoothed labels, and every gradient by hand. dT is ∂loss/∂T."""
import math

import numpy as np


def T(M):  # (…, a, b) → (…, b, a)
    return M.swapaxes(-1, -2)


def unbatched(d, like):  # one W serves every sentence of a batch: its gradients add up
    return d.reshape(-1, *like.shape).sum(axis=0)


def attend(X, W_Q, W_K, W_V, W_O, mask=None, b_Q=0, b_K=0, b_V=0, b_O=0):
    Q, K, V = X @ W_Q + b_Q, X @ W_K + b_K, X @ W_V + b_V               # (…, n, d)
    scores = Q @ T(K)                                                   # (…, n, n)
    scaled = scores / math.sqrt(K.shape[-1])
    masked = scaled if mask is None else np.where(mask, scaled, -np.inf)
    row_max = masked.max(axis=-1, keepdims=True)
    exponentials = np.exp(masked - np.where(row_max > -np.inf, row_max, 0))
    weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1)  # a blocked row stays 0
    output = weights @ V                                                # (…, n, d_v)
    t = dict(Q=Q, K=K, V=V, scores=scores, scaled=scaled, weights=weights, output=output)
    t["logits"] = output @ W_O + b_O                                    # (…, n, vocabulary)
    return t if mask is None else dict(t, mask=mask, masked=masked)


def attend_backward(t, dlogits, X, W_Q, W_K, W_V, W_O, mask=None, **biases):
    d = dict(doutput=dlogits @ T(W_O), dW_O=unbatched(T(t["output"]) @ dlogits, W_O))
    d["dweights"] = d["doutput"] @ T(t["V"])
    d["dV"] = T(t["weights"]) @ d["doutput"]
    shared = (d["dweights"] * t["weights"]).sum(axis=-1, keepdims=True)
    d["dscaled"] = t["weights"] * (d["dweights"] - shared)              # 0 where the mask blocks
    if mask is not None:
        d["dmasked"] = d["dscaled"]
    d["dscores"] = d["dscaled"] / math.sqrt(t["K"].shape[-1])
    d["dQ"] = d["dscores"] @ t["K"]
    d["dK"] = T(d["dscores"]) @ t["Q"]
    for M, W in dict(Q=W_Q, K=W_K, V=W_V).items():
        d[f"dW_{M}"] = unbatched(T(X) @ d[f"d{M}"], W)
    d["dX"] = d["dQ"] @ T(W_Q) + d["dK"] @ T(W_K) + d["dV"] @ T(W_V)
    ends = dict(b_Q=d["dQ"], b_K=d["dK"], b_V=d["dV"], b_O=dlogits)
    return {**d, **{f"d{b}": unbatched(ends[b].sum(axis=-2), biases[b]) for b in biases}}


def loss(labels, logits=None, smoothing=0.0, pad_id=0, **model):
    """logits, or X, W_Q, W_K, W_V, W_O and perhaps a mask and biases to make them with."""
    t = dict(logits=logits) if logits is not None else attend(**model)
    labels = np.asarray(labels, dtype=int)
    V = t["logits"].shape[-1]
    largest = t["logits"].max(axis=-1, keepdims=True)
    log_probs = t["logits"] - largest - np.log(np.exp(t["logits"] - largest).sum(axis=-1, keepdims=True))
    target = np.full(t["logits"].shape, smoothing / (V - 2) if smoothing else 0.0)
    np.put_along_axis(target, labels[..., None], 1 - smoothing, axis=-1)
    target[..., pad_id] = 0
    target[labels == pad_id] = 0
    tokens = (labels != pad_id).sum()
    # KLDivLoss(sum); without smoothing ln 1 = 0, and it is the cross-entropy
    t.update(log_probs=log_probs, probs=np.exp(log_probs), target=target,
             loss=(target * (np.log(np.where(target > 0, target, 1)) - log_probs)).sum() / tokens)
    asked = target.sum(axis=-1, keepdims=True)                          # 1, or 0 for padding
    d = dict(dlog_probs=-target / tokens, dlogits=(t["probs"] * asked - target) / tokens)
    return {**t, **d, **({} if logits is not None else attend_backward(t, d["dlogits"], **model))}
