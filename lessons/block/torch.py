"""block: one encoder layer."""
import math

import torch
import torch.nn.functional as F


def split(T, h):  # (…, n, d_model) → (…, n, h, d_k) → (…, h, n, d_k)
    return T.view(*T.shape[:-1], h, -1).transpose(-3, -2)


def self_attention(X, p, heads, mask, keep, dropout):
    t = {M: torch.matmul(X, p[f"W_{M}"]) + p.get(f"b_{M}", 0) for M in "QKV"}  # (…, n, d_model)
    t.update({f"{M}_heads": split(t[M], heads) for M in "QKV"})                # (…, h, n, d_k)
    t["scores"] = torch.matmul(t["Q_heads"], t["K_heads"].transpose(-2, -1))   # (…, h, n, n)
    t["scaled"] = t["scores"] / math.sqrt(t["K_heads"].size(-1))
    blocked = torch.tensor(False) if mask is None else mask == 0
    masked = t["scaled"].masked_fill(blocked, -torch.inf)
    if mask is not None:
        t.update(mask=mask, masked=masked)
    weights = t["weights"] = torch.softmax(masked, dim=-1).masked_fill(blocked, 0)
    if dropout:  # what nn.Dropout does in training; in eval() it does nothing
        t["kept"] = weights * keep
        weights = t["dropped"] = t["kept"] / (1 - dropout)
    t["heads"] = torch.matmul(weights, t["V_heads"])                           # (…, h, n, d_k)
    t["concat"] = t["heads"].transpose(-3, -2).contiguous().view(t["V"].shape)  # (…, n, d_model)
    t["attention"] = torch.matmul(t["concat"], p["W_O"]) + p.get("b_O", 0)
    return t


def layer_norm(X, gain, shift, norm, i, output, eps=None):
    mean = X.mean(-1, keepdim=True)                                            # (…, n, 1)
    centred = X - mean
    t = {f"mean_{i}": mean, f"centred_{i}": centred}
    if norm == "annotated":
        t[f"std_{i}"] = X.std(-1, keepdim=True)                                # over d_model − 1
        divisor = t[f"std_{i}"] + (1e-6 if eps is None else eps)
        normalized, result = centred / divisor, gain * (X - mean) / divisor + shift
    else:
        t[f"variance_{i}"] = X.var(-1, unbiased=False, keepdim=True)           # over d_model
        eps = 1e-5 if eps is None else eps
        t[f"variance_eps_{i}"] = t[f"variance_{i}"] + eps
        divisor = torch.sqrt(t[f"variance_eps_{i}"])
        normalized = F.layer_norm(X, X.shape[-1:], eps=eps)                    # nn.LayerNorm's own
        result = F.layer_norm(X, X.shape[-1:], gain, shift, eps)
    return {**t, f"divisor_{i}": divisor, f"normalized_{i}": normalized, f"gained_{i}": normalized * gain,
            output: result}


ACTIVATIONS = {
    "relu": F.relu,
    "gelu": F.gelu,  # exact, by erf
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),  # GPT-2's
    "silu": F.silu,
}


def feed_forward(X, W_1, b_1, W_2, b_2, activation):
    hidden = torch.matmul(X, W_1) + b_1                                        # (…, n, d_ff)
    activated = ACTIVATIONS[activation](hidden)
    return dict(hidden=hidden, activated=activated, feed_forward=torch.matmul(activated, W_2) + b_2)


def block(X, heads, mask=None, norm="annotated", norm_first=True, keep=None, dropout=0, activation="relu",
          eps=None, **p):
    """EncoderLayer: sublayer[0] is the attention, sublayer[1] the feed-forward."""
    def attention_of(X):
        return self_attention(X, p, heads, mask, keep, dropout)

    def norm_of(X, i, output):
        return layer_norm(X, p[f"gain_{i}"], p[f"shift_{i}"], norm, i, output, eps)

    ff = dict({name: p[name] for name in ["W_1", "b_1", "W_2", "b_2"]}, activation=activation)
    if norm_first:
        t = norm_of(X, 1, "norm_1")
        t.update(attention_of(t["norm_1"]))
        t["residual_1"] = X + t["attention"]                                   # x + sublayer(norm(x))
        t.update(norm_of(t["residual_1"], 2, "norm_2"))
        t.update(feed_forward(t["norm_2"], **ff))
        t["output"] = t["residual_1"] + t["feed_forward"]
    else:
        t = attention_of(X)
        t["residual_1"] = X + t["attention"]
        t.update(norm_of(t["residual_1"], 1, "norm_1"))                        # norm(x + sublayer(x))
        t.update(feed_forward(t["norm_1"], **ff))
        t["residual_2"] = t["norm_1"] + t["feed_forward"]
        t.update(norm_of(t["residual_2"], 2, "output"))
    return t
