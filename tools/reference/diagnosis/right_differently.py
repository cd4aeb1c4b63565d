"""Right answers that look otherwise: (name, what differs, tensors handed in). Where the name ends in _option, an option of
the lesson makes it equal; where it ends in _form, the numbers stand in another form than the lesson's and have to be
brought into it; all others are to be accepted."""

import numpy as np

from .attending import (T, attend, block as layer, causal, feed_forward, heads_of, merge, norm, self_attention, softmax,
                        split, standard_norm)
from .wrong_layers import loss


def lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ K.T
    yield "float32", "computed in float32", dict(output=(softmax((Q @ K.T).astype(np.float32)) @ V.astype(np.float32)))
    yield "not_shifted", "exp without subtracting the maximum", dict(output=np.exp(s) / np.exp(s).sum(-1, keepdims=True) @ V)
    yield "columns_form", "a query a column", dict(output=(softmax(s) @ V).T)
    yield "index_form", "the best key's number instead of a row with a 1", dict(hard=s.argmax(-1).astype(float), output=softmax(s) @ V)


def words(g):
    X = g["X"]
    norms, dots = np.linalg.norm(X, axis=-1), X @ X.T
    yield "keepdims", "norms as a column", dict(norms=norms[:, None], dots=dots)
    unit = X / norms[:, None]
    yield "unit_vectors", "cosines of vectors made 1 long first", dict(dots=dots, cosines=unit @ unit.T)


def qkv(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    yield "float32", "computed in float32", dict(Q=Q.astype(np.float32), K=K.astype(np.float32), V=V.astype(np.float32))
    yield "batch_first", "a batch of one in front", dict(Q=Q[None], K=K[None], V=V[None])
    yield "columns_form", "a token a column", dict(Q=Q.T, K=K.T, V=V.T)


def of_softmax(g):
    X = g["X"]
    Q, K = X @ g["W_Q"], X @ g["W_K"]
    z = Q @ K.T / 3**0.5
    e, w = np.exp(z), softmax(z)
    yield "not_shifted", "exp without subtracting the maximum", dict(exponentials=e, row_sum=e.sum(-1, keepdims=True), weights=w)
    yield "queries_scaled", "Q divided by the root of d_k before the product", dict(Q=Q / 3**0.5, scores=z, weights=w)
    yield "root_each", "Q and K each divided by the fourth root", dict(Q=Q / 3**0.25, K=K / 3**0.25, scores=z, scaled=z, weights=w)
    yield "shifted_by_mean", "the mean subtracted instead of the maximum", dict(scaled=z, shifted=z - z.mean(-1, keepdims=True), weights=w)
    yield "shifted_by_all", "the largest of the whole matrix subtracted", dict(shifted=z - z.max(), exponentials=np.exp(z - z.max()), weights=w)
    yield "no_keepdims", "sums and maxima as plain lists", dict(row_max=z.max(-1), row_sum=np.exp(z - z.max(-1, keepdims=True)).sum(-1), weights=w)
    yield "batch_first", "a batch of one in front", dict(scaled=z[None], weights=w[None])
    yield "columns_form", "a query a column", dict(weights=w.T)
    yield "flat_form", "one long list", dict(weights=w.ravel())
    yield "percent_form", "percent", dict(weights=100 * w)
    yield "rounded_form", "rounded to four places", dict(weights=w.round(4))
    yield "bits", "entropy in bits, the weights right", dict(entropy=-(w * np.log2(w)).sum(-1, keepdims=True), weights=w)


def masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    z, see = Q @ K.T / 3**0.5, causal(5)
    w = attend(Q, K, mask=see)
    yield "minus_1e9", "−1e9 instead of −∞", dict(masked=np.where(see, z, -1e9), weights=w)
    yield "smallest_float", "float32's smallest number instead of −∞", dict(masked=np.where(see, z, float(np.finfo(np.float32).min)), weights=w)
    yield "added", "a mask of 0 and −∞, added", dict(mask=np.where(see, 0, -np.inf), masked=np.where(see, z, -np.inf), weights=w)
    yield "true_blocked", "True means blocked, as nn.MultiheadAttention has it", dict(mask=~see, weights=w)
    yield "queries_scaled", "Q divided by the root of d_k before the product", dict(Q=Q / 3**0.5, scores=z, weights=w)
    yield "mask_first", "masked before the scale", dict(scores=np.where(see, Q @ K.T, -np.inf), weights=w)
    behind = attend(Q, K) * see
    yield "renormalized", "set to 0 behind the softmax, and divided by the sum again", dict(weights=behind / behind.sum(-1, keepdims=True))
    yield "float32", "computed in float32 with −1e9", dict(masked=np.where(see, z, -1e9).astype(np.float32), weights=w.astype(np.float32))
    yield "lower_form", "one sentence as a stack of columns", dict(weights=w.T)


def blocked_rows(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    nothing = np.full((5, 5), np.nan)
    yield "nan_option", "NaN for what may see nothing, as PyTorch has it", dict(weights=nothing)


def multihead(g):
    X, W_O = g["X"], g["W_O"]
    Q, K, V = (split(X @ g[f"W_{M}"], 2) for M in "QKV")
    w, mixed = attend(Q, K), heads_of(g, 2)
    right = merge(mixed) @ W_O
    yield "averaged", "weights averaged over the heads, as nn.MultiheadAttention returns them", dict(weights=w.mean(0), output=right)
    yield "heads_behind", "heads behind the tokens: (n, h, d_k)", dict(Q_heads=Q.swapaxes(0, 1), K_heads=K.swapaxes(0, 1), V_heads=V.swapaxes(0, 1), output=right)
    yield "keys_transposed", "K_heads stands transposed already: (h, d_k, n)", dict(K_heads=T(K), scores=Q @ T(K), output=right)
    yield "queries_scaled", "Q divided by the root of d_k before the product", dict(Q_heads=Q / 2, scores=Q @ T(K) / 2, output=right)
    yield "output_by_heads", "each head through its rows of W_O, then added", dict(output=sum(mixed[i] @ W_O[4 * i:4 * i + 4] for i in range(2)))
    yield "batch_second", "a batch of one behind the tokens", dict(output=right[:, None])
    yield "float32", "computed in float32", dict(weights=w.astype(np.float32), output=right.astype(np.float32))
    yield "columns_form", "a token a column", dict(output=right.T)
    yield "heads_merged", "the heads' values side by side already", dict(heads=merge(mixed), output=right)


def cross(g):
    Q, K, V = g["X"] @ g["W_Q"], g["memory"] @ g["W_K"], g["memory"] @ g["W_V"]
    see = np.arange(5) < 3
    w = attend(Q, K, mask=see)
    yield "true_blocked", "True means padding, as key_padding_mask has it", dict(mask=np.broadcast_to(~see, (3, 5)), weights=w)
    yield "mask_of_keys", "the mask as one row, which NumPy stretches", dict(mask=see[None], masked=np.where(see, Q @ K.T / 3**0.5, -1e9), weights=w)
    yield "columns_form", "a query a column", dict(weights=w.T)
    yield "cut_form", "the padding's columns left out", dict(weights=w[:, :3])


def embed(g):
    ids, E, i = g["token_ids"].astype(int), g["token_embedding"], np.arange(8)
    angles = np.arange(6)[:, None] * np.exp(-np.log(10000.0) * 2 * (i // 2) / 8)
    P = np.where(i % 2 == 0, np.sin(angles), np.cos(angles))
    X = E[ids] * 8**0.5 + P
    yield "half_angles", "an angle a pair, not a column", dict(angles=angles[:, ::2], position_vectors=P, X=X)
    yield "scaled_table", "the table multiplied by the root of d_model first", dict(token_vectors=E[ids] * 8**0.5, X=X)
    yield "batch_first", "a batch of one in front", dict(position_vectors=P[None], X=X[None])
    yield "float32", "computed in float32", dict(X=X.astype(np.float32))


def block(g):
    X = g["X"]
    right = layer(g)
    yield "standard_option", "nn.LayerNorm: the deviation over d_model", dict(output=layer(g, standard_norm, standard_norm))
    mid = norm(X + self_attention(X, g))
    yield "last_option", "the norm behind each residual, as the paper has it", dict(output=norm(mid + feed_forward(mid, g)))
    mid = standard_norm(X + self_attention(X, g))
    yield "pytorch_option", "nn.TransformerEncoderLayer: norms behind, over d_model", dict(output=standard_norm(mid + feed_forward(mid, g)))
    w = attend(*(split(norm(X) @ g[f"W_{M}"], 2) for M in "QK"))
    yield "averaged", "weights averaged over the heads", dict(weights=w.mean(0), output=right)
    yield "residual_order", "the sum in another order", dict(output=feed_forward(norm(X + self_attention(norm(X), g)), g) + self_attention(norm(X), g) + X)
    yield "float32", "computed in float32", dict(output=right.astype(np.float32))
    yield "columns_form", "a token a column", dict(output=right.T)


def of_loss(g):
    v = loss(g)
    right, d = v["right"], v["right"]["dlogits"]
    each = -(v["target"] * v["logs"]).sum(-1)
    yield "of_one", "the loss as a list of one", dict(loss=np.array([right["loss"]]), dlogits=d)
    yield "each_token_form", "a loss for each token", dict(loss=each)
    yield "batch_first", "a batch of one in front", dict(log_probs=v["logs"][None], loss=right["loss"], dlogits=d[None])
    yield "float32", "computed in float32", dict(loss=np.float32(right["loss"]), dlogits=d.astype(np.float32))
    s = d @ g["W_O"].T @ v["V"].T
    z = v["w"] * (s - (s * v["w"]).sum(-1, keepdims=True)) / 3**0.5
    yield "weight_grad", "the weight's gradient as nn.Linear keeps it, transposed", dict(dW_Q=(v["X"].T @ z @ v["K"]).T, dlogits=d)
    yield "sum_form", "the sum over the tokens, not their mean", dict(loss=right["loss"] * v["tokens"])


def of_smoothed(g):
    v = loss(g, 0.1)
    yield "cross_entropy", "the cross-entropy, without the target's own entropy", dict(
        loss=-(v["target"] * v["logs"]).sum() / v["tokens"], dlogits=v["right"]["dlogits"])


SERIES = {
    "lookup --n-q 2 --n-k 5 --d-k 3 --d-v 4 --seed 31": lookup,
    "words --n-q 5 --d-model 4 --seed 32": words,
    "qkv --n-q 5 --d-model 4 --d-k 3 --d-v 6 --seed 33": qkv,
    "softmax --n-q 5 --d-model 4 --d-k 3 --seed 34": of_softmax,
    "masked --n-q 5 --d-model 4 --d-k 3 --d-v 2 --causal --seed 35": masked,
    "masked --n-q 5 --d-model 4 --d-k 3 --d-v 2 --pad 5 --seed 36": blocked_rows,
    "multihead --n-q 5 --d-model 8 --heads 2 --seed 37": multihead,
    "cross --n-q 3 --n-k 5 --d-model 4 --d-k 3 --pad 2 --seed 38": cross,
    "embed --text 天地玄黄天地 --d-model 8 --seed 39": embed,
    "block --n-q 5 --d-model 8 --heads 2 --d-ff 12 --seed 40": block,
    "loss --n-q 5 --d-model 4 --d-k 3 --seed 41": of_loss,
    "loss --n-q 5 --d-model 4 --d-k 3 --smoothing 0.1 --seed 42": of_smoothed,
}
