"""What learners do wrong in the lessons lookup to masked: (name, cause, tensors handed in)."""

import numpy as np

from .attending import T, attend, causal, log_softmax, softmax


def lookup(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ K.T
    w = softmax(s)
    yield "queries_axis", "softmax over the queries", dict(output=softmax(s, 0) @ V)
    yield "argmin", "takes the key that fits least", dict(hard_output=V[s.argmin(-1)], output=w @ V)
    yield "hard", "the dictionary's value instead of the mixture", dict(output=V[s.argmax(-1)])
    yield "uniform", "every value alike", dict(output=np.full_like(s, 1 / len(K)) @ V)
    yield "unnormalized", "exponentials that are not divided by their sum", dict(output=np.exp(s) @ V)
    yield "no_exp", "scores divided by their sum, without exp", dict(output=s / s.sum(-1, keepdims=True) @ V)
    yield "scaled", "divided by the root of d_k, which this lesson does not", dict(output=attend(Q, K, V))
    far = np.sqrt(((Q[:, None] - K) ** 2).sum(-1))
    yield "distance", "distances instead of dot products", dict(scores=far, weights=softmax(far), output=softmax(far) @ V)
    cosine = s / np.linalg.norm(Q, axis=-1)[:, None] / np.linalg.norm(K, axis=-1)
    yield "cosine", "cosines instead of dot products", dict(scores=cosine, output=softmax(cosine) @ V)
    yield "keys_for_values", "mixes the keys", dict(output=w @ K)
    yield "first_query", "every query gets the first one's answer", dict(output=np.repeat(w[:1] @ V, 2, 0))
    sigmoid = 1 / (1 + np.exp(-s))
    yield "sigmoid", "sigmoid instead of softmax", dict(weights=sigmoid, output=sigmoid @ V)
    yield "base_2", "powers of 2 instead of e", dict(weights=softmax(s * np.log(2)))
    yield "no_minus", "softmax of minus the scores", dict(weights=softmax(-s), output=softmax(-s) @ V)


def words(g):
    X = g["X"]
    norms = np.linalg.norm(X, axis=-1)
    dots = X @ X.T
    steps = X[:, None] - X
    yield "no_root", "the root is missing", dict(norms=norms**2)
    yield "norm_l1", "sums of absolute values instead of lengths", dict(norms=abs(X).sum(-1))
    yield "norm_columns", "lengths of the columns", dict(norms=np.linalg.norm(X, axis=0))
    yield "norm_max", "the largest number instead of the length", dict(norms=abs(X).max(-1))
    yield "gram_columns", "XᵀX instead of XXᵀ", dict(dots=X.T @ X)
    yield "centred", "every word's mean subtracted first", dict(dots=(X - X.mean(-1, keepdims=True)) @ (X - X.mean(-1, keepdims=True)).T)
    yield "mean_products", "means of the products instead of sums", dict(dots=dots / 4)
    yield "one_half", "only half of the pairs", dict(dots=np.tril(dots))
    yield "rooted", "divided by the root of the width", dict(dots=dots / 2)
    yield "one_norm", "divided by the length of one of the two words", dict(dots=dots, cosines=dots / norms[:, None])
    yield "norms_squared", "divided by squared lengths", dict(cosines=dots / norms[:, None] ** 2 / norms**2)
    yield "not_divided", "dot products instead of cosines", dict(cosines=dots)
    yield "angles", "the angle instead of its cosine", dict(cosines=np.arccos(np.clip(dots / np.outer(norms, norms), -1, 1)))
    yield "cosine_distance", "1 − cosine", dict(cosines=1 - dots / np.outer(norms, norms))
    yield "squared", "the root is missing", dict(distances=(steps**2).sum(-1))
    yield "distance_l1", "sums of absolute values", dict(distances=abs(steps).sum(-1))
    yield "distance_mean", "mean instead of sum", dict(distances=np.sqrt((steps**2).mean(-1)))


def qkv(g):
    X, W_Q, W_K, W_V = (g[name] for name in ("X", "W_Q", "W_K", "W_V"))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    yield "one_weight", "W_Q used for the keys too", dict(Q=Q, K=Q, V=V)
    yield "swapped", "Q and K swapped", dict(Q=K, K=Q, V=V)
    yield "values_of_keys", "V made with W_K", dict(Q=Q, K=K, V=X @ W_K)
    yield "relu", "ReLU behind the projection", dict(Q=np.maximum(0, Q), K=np.maximum(0, K), V=np.maximum(0, V))
    yield "scaled_twice", "all three divided by the root of d_k", dict(Q=Q / 3**0.5, K=K / 3**0.5, V=V / 3**0.5)
    yield "normed", "X normalized first", dict(Q=X / np.linalg.norm(X, axis=-1, keepdims=True) @ W_Q)
    yield "bias", "a 1 added to every cell", dict(Q=Q + 1, K=K + 1, V=V + 1)
    yield "half", "the file has rounded numbers", dict(Q=Q.round(1), K=K.round(1), V=V.round(1))
    yield "reversed", "the words in reverse order", dict(Q=Q[::-1], K=K[::-1], V=V[::-1])
    yield "fortran", "W read column by column", dict(Q=X @ W_Q.reshape(3, 4).T, K=K, V=V)
    yield "softmaxed", "softmax of the queries", dict(Q=softmax(Q), K=K, V=V)
    yield "values_scaled", "V of √d_v times the size", dict(Q=Q, K=K, V=V * 6**0.5)


def qkv_square(g):
    X, W_Q, W_K, W_V = (g[name] for name in ("X", "W_Q", "W_K", "W_V"))
    yield "transposed_weights", "W transposed, as nn.Linear keeps it", dict(Q=X @ W_Q.T, K=X @ W_K.T, V=X @ W_V.T)
    yield "transposed_q", "W_Q transposed", dict(Q=X @ W_Q.T, K=X @ W_K, V=X @ W_V)
    yield "v_with_k", "V made with W_K", dict(Q=X @ W_Q, K=X @ W_K, V=X @ W_K)
    yield "chained", "K made of Q instead of X", dict(Q=X @ W_Q, K=X @ W_Q @ W_K, V=X @ W_V)
    yield "plus_x", "X added to the values", dict(Q=X @ W_Q, K=X @ W_K, V=X @ W_V + X)
    yield "no_v", "X itself as the values", dict(Q=X @ W_Q, K=X @ W_K, V=X)


def scores(g):
    X = g["X"]
    Q, K = X @ g["W_Q"], X @ g["W_K"]
    s = Q @ K.T
    yield "transposed", "keys ask the queries", dict(scores=s.T)
    yield "scaled", "divided by the root of d_k already", dict(scores=s / 3**0.5)
    yield "multiplied", "multiplied by the root of d_k", dict(scores=s * 3**0.5)
    yield "by_d_k", "divided by d_k", dict(scores=s / 3)
    yield "queries_twice", "Q·Qᵀ", dict(scores=Q @ Q.T)
    yield "keys_twice", "K·Kᵀ", dict(scores=K @ K.T)
    yield "no_weights", "X·Xᵀ, without projections", dict(scores=X @ X.T)
    yield "queries_only", "X asks instead of Q", dict(scores=X[:, :3] @ K.T)
    yield "reshaped", "K reshaped instead of transposed", dict(scores=Q @ K.reshape(3, -1))
    yield "cosine", "cosines instead of dot products", dict(scores=s / np.linalg.norm(Q, axis=-1)[:, None] / np.linalg.norm(K, axis=-1))
    yield "negative", "sign turned round", dict(scores=-s)
    yield "absolute", "absolute values", dict(scores=abs(s))
    yield "no_diagonal", "a word does not meet itself", dict(scores=s - np.diag(np.diag(s)))
    yield "distances", "squared distances", dict(scores=((Q[:, None] - K) ** 2).sum(-1))
    yield "softmaxed", "softmax applied already", dict(scores=softmax(s / 3**0.5))
    yield "two_terms", "the last column of Q and K forgotten", dict(scores=Q[:, :2] @ K[:, :2].T)


def of_softmax(g):
    X = g["X"]
    s = X @ g["W_Q"] @ T(X @ g["W_K"])
    z = s / 3**0.5
    e = np.exp(z)
    yield "columns", "softmax over the wrong axis", dict(scaled=z, weights=softmax(z, 0))
    yield "no_scale", "not divided by the root of d_k", dict(weights=softmax(s))
    yield "by_d_k", "divided by d_k", dict(scaled=s / 3, weights=softmax(s / 3))
    yield "by_d_model", "divided by the root of d_model", dict(weights=softmax(s / 2))
    yield "by_n", "divided by the root of n", dict(weights=softmax(s / 5**0.5))
    yield "multiplied", "multiplied by the root of d_k", dict(weights=softmax(s * 3**0.5))
    yield "whole", "softmax over the whole matrix", dict(weights=e / e.sum())
    yield "exponentials", "not divided by the sum", dict(weights=e)
    yield "base_2", "powers of 2", dict(weights=softmax(z * np.log(2)))
    yield "base_10", "powers of 10", dict(weights=softmax(z * np.log(10)))
    yield "sigmoid", "sigmoid instead of softmax", dict(scaled=z, weights=1 / (1 + np.exp(-z)))
    yield "no_exp", "divided by the sum without exp", dict(scaled=z, weights=z / z.sum(-1, keepdims=True))
    yield "log_softmax", "logarithms of the weights", dict(weights=log_softmax(z))
    yield "squares", "squares instead of exponentials", dict(weights=z**2 / (z**2).sum(-1, keepdims=True))
    relu = np.maximum(z, 0) + 1e-12
    yield "relu", "negative scores cut off, then shares", dict(scaled=z, weights=relu / relu.sum(-1, keepdims=True))
    yield "sum_of_columns", "row sums divide the columns: no keepdims", dict(scaled=z, weights=e / e.sum(-1))
    yield "max_of_whole_rows", "row maxima subtracted from the columns, then divided by the row sums of others", dict(scaled=z, weights=np.exp(z - z.max(-1)) / np.exp(z - z.max(-1)).sum(-1, keepdims=True))
    yield "twice", "softmax twice", dict(weights=softmax(softmax(z)))
    yield "negative", "softmax of minus the scores", dict(weights=softmax(-z))
    yield "hot", "a temperature of 2", dict(weights=softmax(z / 2))
    yield "cold", "a temperature of one half", dict(weights=softmax(2 * z))
    yield "hard", "all the weight on the largest", dict(weights=np.eye(5)[z.argmax(-1)])
    lowest, highest = z.min(-1, keepdims=True), z.max(-1, keepdims=True)
    yield "min_max", "between the smallest and the largest instead of softmax", dict(weights=(z - lowest) / (highest - lowest))
    yield "l2", "divided by the root of the sum of squares", dict(weights=e / np.sqrt((e**2).sum(-1, keepdims=True)))
    yield "plus_one", "1 added to the sum", dict(weights=e / (1 + e.sum(-1, keepdims=True)))
    yield "by_max", "divided by the largest instead of the sum", dict(weights=e / e.max(-1, keepdims=True))
    yield "scaled_behind", "the root of d_k divides the weights, not the scores", dict(weights=softmax(s) / 3**0.5)
    yield "transposed", "weights transposed", dict(weights=softmax(z).T)
    yield "root_twice", "divided by the root of d_k twice", dict(scaled=z / 3**0.5, weights=softmax(z / 3**0.5))
    yield "mean", "divided by the mean instead of the sum", dict(weights=e / e.mean(-1, keepdims=True))
    w = softmax(z)
    yield "bits", "entropy in bits", dict(weights=w, entropy=-(w * np.log2(w)).sum(-1, keepdims=True))
    yield "entropy_sign", "entropy without its minus sign", dict(weights=w, entropy=(w * np.log(w)).sum(-1, keepdims=True))
    yield "entropy_mean", "mean of w·log w instead of the sum", dict(weights=w, entropy=-(w * np.log(w)).mean(-1, keepdims=True))


def attention(g):
    X = g["X"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    w = attend(Q, K)
    yield "transposed_weights", "columns of the weights instead of rows", dict(weights=w, output=w.T @ V)
    yield "no_scale", "not divided by the root of d_k", dict(output=softmax(Q @ K.T) @ V)
    yield "keys_for_values", "mixes the keys", dict(weights=w, output=w @ K)
    yield "queries_for_values", "mixes the queries", dict(weights=w, output=w @ Q)
    yield "uniform", "the mean of all values", dict(output=np.repeat(V.mean(0, keepdims=True), 5, 0))
    yield "summed", "values added without weights", dict(output=np.repeat(V.sum(0, keepdims=True), 5, 0))
    yield "columns", "softmax over the wrong axis", dict(output=attend(Q, K, V, axis=0))
    yield "reversed", "values in reverse order", dict(weights=w, output=w @ V[::-1])
    yield "unnormalized", "exponentials that are not divided by their sum", dict(output=np.exp(Q @ K.T / 3**0.5) @ V)
    yield "residual", "V added behind", dict(weights=w, output=w @ V + V)
    yield "no_softmax", "scores instead of weights", dict(output=Q @ K.T @ V)
    yield "scaled_only", "scaled scores instead of weights", dict(output=Q @ K.T / 3**0.5 @ V)
    yield "hard", "the value of the largest score alone", dict(output=V[w.argmax(-1)])
    yield "mean", "divided by the number of keys", dict(weights=w, output=w @ V / 5)
    yield "twice", "mixed twice", dict(weights=w, output=w @ w @ V)
    yield "no_attention", "the values as they are", dict(output=V)
    yield "swapped", "keys ask, queries answer", dict(output=attend(K, Q, V))
    yield "diagonal", "each word weighs its own value only", dict(output=np.diag(w)[:, None] * V)


def sdpa(g):
    Q, K, V = g["Q"], g["K"], g["V"]
    s = Q @ T(K)
    yield "batch_axis", "softmax over the batch", dict(output=softmax(s, 0) @ V)
    yield "queries_axis", "softmax over the queries", dict(output=softmax(s / 3**0.5, 1) @ V)
    yield "by_d_v", "divided by the root of d_v", dict(output=softmax(s / 2) @ V)
    yield "by_n_k", "divided by the root of n_k", dict(output=softmax(s / 6**0.5) @ V)
    yield "by_n_q", "divided by the root of n_q", dict(output=softmax(s / 5**0.5) @ V)
    yield "no_scale", "not divided by the root of d_k", dict(scaled=s, weights=softmax(s), output=softmax(s) @ V)
    yield "by_d_k", "divided by d_k", dict(scores=s, output=softmax(s / 3) @ V)
    yield "whole", "softmax over queries and keys at once", dict(weights=softmax((s / 3**0.5).reshape(2, -1)).reshape(s.shape))
    yield "first_keys", "the first sentence's keys for both", dict(output=attend(Q, K[:1], V))
    yield "first_values", "the first sentence's values for both", dict(weights=attend(Q, K), output=attend(Q, K) @ V[:1])
    yield "batch_reversed", "the sentences exchanged", dict(output=attend(Q, K, V)[::-1])
    yield "scaled_values", "the root of d_k divides the output", dict(output=softmax(s) @ V / 3**0.5)
    yield "summed_batch", "the sentences added up", dict(output=attend(Q, K, V).sum(0))
    yield "no_softmax", "scaled scores instead of weights", dict(output=s / 3**0.5 @ V)
    yield "reshaped", "K reshaped instead of transposed", dict(output=softmax(Q @ K.reshape(2, 3, 6) / 3**0.5) @ V)


def masked(g):
    X = g["X"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    z, see = Q @ K.T / 3**0.5, causal(5)
    w = attend(Q, K)
    yield "no_mask", "no mask at all", dict(weights=w)
    yield "behind", "weights set to 0 behind the softmax", dict(weights=w * see, output=w * see @ V)
    yield "zeros", "scores set to 0 instead of −∞", dict(scaled=z, weights=softmax(z * see))
    yield "past_hidden", "the past is hidden instead of the future", dict(weights=attend(Q, K, mask=see.T))
    yield "next_seen", "one key too many is seen", dict(weights=attend(Q, K, mask=causal(5, 1)))
    yield "two_seen", "two keys too many are seen", dict(weights=attend(Q, K, mask=causal(5, 2)))
    yield "minus_one", "−1 instead of −∞", dict(weights=attend(Q, K, mask=see, fill=-1))
    yield "minus_ten", "−10 instead of −∞", dict(weights=attend(Q, K, mask=see, fill=-10.0), output=attend(Q, K, V, mask=see, fill=-10.0))
    yield "tiny", "1e-9 instead of −1e9", dict(weights=attend(Q, K, mask=see, fill=-1e-9))
    yield "added", "the 0-1 mask is added to the scores", dict(scaled=z, weights=softmax(z + see))
    yield "inverted", "the mask turned round", dict(mask=~see, weights=np.nan_to_num(softmax(np.where(see, -1e9, z))))
    strict = causal(5, -1)
    hidden = np.where(strict.any(-1, keepdims=True), attend(Q, K, mask=strict | ~strict.any(-1, keepdims=True)), 0)
    yield "itself_hidden", "a word does not see itself", dict(weights=hidden)
    yield "no_scale", "not divided by the root of d_k", dict(weights=attend(Q, K, mask=see, divisor=1))
    yield "columns", "softmax over the wrong axis", dict(weights=attend(Q, K, mask=see, axis=0))
    yield "renormalized_whole", "masked behind the softmax, divided by the sum of everything", dict(weights=w * see / (w * see).sum())
    yield "window", "only the last two words are seen", dict(weights=attend(Q, K, mask=see & ~causal(5, -2)))
    yield "numerators", "the mask on the numerators only, the sums over all keys", dict(scaled=z, weights=np.exp(z) * see / np.exp(z).sum(-1, keepdims=True))
    yield "whole_row", "last query's row hidden", dict(weights=attend(Q, K, mask=see) * (np.arange(5) < 4)[:, None])
    yield "infinite", "∞·0 while masking", dict(weights=np.full((5, 5), np.nan))


def padded(g):
    X = g["X"]
    Q, K, V = (X @ g[f"W_{M}"] for M in "QKV")
    real = np.arange(5) < 3
    w = attend(Q, K)
    yield "no_mask", "no mask at all", dict(weights=w)
    rows = np.where(real[:, None], w, 0)
    yield "rows", "the padding's rows are hidden instead of its columns", dict(weights=rows, output=rows @ V)
    yield "first", "the first tokens are taken for the padding", dict(weights=attend(Q, K, mask=real[::-1]))
    yield "one_more", "one token too many is hidden", dict(weights=attend(Q, K, mask=np.arange(5) < 2))
    yield "one_less", "one token of padding is seen", dict(weights=attend(Q, K, mask=np.arange(5) < 4))
    yield "behind", "weights set to 0 behind the softmax", dict(weights=w * real)
    yield "causal", "a causal mask instead of the padding's", dict(weights=attend(Q, K, mask=causal(5)))
    yield "causal_too", "a causal mask beside the padding's", dict(weights=attend(Q, K, mask=causal(5) & real))
    yield "zeros", "scores set to 0 instead of −∞", dict(weights=softmax(np.where(real, Q @ K.T / 3**0.5, 0)))


SERIES = {
    "lookup --n-q 2 --n-k 5 --d-k 3 --d-v 4 --seed 3": lookup,
    "words --n-q 5 --d-model 4 --seed 5": words,
    "qkv --n-q 5 --d-model 4 --d-k 3 --d-v 6 --seed 7": qkv,
    "qkv --n-q 5 --d-model 4 --seed 8": qkv_square,
    "scores --n-q 5 --d-model 4 --d-k 3 --seed 9": scores,
    "softmax --n-q 5 --d-model 4 --d-k 3 --seed 7": of_softmax,
    "attention --n-q 5 --d-model 4 --d-k 3 --d-v 3 --seed 10": attention,
    "sdpa --batch 2 --n-q 5 --n-k 6 --d-k 3 --d-v 4 --seed 11": sdpa,
    "masked --n-q 5 --d-model 4 --d-k 3 --d-v 2 --causal --seed 12": masked,
    "masked --n-q 5 --d-model 4 --d-k 3 --d-v 2 --pad 2 --seed 13": padded,
}
