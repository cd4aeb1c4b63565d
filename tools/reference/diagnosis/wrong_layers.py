"""What learners do wrong in the lessons multihead to loss: (name, cause, tensors handed in)."""

import math

import numpy as np

from .attending import (T, attend, block as layer, causal, feed_forward, heads_of, log_softmax, merge, norm, one_hot,
                        relu, self_attention, softmax, split, standard_norm)


def multihead(g):
    X, W_O, n, d, h = g["X"], g["W_O"], 5, 8, 2
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    mixed = heads_of(g, h)
    right = merge(mixed) @ W_O

    def of(split_, merge_=merge):
        return merge_(attend(split_(Q), split_(K), split_(V))) @ W_O

    yield "not_swapped", "reshaped into heads without exchanging the axes", dict(output=of(lambda M: M.reshape(h, n, -1)))
    yield "both_not_swapped", "reshaped into heads and back without exchanging the axes", dict(
        output=of(lambda M: M.reshape(h, n, -1), lambda M: M.reshape(n, d)))
    yield "merged_not_swapped", "merged without exchanging the axes back", dict(heads=mixed, output=mixed.reshape(n, d) @ W_O)
    interleaved = [M.reshape(n, -1, h).transpose(2, 0, 1) for M in (Q, K, V)]
    yield "interleaved", "every second column is a head's", dict(Q_heads=interleaved[0], output=merge(attend(*interleaved)) @ W_O)
    yield "merged_interleaved", "the heads' columns in turn when merged", dict(output=mixed.transpose(1, 2, 0).reshape(n, d) @ W_O)
    yield "reversed", "heads merged in reverse order", dict(heads=mixed, output=merge(mixed[::-1]) @ W_O)
    yield "no_w_o", "W_O is missing", dict(concat=merge(mixed), output=merge(mixed))
    yield "w_o_transposed", "W_O transposed", dict(output=merge(mixed) @ W_O.T)
    yield "by_d_model", "divided by the root of d_model", dict(output=merge(heads_of(g, h, divisor=8**0.5)) @ W_O)
    yield "by_h", "divided by the root of the number of heads", dict(output=merge(heads_of(g, h, divisor=2**0.5)) @ W_O)
    yield "no_scale", "not divided by the root of d_k", dict(output=merge(heads_of(g, h, divisor=1)) @ W_O)
    yield "by_d_k", "divided by d_k", dict(weights=attend(split(Q, h), split(K, h), divisor=4), output=merge(heads_of(g, h, divisor=4)) @ W_O)
    yield "one_head", "one head of the full width", dict(output=attend(Q, K, V) @ W_O)
    yield "four_heads", "four heads instead of two", dict(output=merge(heads_of(g, 4)) @ W_O)
    yield "summed", "the heads added up instead of side by side", dict(concat=np.tile(mixed.sum(0), h), output=np.tile(mixed.sum(0), h) @ W_O)
    yield "averaged_weights", "every head uses the mean of all weights", dict(
        output=merge(attend(split(Q, h), split(K, h)).mean(0) @ split(V, h)) @ W_O)
    yield "first_head", "the first head twice", dict(output=np.tile(mixed[0], h) @ W_O)
    yield "across_heads", "softmax over the heads", dict(output=merge(heads_of(g, h, axis=0)) @ W_O)
    yield "queries_axis", "softmax over the queries", dict(output=merge(heads_of(g, h, axis=1)) @ W_O)
    yield "w_q_transposed", "W_Q transposed", dict(output=merge(attend(*(split(M, h) for M in (X @ g["W_Q"].T, K, V)))) @ W_O)
    yield "all_transposed", "W_Q, W_K, W_V transposed", dict(output=merge(attend(*(split(X @ g[f"W_{M}"].T, h) for M in "QKV"))) @ W_O)
    yield "keys_for_values", "mixes the keys", dict(output=merge(attend(*(split(M, h) for M in (Q, K, K)))) @ W_O)
    yield "residual", "X added behind", dict(output=right + X)
    yield "w_o_twice", "W_O twice", dict(output=right @ W_O)
    yield "causal", "a causal mask that nobody asked for", dict(output=merge(heads_of(g, h, mask=causal(5))) @ W_O)
    yield "swapped", "Q and K swapped", dict(output=merge(attend(*(split(M, h) for M in (K, Q, V)))) @ W_O)


def cross(g):
    X, M = g["X"], g["memory"]
    Q, K, V = X @ g["W_Q"], M @ g["W_K"], M @ g["W_V"]
    yield "swapped", "the encoder asks, the decoder answers", dict(weights=attend(M @ g["W_Q"], X @ g["W_K"]))
    yield "self", "the decoder looks at itself", dict(weights=attend(Q, X @ g["W_K"]))
    yield "memory_self", "the encoder looks at itself", dict(weights=attend(M @ g["W_Q"], K))
    yield "one_weight", "W_Q makes the keys too", dict(K=M @ g["W_Q"], weights=attend(Q, M @ g["W_Q"]))
    yield "exchanged", "W_Q and W_K exchanged", dict(weights=attend(X @ g["W_K"], M @ g["W_Q"]))
    yield "queries_axis", "softmax over the queries", dict(weights=attend(Q, K, axis=0))
    yield "no_scale", "not divided by the root of d_k", dict(Q=Q, K=K, weights=attend(Q, K, divisor=1))
    yield "by_d_model", "divided by the root of d_model", dict(weights=attend(Q, K, divisor=2))
    yield "causal", "a causal mask that nobody asked for", dict(weights=attend(Q, K, mask=np.tri(3, 5)))
    yield "transposed", "the weights transposed", dict(weights=attend(Q, K).T)
    yield "reversed", "the encoder's tokens in reverse order", dict(weights=attend(Q, K[::-1]))
    yield "no_keys", "memory itself instead of the keys", dict(weights=softmax(Q @ M[:, :3].T / 3**0.5))
    yield "values_k", "V made with W_K", dict(weights=attend(Q, K), output=attend(Q, K) @ (M @ g["W_K"]))
    yield "keys_for_values", "mixes the keys", dict(V=V, weights=attend(Q, K), output=attend(Q, K, K))
    yield "normed", "the encoder's output normalized once more", dict(weights=attend(Q, norm(M) @ g["W_K"]))


def cross_padded(g):
    Q, K, V = g["X"] @ g["W_Q"], g["memory"] @ g["W_K"], g["memory"] @ g["W_V"]
    real = np.arange(5) < 3
    yield "no_mask", "the source's padding is seen", dict(weights=attend(Q, K))
    yield "behind", "weights set to 0 behind the softmax", dict(weights=attend(Q, K) * real, output=attend(Q, K) * real @ V)
    yield "causal", "a causal mask instead of the padding's", dict(weights=attend(Q, K, mask=np.tri(3, 5)))
    yield "first", "the first tokens are taken for the padding", dict(weights=attend(Q, K, mask=real[::-1]))
    yield "one_more", "one token too many is hidden", dict(weights=attend(Q, K, mask=np.arange(5) < 2))


def embed(g):
    ids, E = g["token_ids"].astype(int), g["token_embedding"]
    n, d = len(ids), 8
    i, pos = np.arange(d), np.arange(n)[:, None]

    def waves(angles, even=np.sin, odd=np.cos):
        return np.where(i % 2 == 0, even(angles), odd(angles))

    pairs = 10000.0 ** (-2 * (i // 2) / d)
    P = waves(pos * pairs)
    x = E[ids] * d**0.5
    half = pos * 10000.0 ** (-2 * np.arange(d // 2) / d)
    yield "no_root", "not multiplied by the root of d_model", dict(X=E[ids] + P)
    yield "divided", "divided by the root of d_model", dict(X=E[ids] / d**0.5 + P)
    yield "by_d", "multiplied by d_model", dict(X=E[ids] * d + P)
    yield "from_one", "positions from 1", dict(X=x + waves((pos + 1) * pairs))
    yield "exchanged", "sine and cosine exchanged", dict(X=x + waves(pos * pairs, np.cos, np.sin))
    yield "halves", "all sines, then all cosines", dict(X=x + np.concatenate([np.sin(half), np.cos(half)], -1))
    yield "base_1000", "1000 instead of 10000", dict(X=x + waves(pos * 1000.0 ** (-2 * (i // 2) / d)))
    yield "base_100000", "100000 instead of 10000", dict(position_vectors=waves(pos * 1e5 ** (-2 * (i // 2) / d)),
                                                        X=x + waves(pos * 1e5 ** (-2 * (i // 2) / d)))
    yield "each_column", "a wavelength for every column instead of a pair", dict(X=x + waves(pos * 10000.0 ** (-i / d)))
    yield "twice_i", "2i taken of the column, not the pair", dict(X=x + waves(pos * 10000.0 ** (-2 * i / d)))
    yield "no_two", "the 2 of 2i forgotten", dict(position_vectors=waves(pos * 10000.0 ** (-(i // 2) / d)))
    yield "only_sine", "sines in every column", dict(position_vectors=np.sin(pos * pairs), X=x + np.sin(pos * pairs))
    yield "multiplied", "multiplied instead of added", dict(X=x * P)
    yield "of_tokens", "the token's number instead of its place", dict(X=x + waves(ids[:, None] * pairs))
    yield "no_position", "positions forgotten", dict(X=x)
    yield "no_words", "positions alone", dict(X=P)
    yield "root_of_both", "positions multiplied by the root of d_model too", dict(X=(E[ids] + P) * d**0.5)
    yield "reversed", "positions from the end", dict(X=x + P[::-1])
    yield "subtracted", "positions subtracted", dict(X=x - P)
    yield "next_token", "every token number one too large", dict(X=E[(ids + 1) % len(E)] * d**0.5 + P)
    yield "root_of_n", "multiplied by the root of n", dict(X=E[ids] * n**0.5 + P)
    yield "plain_positions", "the place itself added to every cell", dict(X=x + pos)
    yield "inverse", "multiplied by the wavelength instead of divided", dict(X=x + waves(pos / pairs))


def block(g):
    X = g["X"]
    mid = X + self_attention(norm(X), g)
    right = layer(g)
    none = lambda x: x
    yield "no_root", "divided by the variance", dict(output=layer(g, *[lambda x: (x - x.mean(-1, keepdims=True)) / (x.var(-1, ddof=1, keepdims=True) + 1e-6)] * 2))
    yield "columns", "the norm goes down the columns", dict(norm_1=norm(X, axis=0), output=layer(g, *[lambda x: norm(x, axis=0)] * 2))
    yield "whole", "one mean and one deviation for all tokens", dict(output=layer(g, *[lambda x: (x - x.mean()) / (x.std(ddof=1) + 1e-6)] * 2))
    yield "not_centred", "the mean is not subtracted", dict(output=layer(g, *[lambda x: x / (x.std(-1, ddof=1, keepdims=True) + 1e-6)] * 2))
    yield "rms", "RMSNorm instead of LayerNorm", dict(output=layer(g, *[lambda x: x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)] * 2))
    yield "no_residual_1", "the first residual is missing", dict(output=self_attention(norm(X), g) + feed_forward(norm(self_attention(norm(X), g)), g))
    yield "no_residual_2", "the second residual is missing", dict(residual_1=mid, output=feed_forward(norm(mid), g))
    yield "no_residuals", "no residuals", dict(output=feed_forward(norm(self_attention(norm(X), g)), g))
    wrong = norm(X) + self_attention(norm(X), g)
    yield "residual_of_norm", "the residual takes the normed X", dict(norm_1=norm(X), residual_1=wrong, output=wrong + feed_forward(norm(wrong), g))
    yield "residual_of_norm_2", "the second residual takes the normed values", dict(output=norm(mid) + feed_forward(norm(mid), g))
    yield "residual_of_x", "the second residual takes X", dict(output=X + feed_forward(norm(mid), g))
    yield "residual_doubled", "the residual is added twice", dict(output=right + mid)
    yield "no_relu", "ReLU is missing", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, none)))
    gelu = lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / 2**0.5))
    yield "gelu", "GELU instead of ReLU", dict(hidden=norm(mid) @ g["W_1"] + g["b_1"], output=layer(g, feed=lambda x, g: feed_forward(x, g, gelu)))
    tanh_gelu = lambda x: 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    yield "gelu_tanh", "GELU by its approximation", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, tanh_gelu)))
    yield "sigmoid", "sigmoid instead of ReLU", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, lambda y: 1 / (1 + np.exp(-y)))))
    yield "tanh", "tanh instead of ReLU", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, np.tanh)))
    yield "leaky", "leaky ReLU", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, lambda y: np.where(y > 0, y, 0.01 * y))))
    yield "silu", "SiLU instead of ReLU", dict(output=layer(g, feed=lambda x, g: feed_forward(x, g, lambda y: y / (1 + np.exp(-y)))))
    yield "relu_behind", "ReLU behind the second matrix", dict(output=layer(g, feed=lambda x, g: relu((x @ g["W_1"] + g["b_1"]) @ g["W_2"] + g["b_2"])))
    yield "relu_last", "another ReLU behind the block", dict(output=relu(right))
    first = X + feed_forward(norm(X), g)
    yield "feed_first", "feed-forward before attention", dict(output=first + self_attention(norm(first), g))
    yield "no_norm_1", "the first norm is missing", dict(output=layer(g, norm_1=none))
    yield "no_norm_2", "the second norm is missing", dict(residual_1=mid, output=layer(g, norm_2=none))
    yield "no_norms", "no norms", dict(output=layer(g, none, none))
    yield "no_feed_forward", "feed-forward is missing", dict(output=mid)
    yield "no_attention", "attention is missing", dict(output=X + feed_forward(norm(X), g))
    yield "parallel", "feed-forward and attention side by side", dict(output=mid + feed_forward(norm(X), g))
    yield "no_scale", "not divided by the root of d_k", dict(output=layer(g, attention=lambda x, g: self_attention(x, g, divisor=1)))
    yield "by_d_model", "divided by the root of d_model", dict(norm_1=norm(X), output=layer(g, attention=lambda x, g: self_attention(x, g, divisor=8**0.5)))
    yield "one_head", "one head", dict(output=layer(g, attention=lambda x, g: self_attention(x, g, h=1)))
    yield "no_w_o", "W_O is missing", dict(output=layer(g, attention=lambda x, g: self_attention(x, {**g, "W_O": np.eye(8)})))
    yield "queries_axis", "softmax over the queries", dict(output=layer(g, attention=lambda x, g: self_attention(x, g, axis=-2)))
    yield "values_of_x", "values of X instead of its norm", dict(output=layer(g, attention=lambda x, g: merge(attend(*(split(y @ g[f"W_{M}"], 2) for y, M in ((x, "Q"), (x, "K"), (X, "V"))))) @ g["W_O"]))
    yield "last_norm_too", "another norm behind", dict(output=norm(right))
    yield "eps", "an ε of 0.001", dict(output=layer(g, *[lambda x: norm(x, eps=1e-3)] * 2))


def loss(g, smoothing=0.0):
    X, labels, pad = g["X"], g["labels"].astype(int), int(g["pad_id"])
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    see = causal(len(X))
    w = attend(Q, K, mask=see)
    logits = w @ V @ g["W_O"]
    size, real = logits.shape[-1], labels != pad
    target = np.full(logits.shape, smoothing / (size - 2)) if smoothing else np.zeros(logits.shape)
    target[np.arange(len(X)), labels] = 1 - smoothing
    target[:, pad] = 0
    target[~real] = 0
    logs, p = log_softmax(logits), softmax(logits)
    tokens = real.sum()

    def of(target, logs=logs):
        return (target * (np.log(np.where(target > 0, target, 1)) - logs)).sum()

    right = dict(loss=of(target) / tokens, dlogits=(p * real[:, None] - target) / tokens)
    return locals()


def of_loss(g):
    v = loss(g)
    logits, logs, p, real, labels, tokens = (v[name] for name in ("logits", "logs", "p", "real", "labels", "tokens"))
    d, target, pad = v["right"]["dlogits"], v["target"], v["pad"]
    hot = one_hot(labels, logits.shape[-1])
    yield "sum", "the sum over the tokens, not their mean", dict(log_probs=logs, loss=v["of"](target), dlogits=d * tokens)
    yield "mean_with_padding", "divided by all tokens, padding too", dict(loss=v["of"](target) / 5, dlogits=d * tokens / 5)
    yield "padding_counts", "padding is learned like a word", dict(loss=v["of"](hot) / 5, dlogits=(p - hot) / 5)
    yield "mean_of_cells", "the mean over all cells", dict(loss=v["of"](target) / logits.size)
    yield "bits", "logarithms to the base 2", dict(log_probs=logs / np.log(2), loss=v["of"](target) / tokens / np.log(2))
    yield "base_10", "logarithms to the base 10", dict(loss=v["of"](target) / tokens / np.log(10))
    yield "sign", "the minus sign is missing", dict(log_probs=logs, loss=-v["of"](target) / tokens)
    yield "probability", "the probability instead of its logarithm", dict(loss=-(target * p).sum() / tokens)
    shifted = np.roll(hot, 1, axis=0) * real[:, None]
    yield "own_words", "every word is to predict itself", dict(dlogits=(p * real[:, None] - shifted) / tokens)
    yield "squared", "squared differences instead of the cross-entropy", dict(loss=((p - target)[real] ** 2).sum() / tokens)
    sigmoid = 1 / (1 + np.exp(-logits))
    yield "sigmoid", "sigmoids instead of a softmax", dict(log_probs=np.log(sigmoid), loss=-(target * np.log(sigmoid)).sum() / tokens)
    yield "not_normalized", "logits taken for logarithms of probabilities", dict(loss=-(target * logits).sum() / tokens)
    yield "perplexity", "the perplexity", dict(loss=np.exp(v["of"](target) / tokens))
    yield "turned", "target − p", dict(dlogits=-d)
    yield "not_divided", "not divided by the number of tokens", dict(dlogits=d * tokens)
    yield "one_minus_p", "the label's column alone has a gradient", dict(dlogits=np.where(target > 0, d, 0))
    yield "p_alone", "the target is not subtracted", dict(dlogits=p * real[:, None] / tokens)
    yield "with_softmax", "multiplied by p(1 − p) as with a sigmoid", dict(dlogits=d * p * (1 - p))
    yield "double_softmax", "softmax of probabilities", dict(log_probs=log_softmax(p), loss=v["of"](target, log_softmax(p)) / tokens)
    yield "columns", "softmax over the tokens", dict(log_probs=log_softmax(logits, 0), dlogits=(softmax(logits, 0) * real[:, None] - target) / tokens)
    yield "padding_gradient", "padding has a gradient", dict(dlogits=(p - target) / tokens)
    yield "largest", "the most likely word instead of the label", dict(loss=-logs.max(-1)[real].sum() / tokens)
    yield "doubled", "twice the gradient, as of a square", dict(dlogits=2 * d)


def smoothed(g):
    v = loss(g, 0.1)
    logits, logs, p, real, labels, tokens, pad = (v[name] for name in ("logits", "logs", "p", "real", "labels", "tokens", "pad"))
    hot, size = one_hot(labels, logits.shape[-1]) * real[:, None], logits.shape[-1]

    def handed(target, loss=None):
        return dict(target=target, loss=v["of"](target) / tokens, dlogits=(p * target.sum(-1, keepdims=True) - target) / tokens)

    yield "over_all", "the share spread over all words, the label too", handed((0.9 * hot + 0.1 / size) * real[:, None])
    others = np.where(hot > 0, 0.9, 0.1 / (size - 1)) * real[:, None]
    yield "over_others", "the share spread over the padding too", handed(others)
    yield "none", "no smoothing", handed(hot)
    yield "padding_smoothed", "padding gets the share of the other words", dict(target=np.where(real[:, None], v["target"], 0.1 / (size - 2)))
    thin = np.where(hot > 0, 0.9, v["target"] / 2)
    yield "too_little", "the target's rows do not sum to 1", dict(target=thin)
    yield "label_kept", "the label keeps 1", dict(target=np.where(hot > 0, 1.0, v["target"]))


def gradients(g):
    v = loss(g)
    X, Q, K, V, w, d = (v[name] for name in ("X", "Q", "K", "V", "w", "right"))
    d = d["dlogits"]
    d_out = d @ g["W_O"].T
    d_w = d_out @ V.T
    d_z = w * (d_w - (d_w * w).sum(-1, keepdims=True))
    d_s, d_V = d_z / 3**0.5, w.T @ d_out
    d_Q, d_K = d_s @ K, d_s.T @ Q
    d_X = d_Q @ g["W_Q"].T + d_K @ g["W_K"].T + d_V @ g["W_V"].T

    def behind(d_z, divisor=3**0.5, **more):
        d_s = d_z / divisor
        return dict(dlogits=d, dscaled=d_z, dW_Q=X.T @ (d_s @ K), dW_K=X.T @ (d_s.T @ Q), **more)

    yield "no_scale", "the root of d_k is missing on the way back", behind(d_z, 1)
    yield "no_shared", "softmax's shared term is missing", behind(w * d_w)
    yield "diagonal", "softmax taken for a sigmoid: w(1 − w)", behind(w * (1 - w) * d_w)
    yield "wrong_axis", "the shared term summed down the columns", behind(w * (d_w - (d_w * w).sum(0)))
    yield "dk_not_transposed", "dscores is not transposed for K", dict(dlogits=d, dQ=d_Q, dK=d_s @ Q)
    yield "dv_not_transposed", "the weights are not transposed for V", dict(dlogits=d, dV=w @ d_out, dW_V=X.T @ w @ d_out)
    yield "exchanged", "the gradients of W_Q and W_K exchanged", dict(dlogits=d, dW_Q=X.T @ d_K, dW_K=X.T @ d_Q)
    yield "no_values", "dX without the way through V", dict(dlogits=d, dX=d_X - d_V @ g["W_V"].T)
    yield "queries_only", "dX by the way through Q alone", dict(dlogits=d, dX=d_Q @ g["W_Q"].T)
    yield "w_not_transposed", "the way back through Q with its own weight at K", dict(dlogits=d, dX=d_X - d_Q @ g["W_Q"].T + d_Q @ g["W_K"].T)
    yield "w_o_of_values", "dW_O of the values instead of the output", dict(dlogits=d, dW_O=V.T @ d)
    yield "mean", "dW_Q divided by the number of tokens once more", dict(dlogits=d, dW_Q=X.T @ d_Q / 5)
    yield "sign", "the gradient's sign turned round", dict(dlogits=d, dW_Q=-X.T @ d_Q)
    yield "multiplied", "multiplied by the root of d_k on the way back", behind(d_z, 3**-0.5)
    yield "first_row", "dW_V of the last token alone", dict(dlogits=d, dW_V=np.outer(X[-1], d_V[-1]))


SERIES = {
    "multihead --n-q 5 --d-model 8 --heads 2 --seed 21": multihead,
    "cross --n-q 3 --n-k 5 --d-model 4 --d-k 3 --seed 22": cross,
    "cross --n-q 3 --n-k 5 --d-model 4 --d-k 3 --pad 2 --seed 23": cross_padded,
    "embed --text 天地玄黄天地 --d-model 8 --seed 24": embed,
    "block --n-q 5 --d-model 8 --heads 2 --d-ff 12 --seed 25": block,
    "loss --n-q 5 --d-model 4 --d-k 3 --seed 26": of_loss,
    "loss --n-q 5 --d-model 4 --d-k 3 --smoothing 0.1 --seed 27": smoothed,
    "loss --n-q 5 --d-model 4 --d-k 3 --seed 28": gradients,
}
