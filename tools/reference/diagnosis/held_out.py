"""A second, smaller set, written before the first was measured and measured once, when the diagnosis was done: wrong
programs, and right ones in another form, on other sizes."""

import numpy as np

from .attending import (T, T_heads, attend, block as layer, causal, feed_forward, heads_of, log_softmax, merge, norm,
                        one_hot, relu, self_attention, softmax, split, standard_norm)
from .wrong_layers import loss


def lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ K.T
    yield "max_axis", "each key picks its best query", dict(hard=(s == s.max(0)) * 1.0)
    yield "cubed", "powers of the scores instead of exponentials", dict(weights=abs(s) ** 3 / (abs(s) ** 3).sum(-1, keepdims=True))
    yield "values_normed", "values divided by their lengths", dict(weights=softmax(s), output=softmax(s) @ (V / np.linalg.norm(V, axis=-1, keepdims=True)))


def words(g):
    X = g["X"]
    n = np.linalg.norm(X, axis=-1)
    yield "mean_norm", "the root of the mean square", dict(norms=np.sqrt((X**2).mean(-1)))
    yield "divided_by_sum", "divided by the sum of the two lengths", dict(cosines=X @ X.T / (n[:, None] + n))
    yield "largest_step", "the largest coordinate's difference as the distance", dict(distances=abs(X[:, None] - X).max(-1))


def softmax_(g):
    X = g["X"]
    s = X @ g["W_Q"] @ (X @ g["W_K"]).T
    z = s / 2**0.5
    e = np.exp(z)
    yield "scaled_after", "the sum taken before the scale", dict(weights=np.exp(z) / np.exp(s).sum(-1, keepdims=True))
    yield "by_root_twice", "divided by the fourth root of d_k", dict(scaled=s / 2**0.25, weights=softmax(s / 2**0.25))
    yield "by_n", "divided by the number of keys", dict(weights=softmax(s / 6))
    yield "columns_no_scale", "no scale, and the wrong axis", dict(weights=softmax(s, 0))
    yield "expm1", "e^x − 1", dict(weights=np.expm1(z - z.min(-1, keepdims=True)) / np.expm1(z - z.min(-1, keepdims=True)).sum(-1, keepdims=True))
    yield "minus_mean", "the mean weight subtracted", dict(scaled=z, weights=softmax(z) - 1 / 6)
    yield "temperature", "a temperature of 10", dict(weights=softmax(z / 10))
    yield "eps", "1e-3 added to the sum", dict(scaled=z, weights=e / (e.sum(-1, keepdims=True) + 1e-3))


def attention(g):
    X = g["X"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    w = attend(Q, K)
    yield "x_for_values", "X instead of V", dict(weights=w, output=w @ X[:, :3])
    yield "half", "only the two largest weights are used", dict(weights=w, output=np.where(w >= np.sort(w)[:, [-2]], w, 0) @ V)
    yield "shifted_values", "each value one place too far", dict(output=w @ np.roll(V, 1, 0))
    yield "subtracted", "V subtracted", dict(weights=w, output=w @ V - V)


def sdpa(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    yield "sqrt_total", "divided by the root of batch times d_k", dict(output=attend(Q, K, V, divisor=12**0.5))
    yield "one_query", "the first query for all", dict(output=attend(np.repeat(Q[:, :1], 4, 1), K, V))
    yield "mean_batch", "the mean over the batch", dict(weights=np.repeat(attend(Q, K).mean(0, keepdims=True), 3, 0))


def masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see, z = causal(6), Q @ K.T / 2
    yield "three_seen", "three keys too many", dict(weights=attend(Q, K, mask=causal(6, 3)))
    yield "minus_100", "−100 multiplied by the mask's zeros, but added to what may be seen", dict(weights=softmax(z - 3.0 * ~see))
    yield "row_zero", "the first word sees nothing", dict(weights=attend(Q, K, mask=see) * (np.arange(6) > 0)[:, None])
    yield "scale_behind_mask", "no scale where masked early", dict(weights=attend(Q, K, mask=see, divisor=4))
    yield "checkerboard", "a mask that lets the present and every second word through", dict(weights=attend(Q, K, mask=see & ((np.arange(6)[:, None] - np.arange(6)) % 2 == 0)))
    yield "reversed", "the sentence is read from its end", dict(weights=attend(Q, K, mask=see[::-1]))


def multihead(g):
    X, W_O, h = g["X"], g["W_O"], 3
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    mixed = heads_of(g, h)
    yield "two_heads", "two heads instead of three", dict(output=merge(heads_of(g, 2)) @ W_O)
    yield "keys_not_split", "the keys' heads in reverse order", dict(output=merge(attend(split(Q, h), split(K, h)[::-1], split(V, h))) @ W_O)
    yield "rotated", "heads moved by one place", dict(output=merge(np.roll(mixed, 1, 0)) @ W_O)
    yield "one_missing", "the last head forgotten", dict(output=merge(mixed * (np.arange(3) < 2)[:, None, None]) @ W_O)
    yield "values_not_swapped", "V reshaped without exchanging the axes", dict(output=merge(attend(split(Q, h), split(K, h)) @ V.reshape(h, 5, -1)) @ W_O)
    yield "w_k_transposed", "W_K transposed", dict(output=merge(attend(split(Q, h), split(X @ g["W_K"].T, h), split(V, h))) @ W_O)


def cross(g):
    Q, K = g["X"] @ g["W_Q"], g["memory"] @ g["W_K"]
    yield "values_for_keys", "V for the keys", dict(weights=attend(Q, g["memory"] @ g["W_V"]))
    yield "by_n_k", "divided by the root of the number of keys", dict(weights=attend(Q, K, divisor=7**0.5))
    yield "memory_asks_itself", "queries made of memory", dict(weights=attend(g["memory"][:4] @ g["W_Q"], K))


def embed(g):
    ids, E, i = g["token_ids"].astype(int), g["token_embedding"], np.arange(6)
    pos = np.arange(len(ids))[:, None]

    def waves(angles):
        return np.where(i % 2 == 0, np.sin(angles), np.cos(angles))

    pairs = 10000.0 ** (-2 * (i // 2) / 6)
    x = E[ids] * 6**0.5
    yield "from_two", "positions from 2", dict(X=x + waves((pos + 2) * pairs))
    yield "normed", "words made 1 long", dict(X=E[ids] / np.linalg.norm(E[ids], axis=-1, keepdims=True) + waves(pos * pairs))
    yield "cosines_only", "cosines in every column", dict(X=x + np.cos(pos * pairs))
    yield "by_d_minus", "d − 1 in the exponent", dict(X=x + waves(pos * 10000.0 ** (-2 * (i // 2) / 5)))
    yield "twice", "positions added twice", dict(X=x + 2 * waves(pos * pairs))


def block(g):
    X = g["X"]
    mid = X + self_attention(norm(X), g, 3)
    own = lambda x, g: self_attention(x, g, 3)
    right = layer(g, attention=own)
    yield "relu_6", "a ReLU cut off at 1", dict(output=layer(g, attention=own, feed=lambda x, g: feed_forward(x, g, lambda y: np.clip(y, 0, 1))))
    yield "half_residual", "half of the residual", dict(output=mid / 2 + feed_forward(norm(mid), g))
    yield "norm_of_feed", "a norm behind feed-forward", dict(output=mid + norm(feed_forward(norm(mid), g)))
    yield "squared_relu", "the square of ReLU", dict(output=layer(g, attention=own, feed=lambda x, g: feed_forward(x, g, lambda y: relu(y) ** 2)))
    yield "only_centred", "the norm only subtracts the mean", dict(output=layer(g, *[lambda x: x - x.mean(-1, keepdims=True)] * 2, attention=own))
    yield "causal", "a causal mask that nobody asked for", dict(output=layer(g, attention=lambda x, g: self_attention(x, g, 3, mask=causal(5))))
    yield "first_twice", "attention twice instead of feed-forward", dict(output=mid + self_attention(norm(mid), g, 3))


def of_loss(g):
    v = loss(g)
    p, d, target, real, tokens = (v[name] for name in ("p", "right", "target", "real", "tokens"))
    d = d["dlogits"]
    yield "each_row", "divided by the words of the vocabulary", dict(dlogits=d * tokens / p.shape[-1])
    yield "centred_p", "p − 1/V instead of p − target", dict(dlogits=(p - 1 / p.shape[-1]) * real[:, None] / tokens)
    yield "log_of_sum", "the logarithm of the mean probability", dict(loss=-np.log((target * p).sum() / tokens))
    yield "absolute", "absolute differences", dict(loss=abs(p - target)[real].sum() / tokens)
    yield "first_only", "the first token's loss alone", dict(loss=-(target * v["logs"]).sum(-1)[0])


def different_softmax(g):
    X = g["X"]
    Q, K = X @ g["W_Q"], X @ g["W_K"]
    z = Q @ K.T / 2**0.5
    yield "keys_scaled", "K divided by the root of d_k before the product", dict(K=K / 2**0.5, scores=z, weights=softmax(z))
    yield "log_space", "exp of the log-softmax", dict(weights=np.exp(log_softmax(z)))
    yield "float16_form", "computed in float16", dict(weights=softmax(z.astype(np.float16)).astype(np.float32))
    yield "permille_form", "per mille", dict(weights=1000 * softmax(z))


def different_masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see = causal(6)
    w = attend(Q, K, mask=see)
    yield "blocked_is_minus", "a mask of 0 and −1e9, added", dict(mask=np.where(see, 0, -1e9), masked=Q @ K.T / 2 + np.where(see, 0, -1e9), weights=w)
    yield "mask_with_batch", "the mask with two axes in front", dict(mask=see[None, None] * 1.0, weights=w)
    yield "mask_before_scale", "−1e9 before the scale", dict(masked=np.where(see, Q @ K.T, -1e9) / 2, weights=w)


def different_multihead(g):
    X = g["X"]
    mixed = heads_of(g, 3)
    right = merge(mixed) @ g["W_O"]
    w = attend(*(split(X @ g[f"W_{M}"], 3) for M in "QK"))
    yield "head_last", "weights as (n, n, h)", dict(weights=w.transpose(1, 2, 0), output=right)
    yield "heads_as_rows", "weights as (h·n, n)", dict(weights=w.reshape(-1, 5), output=right)
    yield "token_first", "heads behind the tokens", dict(heads=T_heads(mixed), output=right)


def different_block(g):
    own = lambda x, g: self_attention(x, g, 3)
    mid = g["X"] + self_attention(norm(g["X"]), g, 3)
    yield "standard_norm_option", "nn.LayerNorm", dict(output=layer(g, standard_norm, standard_norm, own))
    yield "sum_of_parts", "attention and feed-forward added last", dict(output=self_attention(norm(g["X"]), g, 3) + feed_forward(norm(mid), g) + g["X"])


def different_loss(g):
    v = loss(g)
    yield "with_axis", "the loss as a 1 × 1 matrix", dict(loss=np.array([[v["right"]["loss"]]]), dlogits=v["right"]["dlogits"])
    yield "without_padding_form", "rows of the padding left out", dict(dlogits=v["right"]["dlogits"][v["real"]])
    yield "labels_as_rows", "float32", dict(target=v["target"].astype(np.float32), dlogits=v["right"]["dlogits"])


class wrong:
    SERIES = {
        "lookup --n-q 3 --n-k 4 --d-k 2 --d-v 5 --seed 51": lookup,
        "words --n-q 6 --d-model 3 --seed 52": words,
        "softmax --n-q 6 --d-model 5 --d-k 2 --seed 53": softmax_,
        "attention --n-q 5 --d-model 4 --d-k 2 --d-v 3 --seed 54": attention,
        "sdpa --batch 3 --n-q 4 --n-k 5 --d-k 4 --d-v 2 --seed 55": sdpa,
        "masked --n-q 6 --d-model 5 --d-k 4 --d-v 3 --causal --seed 56": masked,
        "multihead --n-q 5 --d-model 12 --heads 3 --seed 57": multihead,
        "cross --n-q 4 --n-k 7 --d-model 5 --d-k 3 --seed 58": cross,
        "embed --text 天地玄黄宇宙天 --d-model 6 --seed 59": embed,
        "block --n-q 5 --d-model 6 --heads 3 --d-ff 7 --seed 60": block,
        "loss --n-q 6 --d-model 5 --d-k 4 --seed 61": of_loss,
    }


class different:
    SERIES = {
        "softmax --n-q 6 --d-model 5 --d-k 2 --seed 62": different_softmax,
        "masked --n-q 6 --d-model 5 --d-k 4 --d-v 3 --causal --seed 63": different_masked,
        "multihead --n-q 5 --d-model 12 --heads 3 --seed 64": different_multihead,
        "block --n-q 5 --d-model 6 --heads 3 --d-ff 7 --seed 65": different_block,
        "loss --n-q 6 --d-model 5 --d-k 4 --seed 66": different_loss,
    }
