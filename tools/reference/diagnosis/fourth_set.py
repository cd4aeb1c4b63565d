"""A fourth set, held out as the third was, over all lessons that take arrays: what a class of sixty hands in, mistakes by
themselves and two together, on other sizes."""

import math

import numpy as np

from .attending import (attend, block as layer, causal, feed_forward, heads_of, log_softmax, merge, norm, one_hot,
                        relu, self_attention, softmax, split, standard_norm)
from .wrong_layers import loss


def lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ K.T
    w = softmax(s)
    yield "one_best", "the best score of the whole table alone", dict(hard=(s == s.max()) * 1.0, hard_output=(s == s.max()) @ V)
    yield "sorted", "each row's weights sorted", dict(weights=-np.sort(-w), output=-np.sort(-w) @ V)
    yield "by_n_k", "divided by the number of keys", dict(weights=w / 6, output=w @ V / 6)


def words(g):
    X = g["X"]
    n, dots = np.linalg.norm(X, axis=-1), X @ X.T
    squares = (X**2).sum(-1)
    yield "inner_of_norms", "divided by n·n, one number, instead of the table of products", dict(norms=n, cosines=dots / (n @ n))
    yield "diagonal_zeroed", "fill_diagonal changed the dots themselves", dict(dots=dots * (1 - np.eye(7)), cosines=dots * (1 - np.eye(7)) / np.outer(n, n))
    yield "no_mixed_term", "−2ab forgotten", dict(distances=np.sqrt(squares[:, None] + squares))
    yield "one_mixed_term", "−ab instead of −2ab", dict(dots=dots, distances=np.sqrt(squares[:, None] + squares - dots))


def qkv(g):
    X, W = g["X"], {M: g[f"W_{M}"] for M in "QKV"}
    yield "whole_numbers", "X read as whole numbers", dict(zip("QKV", (X.astype(int) @ W[M] for M in "QKV")))
    yield "dropout_kept", "divided by 0.9, as dropout does in training", dict(Q=X @ W["Q"] / 0.9, K=X @ W["K"] / 0.9, V=X @ W["V"] / 0.9)


def qkv_square(g):
    X, W_Q, W_K, W_V = (g[name] for name in ("X", "W_Q", "W_K", "W_V"))
    yield "key_transposed", "W_K alone transposed", dict(Q=X @ W_Q, K=X @ W_K.T, V=X @ W_V)
    yield "exchanged_transposed", "Q and K exchanged, W_V transposed", dict(Q=X @ W_K, K=X @ W_Q, V=X @ W_V.T)
    X_after = X @ W_Q
    yield "in_place", "X overwritten by Q", dict(Q=X_after, K=X_after @ W_K, V=X_after @ W_V)


def of_scores(g):
    Q, K = g["X"] @ g["W_Q"], g["X"] @ g["W_K"]
    yield "keys_ask", "K·Qᵀ", dict(scores=K @ Q.T)
    yield "scaled", "divided by the root of d_k already", dict(scores=Q @ K.T / 2)
    yield "queries_twice", "Q·Qᵀ", dict(scores=Q @ Q.T)


def of_softmax(g):
    s = g["X"] @ g["W_Q"] @ (g["X"] @ g["W_K"]).T
    z = s / 6**0.5
    e, w = np.exp(z), softmax(z)
    yield "no_scale", "not divided by the root of d_k", dict(weights=softmax(s))
    yield "by_d_k", "divided by d_k", dict(scaled=s / 6, weights=softmax(s / 6))
    yield "half_of_d_k", "d_k**1/2: half of d_k", dict(scaled=s / 3, weights=softmax(s / 3))
    yield "by_n", "divided by the root of n", dict(weights=softmax(s / 7**0.5))
    yield "columns", "softmax over the wrong axis", dict(weights=softmax(z, 0))
    yield "columns_by_d_k", "the wrong axis, and divided by d_k", dict(weights=softmax(s / 6, 0))
    yield "whole_no_scale", "softmax over the whole matrix, and no scale", dict(weights=np.exp(s - s.max()) / np.exp(s - s.max()).sum())
    maxima = z.max(0)
    yield "column_maxima", "the columns' maxima subtracted", dict(row_max=maxima[:, None], shifted=z - maxima, weights=softmax(z - maxima))
    yield "max_not_in_sum", "the maximum subtracted above the line only", dict(weights=np.exp(z - z.max(-1, keepdims=True)) / e.sum(-1, keepdims=True))
    yield "entropy_columns", "the entropy of the columns", dict(weights=w, entropy=-(w * np.log(w)).sum(0)[:, None])


def attention(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    s, w = Q @ K.T, attend(Q, K)
    yield "no_scale", "not divided by the root of d_k", dict(scaled=s, weights=softmax(s), output=softmax(s) @ V)
    yield "no_scale_transposed", "no scale, and the weights transposed", dict(output=softmax(s).T @ V)
    yield "columns", "softmax over the wrong axis", dict(output=softmax(s / 2, 0) @ V)
    yield "summed_over_queries", "(weights·V) summed over the queries", dict(weights=w, output=w.sum(0)[:, None] * V)
    yield "rounded", "weights rounded to three places before they mix", dict(output=w.round(3) @ V)
    yield "others_only", "a word does not see itself", dict(output=attend(Q, K, V, mask=~np.eye(7, dtype=bool)))


def sdpa(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    yield "by_n_k", "K.shape[1]: the root of the number of keys", dict(weights=attend(Q, K, divisor=6**0.5), output=attend(Q, K, V, divisor=6**0.5))
    yield "queries_axis", "dim=1: softmax over the queries", dict(output=attend(Q, K, V, axis=1))
    flat = attend(Q.reshape(8, 5), K.reshape(12, 5), V.reshape(12, 3))
    yield "one_sentence", "the batch flattened: keys of both sentences", dict(output=flat.reshape(2, 4, 3))
    yield "causal", "a causal mask that nobody asked for", dict(output=attend(Q, K, V, mask=np.tri(4, 6, dtype=bool)))


def masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see, z = causal(8), Q @ K.T / 5**0.5
    w = softmax(z)
    yield "behind", "set to 0 behind the softmax", dict(weights=np.tril(w), output=np.tril(w) @ V)
    yield "zeros", "the scores multiplied by the mask", dict(weights=softmax(z * see))
    yield "next_seen", "triu(k=2): one key too many", dict(weights=attend(Q, K, mask=causal(8, 1)))
    with np.errstate(invalid="ignore"):
        yield "itself_hidden", "triu(k=0): a word does not see itself, the first sees nothing", dict(weights=softmax(np.where(causal(8, -1), z, -np.inf)))
    yield "polarity", "−1e9 added where it may be seen", dict(weights=softmax(z - 1e9 * see))
    yield "upper_no_scale", "the past hidden, and no scale", dict(weights=attend(Q, K, divisor=1, mask=see.T))
    yield "no_scale", "not divided by the root of d_k", dict(weights=attend(Q, K, divisor=1, mask=see))
    yield "plus_infinite", "+1e9 instead of −1e9", dict(weights=attend(Q, K, mask=see, fill=1e9))
    yield "no_mask", "the mask computed, but not used", dict(mask=see * 1.0, weights=w, output=w @ V)


def padded(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    real, w = np.arange(7) < 4, attend(Q, K)
    yield "one_less", "one token of padding is seen", dict(weights=attend(Q, K, mask=np.arange(7) < 5))
    yield "rows", "the padding's rows are hidden instead of its columns", dict(weights=w * real[:, None])
    yield "rows_too", "the padding's rows set to 0 too", dict(weights=attend(Q, K, mask=real) * real[:, None])
    yield "polarity", "only the padding is seen", dict(weights=attend(Q, K, mask=~real))


def multihead(g):
    X, W_O, h = g["X"], g["W_O"], 3
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    mixed = heads_of(g, h)
    folded = [M.reshape(h, 7, 5) for M in (Q, K, V)]
    yield "not_swapped", "view(h, n, d_k) without transpose", dict(Q_heads=folded[0], output=merge(attend(*folded)) @ W_O)
    yield "merged_not_swapped", "reshape(n, d_model) without transposing back", dict(output=mixed.reshape(7, 15) @ W_O)
    yield "not_swapped_no_scale", "no transpose, and no scale", dict(output=merge(attend(*folded, divisor=1)) @ W_O)
    yield "no_w_o", "W_O is missing", dict(output=merge(mixed))
    yield "d_model", "divided by the root of d_model", dict(output=merge(heads_of(g, h, divisor=15**0.5)) @ W_O)
    yield "five_heads", "h and d_k exchanged", dict(output=merge(heads_of(g, 5)) @ W_O)
    yield "w_o_transposed", "nn.Linear's W_O: transposed", dict(concat=merge(mixed), output=merge(mixed) @ W_O.T)
    yield "interleaved", "reshape(n, d_k, h)", dict(output=merge(attend(*(M.reshape(7, 5, h).transpose(2, 0, 1) for M in (Q, K, V)))) @ W_O)


def multihead_masked(g):
    W_O, see = g["W_O"], causal(4)
    Q, K, V = (split(g["X"] @ g[f"W_{M}"], 5) for M in "QKV")
    w, masked = attend(Q, K), attend(Q, K, mask=see)
    yield "no_mask", "no mask", dict(output=merge(w @ V) @ W_O)
    yield "first_head", "only the first head is masked", dict(output=merge(np.concatenate([masked[:1], w[1:]]) @ V) @ W_O)
    yield "behind", "set to 0 behind the softmax", dict(output=merge(w * see @ V) @ W_O)
    yield "reversed_no_mask", "heads in reverse order, and no mask", dict(output=merge((w @ V)[::-1]) @ W_O)


def cross(g):
    X, M = g["X"], g["memory"]
    Q, K, V = X @ g["W_Q"], M @ g["W_K"], M @ g["W_V"]
    yield "no_scale", "not divided by the root of d_k", dict(weights=attend(Q, K, divisor=1), output=attend(Q, K, V, divisor=1))
    yield "roles", "memory asks, X answers", dict(weights=attend(M @ g["W_Q"], X @ g["W_K"]), output=attend(M @ g["W_Q"], X @ g["W_K"], X @ g["W_V"]))
    yield "rolled_values", "keys and values one token apart", dict(weights=attend(Q, K), output=attend(Q, K, np.roll(V, 1, 0)))
    yield "weights_exchanged", "W_Q and W_K exchanged, no scale", dict(weights=attend(X @ g["W_K"], M @ g["W_Q"], divisor=1))


def cross_padded(g):
    Q, K, V = g["X"] @ g["W_Q"], g["memory"] @ g["W_K"], g["memory"] @ g["W_V"]
    real = np.arange(7) < 5
    yield "no_mask", "the padding is seen", dict(weights=attend(Q, K), output=attend(Q, K, V))
    yield "one_less", "one token of padding is seen", dict(output=attend(Q, K, V, mask=np.arange(7) < 6))
    yield "polarity", "only the padding is seen", dict(output=attend(Q, K, V, mask=~real))


def embed(g):
    ids, E, i = g["token_ids"].astype(int), g["token_embedding"], np.arange(12)
    pos = np.arange(10)[:, None]

    def waves(angles, even=np.sin, odd=np.cos):
        return np.where(i % 2 == 0, even(angles), odd(angles))

    pairs, x = 10000.0 ** (-2 * (i // 2) / 12), E[ids] * 12**0.5
    P, half = waves(pos * pairs), pos * 10000.0 ** (-2 * np.arange(6) / 12)
    yield "no_root", "not multiplied by the root of d_model", dict(X=E[ids] + P)
    yield "from_one", "positions from 1", dict(X=x + waves((pos + 1) * pairs))
    yield "exchanged", "sine and cosine exchanged", dict(position_vectors=waves(pos * pairs, np.cos, np.sin), X=x + waves(pos * pairs, np.cos, np.sin))
    yield "halves_no_root", "all sines, then all cosines, and no root", dict(X=E[ids] + np.concatenate([np.sin(half), np.cos(half)], -1))
    yield "each_column", "i of the column, not of the pair", dict(X=x + waves(pos * 10000.0 ** (-i / 12)))
    yield "half_width", "d_model/2 in the exponent", dict(X=x + waves(pos * 10000.0 ** (-2 * (i // 2) / 6)))
    yield "place_of_first", "a repeated word gets the place where it stood first", dict(X=x + P[ids])
    yield "mean", "the mean of word and place", dict(X=(x + P) / 2)


def block(g):
    X = g["X"]
    own = lambda x, g, **change: self_attention(x, g, 3, **change)
    mid = X + own(norm(X), g)
    none = lambda x: x
    yield "mixed_up", "the first norm behind, the second before", dict(output=norm(X + own(X, g)) + feed_forward(norm(norm(X + own(X, g))), g))
    yield "no_residual_1", "the first residual is missing", dict(output=layer({**g, "X": own(norm(X), g)}, none, attention=lambda x, g: 0 * x))
    yield "no_norm_2", "the second norm is missing", dict(output=layer(g, norm_2=none, attention=own))
    yield "biased", "the deviation over n", dict(norm_1=norm(X, ddof=0), output=layer(g, *[lambda x: norm(x, ddof=0)] * 2, attention=own))
    yield "columns", "axis=0 in the norm", dict(output=layer(g, *[lambda x: norm(x, axis=0)] * 2, attention=own))
    yield "no_scale", "not divided by the root of d_k", dict(output=layer(g, attention=lambda x, g: own(x, g, divisor=1)))
    yield "no_w_o_no_relu", "W_O and ReLU are missing", dict(output=layer({**g, "W_O": np.eye(15)}, attention=own, feed=lambda x, g: feed_forward(x, g, none)))
    folded = lambda x, g: merge(attend(*((x @ g[f"W_{M}"]).reshape(3, 6, 5) for M in "QKV"))) @ g["W_O"]
    yield "not_swapped", "heads reshaped without transpose", dict(output=layer(g, attention=folded))
    yield "in_place", "x += changed X: the second sublayer's sum has it twice", dict(residual_1=mid, output=2 * mid + feed_forward(norm(mid), g))


def block_last(g):
    X = g["X"]
    mid = norm(X + self_attention(X, g))
    yield "norm_inside", "the norm before the sum", dict(output=X + norm(self_attention(X, g)) + norm(feed_forward(X + norm(self_attention(X, g)), g)))
    yield "no_last_norm", "the last norm is missing", dict(norm_1=mid, output=mid + feed_forward(mid, g))
    once = X + self_attention(X, g)
    yield "once", "one norm, at the end", dict(output=norm(once + feed_forward(once, g)))
    yield "residual_of_x", "X added in the second sum too", dict(output=norm(X + feed_forward(mid, g)))


def block_standard(g):
    X = g["X"]
    gelu = lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / 2**0.5))
    of = lambda norm, activation=gelu: layer(g, norm, norm, feed=lambda x, g: feed_forward(x, g, activation))
    yield "unbiased", "the variance over n − 1", dict(output=of(lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, ddof=1, keepdims=True) + 1e-5)))
    yield "eps_outside", "ε outside the root", dict(output=of(lambda x: norm(x, 1e-5, 0)))
    yield "no_eps", "ε is missing", dict(output=of(lambda x: norm(x, 0, 0)))
    yield "tanh_gelu", "GELU by its approximation", dict(output=of(standard_norm, lambda x: 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))))
    yield "relu_unbiased", "ReLU, and the variance over n − 1", dict(output=of(lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, ddof=1, keepdims=True) + 1e-5), relu))


def of_loss(g):
    v = loss(g)
    logits, logs, p, real, labels, tokens = (v[name] for name in ("logits", "logs", "p", "real", "labels", "tokens"))
    d, target, of = v["right"]["dlogits"], v["target"], v["of"]
    hot = one_hot(labels, 8)
    yield "sum", "reduction='sum'", dict(loss=of(target), dlogits=d * tokens)
    yield "padding_counts", "ignore_index forgotten", dict(loss=of(hot) / 7, dlogits=(p - hot) / 7)
    yield "all_tokens", "the padding's zeros counted in the mean", dict(loss=of(target) / 7)
    yield "bits_sum", "the sum, and logarithms to the base 2", dict(loss=of(target) / np.log(2))
    own = np.vstack([one_hot([1], 8), hot[:-1]])
    yield "not_shifted", "labels are the words themselves", dict(loss=of(own) / 7, dlogits=(p - own) / 7)
    bare = attend(v["Q"], v["K"], v["V"]) @ g["W_O"]
    yield "no_mask", "attention sees the next word", dict(logits=bare, loss=of(target, log_softmax(bare)) / tokens)
    yield "softmax_twice", "CrossEntropyLoss of probabilities", dict(loss=of(target, log_softmax(p)) / tokens, dlogits=(softmax(p) * real[:, None] - target) / tokens)
    yield "padding_gradient", "the padding's row has p", dict(dlogits=(p - target) / tokens)
    yield "sign_not_divided", "target − p, not divided", dict(dlogits=-d * tokens)


def smoothed(g):
    v = loss(g, 0.2)
    p, real, labels, tokens = (v[name] for name in ("p", "real", "labels", "tokens"))
    hot = one_hot(labels, 9) * real[:, None]

    def handed(target):
        return dict(target=target, loss=v["of"](target) / tokens, dlogits=(p * target.sum(-1, keepdims=True) - target) / tokens)

    yield "exchanged", "the label gets 0.2", handed(np.where(hot > 0, 0.2, np.where(v["target"] > 0, 0.8 / 7, 0)))
    yield "padding_too", "the padding's column has a share: V − 1", handed(np.where(hot > 0, 0.8, 0.2 / 8) * real[:, None])
    yield "over_all", "0.8·onehot + 0.2/V", handed((0.8 * hot + 0.2 / 9) * real[:, None])
    yield "padding_rows", "rows of the padding smoothed too", dict(target=np.where(real[:, None], v["target"], 0.2 / 7))


def backward(g, v):
    d = v["right"]["dlogits"]
    d_out = d @ g["W_O"].T
    d_w = d_out @ v["V"].T
    d_s = v["w"] * (d_w - (d_w * v["w"]).sum(-1, keepdims=True)) / v["Q"].shape[-1] ** 0.5
    return dict(d=d, d_out=d_out, d_w=d_w, d_s=d_s, dQ=d_s @ v["K"], dK=d_s.T @ v["Q"], dV=v["w"].T @ d_out)


def gradients(g):
    v = loss(g)
    X, b = v["X"], backward(g, v)
    yield "no_scale", "the root of d_k forgotten on the way back", dict(dlogits=b["d"], dW_Q=X.T @ b["dQ"] * 2, dW_K=X.T @ b["dK"] * 2)
    bare = v["w"] * b["d_w"] / 2
    yield "no_row_sum", "softmax's row sum is missing", dict(dlogits=b["d"], dscores=bare, dW_Q=X.T @ bare @ v["K"])
    yield "overwritten", "dX overwritten, not added up: the way through Q alone", dict(dX=b["dQ"] @ g["W_Q"].T)


def gradient_of_w_q(g):
    v = loss(g)
    return g["W_Q"], v["X"].T @ backward(g, v)["dQ"]


def train(g):
    W, d = gradient_of_w_q(g)
    m, v = 0.1 * d, 0.02 * d**2

    def handed(direction, rate=-0.02, **more):
        return dict(m_W_Q=m, v_W_Q=v, direction_W_Q=direction, update_W_Q=rate * direction, W_Q_after=W + rate * direction) | more

    right = d / (abs(d) + 1e-9)
    yield "no_correction", "bias correction is missing", handed(m / (np.sqrt(v) + 1e-9))
    yield "no_correction_of_v", "only m is corrected", handed(d / (np.sqrt(v) + 1e-9), m_hat_W_Q=d, v_hat_W_Q=v)
    yield "no_root", "the root of v is missing", handed(d / (d**2 + 1e-9))
    yield "ascent", "plus instead of minus", handed(right, 0.02)
    yield "no_rate", "the learning rate is missing", handed(right, -1.0)
    with np.errstate(all="ignore"):
        yield "from_step_0", "t from 0: divided by 0", handed((m / (1 - 0.9**0)) / (np.sqrt(v / (1 - 0.98**0)) + 1e-9))
    yield "step_2", "corrected as in step 2, and eps 1e-3", handed(m / (1 - 0.9**2) / (np.sqrt(v / (1 - 0.98**2)) + 1e-3))


def train_decayed(g):
    W, d = gradient_of_w_q(g)
    right, pulled = d / (abs(d) + 1e-9), d + 0.1 * W
    yield "in_gradient", "the decay added to the gradient: Adam with L2", dict(m_W_Q=0.1 * pulled, v_W_Q=0.02 * pulled**2, W_Q_after=W - 0.01 * pulled / (abs(pulled) + 1e-9))
    yield "no_rate", "the decay without the learning rate", dict(W_Q_after=W - 0.01 * right - 0.1 * W)
    yield "none", "no decay", dict(W_Q_after=W - 0.01 * right)
    yield "behind", "the decay of the new weights", dict(W_Q_after=(W - 0.01 * right) * (1 - 0.001))


def cut(p, k=4, reach=0.8, behind=False):
    """Shares after top-k and top-p, the most probable first in `order`."""
    order = np.argsort(-p[0], kind="stable")
    kept = np.zeros_like(p)
    kept[0, order[:k]] = p[0, order[:k]]
    of_k = kept / kept.sum()
    before = np.empty_like(p)
    before[0, order] = np.cumsum(of_k[0, order]) - (0 if behind else of_k[0, order])
    of_p = np.where(before < reach, of_k, 0)
    return of_k, of_p / of_p.sum()


def decode(g):
    logits, u, lengths = g["logits"], g["u"].item(), g["lengths"]
    sums = (g["target_log_probs"] * g["counted"]).sum(0, keepdims=True)
    p = softmax(logits / 0.7)

    def handed(p, **change):
        of_k, of_p = cut(p, **change)
        return dict(probs=p, probs_k=of_k, probs_p=of_p)

    yield "no_temperature", "the temperature forgotten", handed(softmax(logits))
    yield "multiplied", "multiplied by the temperature", handed(softmax(logits * 0.7))
    yield "of_probabilities", "probabilities divided by the temperature", handed(softmax(softmax(logits) / 0.7))
    yield "one_more", "top-k + 1 tokens", handed(p, k=5)
    yield "reached_cut", "the token that reaches p is cut off", handed(p, behind=True)
    yield "not_divided", "top-k without dividing by the sum again", dict(probs=p, probs_k=np.where(cut(p)[0] > 0, p, 0))
    of_p = cut(p)[1]
    ends = np.cumsum(of_p[0])
    yield "in_order_of_ids", "drawn in the vocabulary's order", dict(probs_p=of_p, taken=one_hot([np.searchsorted(ends, u)], 8))
    yield "mean", "the mean of a target's logarithms", dict(sum=sums, score=sums / lengths)
    yield "not_counted", "what stands behind the end is added too", dict(sum=g["target_log_probs"].sum(0, keepdims=True), score=g["target_log_probs"].sum(0, keepdims=True) / g["penalty"])


def placed(X, from_=0):
    i, pos = np.arange(8), np.arange(len(X))[:, None] + from_
    angles = pos * 10000.0 ** (-2 * (i // 2) / 8)
    return np.where(i % 2 == 0, np.sin(angles), np.cos(angles))


def cache(g):
    X, W = g["X"], {M: g[f"W_{M}"] for M in "QKV"}

    def decoded(asking, kept, see=causal(6), **change):
        K, V = kept @ W["K"], kept @ W["V"]
        return dict(keys=K, values=V, output=attend(asking @ W["Q"], K, V, mask=see, **change))

    x = X + placed(X)
    yield "positions_restart", "every step is position 0", decoded(X + placed(X)[:1], X + placed(X)[:1])
    yield "from_one", "positions from 1", decoded(X + placed(X, 1), X + placed(X, 1))
    yield "no_positions", "positions forgotten in the cache", decoded(x, X)
    yield "overwritten", "the cache holds the newest key alone", decoded(x, x, np.eye(6, dtype=bool))
    with np.errstate(invalid="ignore"):
        yield "stale", "asked before the new key is appended", decoded(x, x, causal(6, -1))
    yield "future", "all keys of the sentence", decoded(x, x, np.ones((6, 6), bool))


def params(g):
    d, f, N, V = (g[name].item() for name in ("d_model", "d_ff", "N", "vocab"))
    attention, feed, norms = 4 * (d * d + d), 2 * d * f + f + d, 2 * d
    total = N * (3 * attention + 2 * feed + 5 * norms) + 2 * norms + 2 * V * d + d * V + V
    yield "no_biases", "biases forgotten", dict(total=np.array(N * (12 * d * d + 4 * d * f + 5 * norms) + 2 * norms + 3 * V * d))
    yield "one_table", "one table for both languages", dict(total=np.array(total - V * d))
    yield "one_attention", "a decoder layer with one attention", dict(total=np.array(total - N * attention))
    yield "two_moments_missing", "weights and gradients alone", dict(total=np.array(total), training_bytes=np.array(8 * total))


def glued(row, pair, new):
    out, at = [], 0
    while at < len(row):
        both = tuple(row[at:at + 2]) == pair
        out, at = out + [new if both else row[at]], at + 1 + both
    return out


def learned(g, merges=7, counts=None, best=min, first=0):
    """Merges and the word's tokens; `best` chooses among pairs that are equally frequent."""
    rows = [[int(x) for x in row if x >= 0] for row in g["pieces"]]
    counts = g["counts"].ravel() if counts is None else counts
    pairs, word, new = [], [int(x) for x in g["word"].ravel()], g["symbols"].size + first
    for new in range(new, new + merges):
        found = {}
        for row, n in zip(rows, counts):
            for pair in zip(row, row[1:]):
                found[pair] = found.get(pair, 0) + n
        pair = best(pair for pair in found if found[pair] == max(found.values()))
        pairs.append(pair)
        rows = [glued(row, pair, new) for row in rows]
    return pairs, word


def cut_word(pairs, word, size, first=11):
    for k, pair in pairs:
        word = glued(word, pair, first + k)
    return np.array([word + [-1] * (size - len(word))], float)


def bpe(g):
    size = g["word"].size

    def handed(pairs, word):
        return dict(merges=np.array(pairs, float), tokens=cut_word(enumerate(pairs), word, size))

    yield "last_of_equal", "of equally frequent pairs the last one", handed(*learned(g, best=max))
    yield "types", "each word counted once", handed(*learned(g, counts=np.ones(5)))
    pairs, word = learned(g)
    yield "newest_first", "merges applied from the last to the first", dict(merges=np.array(pairs, float), tokens=cut_word(list(enumerate(pairs))[::-1], word, size))
    yield "one_pass", "the word cut by the first merge alone", dict(merges=np.array(pairs, float), tokens=cut_word([(0, pairs[0])], word, size))


def different_lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    yield "einsum", "einsum over d_k and over the keys", dict(output=np.einsum("qk,kv->qv", softmax(np.einsum("qd,kd->qk", Q, K)), V))


def different_words(g):
    X = g["X"]
    n, dots = (X**2).sum(-1), X @ X.T
    yield "by_dots", "distances by |a|² + |b|² − 2ab", dict(distances=np.sqrt(np.maximum(n[:, None] + n - 2 * dots, 0)))


def different_softmax(g):
    Q, K = g["X"] @ g["W_Q"], g["X"] @ g["W_K"]
    z = Q @ K.T / 6**0.5
    yield "log_sum_exp", "exp(z − log-sum-exp)", dict(scaled=z, weights=np.exp(z - np.log(np.exp(z).sum(-1, keepdims=True))))
    yield "powers_of_2", "2 to the power of z/ln 2", dict(weights=2 ** (z / np.log(2)) / (2 ** (z / np.log(2))).sum(-1, keepdims=True))
    yield "scaled_by_power", "multiplied by d_k**-0.5, in float32", dict(weights=softmax((Q @ K.T).astype(np.float32) * np.float32(6**-0.5)))
    yield "transposed_back", "softmax over axis 0 of the transposed, transposed back", dict(weights=softmax(z.T, 0).T)
    yield "three_places_form", "rounded to three places", dict(weights=softmax(z).round(3))


def different_attention(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    e = np.exp(Q @ K.T / 2)
    yield "divided_last", "the values mixed first, divided by the sum last", dict(output=e @ V / e.sum(-1, keepdims=True))
    yield "row_by_row", "a loop over the queries", dict(output=np.stack([softmax(K @ q / 2) @ V for q in Q]))


def different_masked(g):
    Q, K, V = (g["X"] @ g[f"W_{M}"] for M in "QKV")
    see, z = causal(8), Q @ K.T / 5**0.5
    w = attend(Q, K, mask=see)
    yield "minus_1e9", "masked_fill with −1e9", dict(masked=np.where(see, z, -1e9), weights=w, output=w @ V)
    kept = np.exp(z) * see
    yield "exp_masked", "exponentials set to 0 before the sum", dict(weights=kept / kept.sum(-1, keepdims=True))
    yield "triu", "a mask of triu(k=1): 1 is blocked", dict(mask=np.triu(np.ones((8, 8)), 1), output=w @ V)
    yield "prefixes", "each query alone with its own keys", dict(output=np.stack([softmax(z[t, :t + 1]) @ V[:t + 1] for t in range(8)]))


def different_multihead(g):
    X, W_O, mixed = g["X"], g["W_O"], heads_of(g, 3)
    w = attend(*(split(X @ g[f"W_{M}"], 3) for M in "QK"))
    yield "averaged", "nn.MultiheadAttention: weights averaged", dict(weights=w.mean(0), output=merge(mixed) @ W_O)
    yield "einsum", "einsum with W_O by heads", dict(output=np.einsum("hnd,hdm->nm", mixed, W_O.reshape(3, 5, 15)))
    yield "hstack", "heads side by side by hstack", dict(concat=np.hstack(list(mixed)), output=np.hstack(list(mixed)) @ W_O)


def different_embed(g):
    ids, E, pos = g["token_ids"].astype(int), g["token_embedding"], np.arange(10)[:, None]
    P = np.zeros((10, 12))
    steps = np.exp(np.arange(0, 12, 2) * -(math.log(10000.0) / 12))
    P[:, 0::2], P[:, 1::2] = np.sin(pos * steps), np.cos(pos * steps)
    yield "annotated", "div_term by exp and log, as The Annotated Transformer", dict(position_vectors=P, X=one_hot(ids, 9) @ E * math.sqrt(12) + P)


def different_block(g):
    own = lambda x, g: self_attention(x, g, 3)
    mid = norm(g["X"] + own(g["X"], g))
    yield "last_option", "the norm behind each residual, as the paper has it", dict(output=norm(mid + feed_forward(mid, g)))
    yield "standard_option", "nn.LayerNorm", dict(output=layer(g, standard_norm, standard_norm, own))
    yield "two_steps", "feed-forward a token at a time", dict(output=layer(g, attention=own, feed=lambda x, g: np.stack([feed_forward(row, g) for row in x])))


def different_block_last(g):
    yield "first_option", "the norm before each sublayer", dict(output=layer(g))


def different_loss(g):
    v = loss(g)
    d, each = v["right"]["dlogits"], -v["logs"][np.arange(7), v["labels"]]
    yield "picked", "log-probabilities picked by the label, then the mean of the real ones", dict(loss=each[v["real"]].mean(), dlogits=d)
    yield "log_of_softmax", "log(softmax)", dict(log_probs=np.log(v["p"]), dlogits=d)


def different_smoothed(g):
    v = loss(g, 0.2)
    yield "cross_entropy", "without the target's own entropy", dict(loss=-(v["target"] * v["logs"]).sum() / v["tokens"], dlogits=v["right"]["dlogits"])


def different_train(g):
    W, d = gradient_of_w_q(g)
    yield "shrunk_first", "W·(1 − rate·decay) first, as torch.optim.AdamW", dict(W_Q_after=W * (1 - 0.01 * 0.1) - 0.01 / (1 - 0.9) * (0.1 * d) / (np.sqrt(0.02 * d**2) / np.sqrt(1 - 0.98) + 1e-9))


def different_decode(g):
    z = g["logits"] / 0.7
    yield "minus_infinite", "logits below the k-th set to −∞, then softmax", dict(probs_k=softmax(np.where(z >= np.sort(z)[:, [-4]], z, -np.inf)))
    yield "cumsum", "sorted, cumsum, scattered back", dict(probs_p=cut(softmax(z))[1])


def different_cache(g):
    x = g["X"] + placed(g["X"])
    Q, K, V = (x @ g[f"W_{M}"] for M in "QKV")
    yield "at_once", "no cache: all at once with a causal mask", dict(keys=K, values=V, output=attend(Q, K, V, mask=causal(6)))


class wrong:
    SERIES = {
        "lookup --n-q 4 --n-k 6 --d-k 3 --d-v 5 --seed 201": lookup,
        "words --n-q 7 --d-model 4 --seed 202": words,
        "qkv --n-q 4 --d-model 6 --d-k 3 --d-v 5 --seed 203": qkv,
        "qkv --n-q 7 --d-model 3 --seed 204": qkv_square,
        "scores --n-q 6 --d-model 3 --d-k 4 --seed 205": of_scores,
        "softmax --n-q 7 --d-model 3 --d-k 6 --seed 206": of_softmax,
        "attention --n-q 7 --d-model 6 --d-k 4 --d-v 3 --seed 207": attention,
        "sdpa --batch 2 --n-q 4 --n-k 6 --d-k 5 --d-v 3 --seed 208": sdpa,
        "masked --n-q 8 --d-model 6 --d-k 5 --d-v 3 --causal --seed 209": masked,
        "masked --n-q 7 --d-model 4 --d-k 5 --d-v 2 --pad 3 --seed 210": padded,
        "multihead --n-q 7 --d-model 15 --heads 3 --seed 211": multihead,
        "multihead --n-q 4 --d-model 10 --heads 5 --causal --seed 212": multihead_masked,
        "cross --n-q 4 --n-k 6 --d-model 7 --d-k 5 --d-v 3 --seed 213": cross,
        "cross --n-q 3 --n-k 7 --d-model 6 --d-k 4 --d-v 5 --pad 2 --seed 214": cross_padded,
        "embed --text 春眠不觉晓处处闻啼鸟 --d-model 12 --seed 215": embed,
        "block --n-q 6 --d-model 15 --heads 3 --d-ff 8 --seed 216": block,
        "block --n-q 7 --d-model 10 --heads 2 --d-ff 9 --norm-last --seed 217": block_last,
        "block --n-q 4 --d-model 6 --heads 2 --d-ff 9 --norm standard --activation gelu --seed 218": block_standard,
        "loss --n-q 7 --d-model 6 --d-k 4 --d-v 5 --seed 219": of_loss,
        "loss --n-q 8 --d-model 5 --d-k 3 --d-v 4 --smoothing 0.2 --seed 220": smoothed,
        "loss --n-q 7 --d-model 6 --d-k 4 --d-v 5 --seed 221": gradients,
        "train --n-q 7 --d-model 5 --d-k 3 --d-v 4 --lr 0.02 --seed 222": train,
        "train --n-q 7 --d-model 5 --d-k 3 --d-v 4 --optimizer adamw --weight-decay 0.1 --seed 223": train_decayed,
        "decode --temperature 0.7 --top-k 4 --top-p 0.8 --seed 246": decode,
        "cache --n-q 6 --d-model 8 --d-k 3 --d-v 5 --seed 225": cache,
        "params --d-model 96 --heads 6 --d-ff 200 --layers 3 --vocab 50 --seq 20": params,
        "bpe --merges 7 --word slowest": bpe,
    }


class different:
    SERIES = {
        "lookup --n-q 4 --n-k 6 --d-k 3 --d-v 5 --seed 231": different_lookup,
        "words --n-q 7 --d-model 4 --seed 232": different_words,
        "softmax --n-q 7 --d-model 3 --d-k 6 --seed 233": different_softmax,
        "attention --n-q 7 --d-model 6 --d-k 4 --d-v 3 --seed 234": different_attention,
        "masked --n-q 8 --d-model 6 --d-k 5 --d-v 3 --causal --seed 235": different_masked,
        "multihead --n-q 7 --d-model 15 --heads 3 --seed 236": different_multihead,
        "embed --text 春眠不觉晓处处闻啼鸟 --d-model 12 --seed 237": different_embed,
        "block --n-q 6 --d-model 15 --heads 3 --d-ff 8 --seed 238": different_block,
        "block --n-q 7 --d-model 10 --heads 2 --d-ff 9 --norm-last --seed 239": different_block_last,
        "loss --n-q 7 --d-model 6 --d-k 4 --d-v 5 --seed 240": different_loss,
        "loss --n-q 8 --d-model 5 --d-k 3 --d-v 4 --smoothing 0.2 --seed 241": different_smoothed,
        "train --n-q 7 --d-model 5 --d-k 3 --d-v 4 --optimizer adamw --weight-decay 0.1 --seed 242": different_train,
        "decode --temperature 0.7 --top-k 4 --top-p 0.8 --seed 243": different_decode,
        "cache --n-q 6 --d-model 8 --d-k 3 --d-v 5 --seed 244": different_cache,
    }
