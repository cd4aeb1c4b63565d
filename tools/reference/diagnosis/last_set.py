"""A third set, written after the second was measured and before anything was changed because of it: what a class hands
in, common mistakes and rare ones, on other sizes."""

import numpy as np

from .attending import (T, attend, block as layer, causal, feed_forward, heads_of, log_softmax, merge, norm, relu,
                        self_attention, softmax, split, standard_norm)
from .wrong_layers import loss


def lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ K.T
    yield "hard_scores", "the best score times its value", dict(output=s.max(-1, keepdims=True) * V[s.argmax(-1)])
    yield "mean_of_two", "the mean of the first and the last value", dict(output=np.repeat((V[:1] + V[-1:]) / 2, 3, 0))


def words(g):
    X = g["X"]
    yield "columns_dots", "XᵀX", dict(dots=X.T @ X)
    yield "cosine_squared", "the cosine squared", dict(cosines=(X @ X.T) ** 2 / ((X**2).sum(-1)[:, None] * (X**2).sum(-1)))
    yield "mean_squares", "mean instead of sum below the root", dict(distances=np.sqrt(((X[:, None] - X) ** 2).mean(-1)))


def qkv(g):
    X, W = g["X"], {M: g[f"W_{M}"] for M in "QKV"}
    yield "all_w_q", "W_Q for all three", dict(Q=X @ W["Q"], K=X @ W["Q"], V=X @ W["Q"])
    yield "standardized", "X standardized by columns", dict(Q=(X - X.mean(0)) / X.std(0) @ W["Q"])
    yield "added_position", "the place added to each word", dict(Q=(X + np.arange(6)[:, None]) @ W["Q"])


def of_softmax(g):
    X = g["X"]
    s = X @ g["W_Q"] @ (X @ g["W_K"]).T
    z = s / 5**0.5
    e = np.exp(z)
    yield "no_scale", "not divided by the root of d_k", dict(scores=s, weights=softmax(s))
    yield "columns", "softmax over the wrong axis", dict(scores=s, scaled=z, weights=softmax(z, 0))
    yield "by_d_k", "divided by d_k", dict(weights=softmax(s / 5))
    yield "by_width", "divided by d_k squared", dict(weights=softmax(s / 25))
    yield "half_scale", "half of the root", dict(weights=softmax(s / (5**0.5 / 2)))
    yield "first_max", "the first column subtracted, sums of the others", dict(weights=e / (e.sum(-1, keepdims=True) - e))
    yield "wrong_rows", "each row's weights one row too far", dict(weights=np.roll(softmax(z), 1, 0))
    yield "no_division", "not divided by the sum", dict(exponentials=np.exp(z - z.max(-1, keepdims=True)), weights=np.exp(z - z.max(-1, keepdims=True)))


def attention(g):
    X = g["X"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    w = attend(Q, K)
    yield "transposed", "columns of the weights", dict(weights=w, output=w.T @ V)
    yield "no_scale", "not divided by the root of d_k", dict(output=softmax(Q @ K.T) @ V)
    yield "plus_x", "X added behind", dict(weights=w, output=w @ V + X)
    yield "normed", "the output's rows made 1 long", dict(weights=w, output=w @ V / np.linalg.norm(w @ V, axis=-1, keepdims=True))
    yield "softmaxed", "another softmax behind", dict(output=softmax(w @ V))


def masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see, z = causal(7), Q @ K.T / 3**0.5
    yield "no_mask", "no mask", dict(scaled=z, weights=softmax(z))
    yield "behind", "set to 0 behind the softmax", dict(weights=softmax(z) * see)
    yield "strict", "a word does not see itself", dict(weights=np.where(causal(7, -1).any(-1, keepdims=True), np.nan_to_num(attend(Q, K, mask=causal(7, -1))), 0))
    yield "upper", "the past is hidden", dict(weights=attend(Q, K, mask=see.T))
    yield "weak", "−4 added instead of −∞", dict(weights=softmax(z - 4 * ~see))
    yield "last_hidden", "the last key hidden too", dict(weights=attend(Q, K, mask=see & (np.arange(7) < 6)))


def multihead(g):
    X, W_O = g["X"], g["W_O"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    mixed = heads_of(g, 4)
    yield "not_swapped", "reshaped without exchanging the axes", dict(output=merge(attend(*(M.reshape(4, 5, 3) for M in (Q, K, V)))) @ W_O)
    yield "no_w_o", "W_O is missing", dict(output=merge(mixed))
    yield "d_model", "divided by the root of d_model", dict(output=merge(heads_of(g, 4, divisor=12**0.5)) @ W_O)
    yield "w_o_first", "W_O before the heads are merged: on the values", dict(output=merge(attend(split(Q, 4), split(K, 4), split(V @ W_O, 4))))
    yield "mean", "the mean of the heads, repeated", dict(output=np.tile(mixed.mean(0), 4) @ W_O)


def cross(g):
    X, M = g["X"], g["memory"]
    yield "self", "the decoder looks at itself", dict(weights=attend(X @ g["W_Q"], X @ g["W_K"]))
    yield "values_of_x", "values of the decoder's first words", dict(output=attend(X @ g["W_Q"], M @ g["W_K"])[:, :3] @ (X @ g["W_V"]))


def embed(g):
    ids, E, i = g["token_ids"].astype(int), g["token_embedding"], np.arange(10)
    pos = np.arange(len(ids))[:, None]
    angles = pos / 10000.0 ** (2 * (i // 2) / 10)
    P = np.where(i % 2 == 0, np.sin(angles), np.cos(angles))
    x = E[ids] * 10**0.5
    yield "no_root", "not multiplied by the root of d_model", dict(X=E[ids] + P)
    yield "scaled_positions", "positions multiplied too", dict(X=x + P * 10**0.5)
    yield "cosine_first", "cosine in even columns", dict(X=x + np.where(i % 2 == 0, np.cos(angles), np.sin(angles)))
    yield "degrees", "angles in degrees", dict(X=x + np.where(i % 2 == 0, np.sin(np.deg2rad(angles)), np.cos(np.deg2rad(angles))))


def block(g):
    X = g["X"]
    own = lambda x, g: self_attention(x, g, 4)
    mid = X + own(norm(X), g)
    yield "no_residual", "the second residual is missing", dict(output=feed_forward(norm(mid), g))
    yield "no_relu", "ReLU is missing", dict(output=layer(g, attention=own, feed=lambda x, g: feed_forward(x, g, lambda y: y)))
    yield "gelu", "a sigmoid for GELU", dict(output=layer(g, attention=own, feed=lambda x, g: feed_forward(x, g, lambda y: y / (1 + np.exp(-1.702 * y)))))
    yield "norm_once", "the first norm's output for both", dict(output=mid + feed_forward(norm(X), g))
    yield "variance", "the variance without its root", dict(output=layer(g, *[lambda x: (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + 1e-6)] * 2, attention=own))


def of_loss(g):
    v = loss(g)
    d, tokens = v["right"]["dlogits"], v["tokens"]
    yield "sum", "the sum over the tokens", dict(loss=v["right"]["loss"] * tokens)
    yield "sign", "the gradient's sign", dict(dlogits=-d)
    yield "all_tokens", "divided by all tokens", dict(dlogits=d * tokens / 6)
    yield "target_alone", "p is not in it", dict(dlogits=-v["target"] / tokens)
    yield "squared", "the gradient of squared differences", dict(dlogits=2 * (v["p"] - v["target"]) * v["real"][:, None] / tokens)


def different_softmax(g):
    Q, K = g["X"] @ g["W_Q"], g["X"] @ g["W_K"]
    z = Q @ K.T / 5**0.5
    yield "scaled_keys", "K divided before the product", dict(K=K / 5**0.5, scores=z, weights=softmax(z))
    yield "two_places_form", "rounded to two places", dict(weights=softmax(z).round(2))
    yield "list_of_rows", "a batch of one", dict(weights=softmax(z)[None])


def different_masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see = causal(7)
    yield "ten_thousand", "−10000 instead of −∞", dict(masked=np.where(see, Q @ K.T / 3**0.5, -1e4), weights=attend(Q, K, mask=see))
    yield "inverted", "True = blocked", dict(mask=(~see).astype(float), weights=attend(Q, K, mask=see))


def different_multihead(g):
    mixed = heads_of(g, 4)
    w = attend(*(split(g["X"] @ g[f"W_{M}"], 4) for M in "QK"))
    yield "averaged", "averaged weights", dict(weights=w.mean(0, keepdims=True), output=merge(mixed) @ g["W_O"])
    yield "tokens_first", "heads behind the tokens", dict(heads=mixed.swapaxes(0, 1), output=merge(mixed) @ g["W_O"])


def different_block(g):
    own = lambda x, g: self_attention(x, g, 4)
    yield "standard_option", "nn.LayerNorm", dict(output=layer(g, standard_norm, standard_norm, own))
    yield "float32", "computed in float32", dict(output=layer(g, attention=own).astype(np.float32))


class wrong:
    SERIES = {
        "lookup --n-q 3 --n-k 4 --d-k 2 --d-v 5 --seed 71": lookup,
        "words --n-q 5 --d-model 3 --seed 72": words,
        "qkv --n-q 6 --d-model 5 --d-k 3 --d-v 4 --seed 73": qkv,
        "softmax --n-q 6 --d-model 4 --d-k 5 --seed 74": of_softmax,
        "attention --n-q 6 --d-model 4 --d-k 3 --d-v 4 --seed 75": attention,
        "masked --n-q 7 --d-model 5 --d-k 3 --d-v 2 --causal --seed 76": masked,
        "multihead --n-q 5 --d-model 12 --heads 4 --seed 77": multihead,
        "cross --n-q 3 --n-k 6 --d-model 5 --d-k 4 --d-v 2 --seed 78": cross,
        "embed --text 天地玄黄天 --d-model 10 --seed 79": embed,
        "block --n-q 5 --d-model 12 --heads 4 --d-ff 7 --seed 80": block,
        "loss --n-q 6 --d-model 5 --d-k 3 --seed 81": of_loss,
    }


class different:
    SERIES = {
        "softmax --n-q 6 --d-model 4 --d-k 5 --seed 82": different_softmax,
        "masked --n-q 7 --d-model 5 --d-k 3 --d-v 2 --causal --seed 83": different_masked,
        "multihead --n-q 5 --d-model 12 --heads 4 --seed 84": different_multihead,
        "block --n-q 5 --d-model 12 --heads 4 --d-ff 7 --seed 85": different_block,
    }
