PROGRAMS = [
    ("lookup", "scales by sqrt(d_k) although the lookup is not scaled yet", '''def lookup(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    best = np.argmax(scores, axis=-1)
    hard_output = np.take_along_axis(V, best[..., None], axis=-2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(hard_output=hard_output, output=output)
'''),
    ("lookup", "of equal scores averages the values instead of taking the first key's", '''def lookup(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    hits = (scores == scores.max(axis=-1, keepdims=True)).astype(float)
    hard_output = (hits / hits.sum(axis=-1, keepdims=True)) @ V
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(hard_output=hard_output, output=output)
'''),
    ("lookup", "hard lookup picks the nearest key by Euclidean distance, not the largest dot product", '''def lookup(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    distance = np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)
    best = np.argmin(distance, axis=-1)
    hard_output = np.take_along_axis(V, best[..., None], axis=-2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(hard_output=hard_output, output=output)
'''),
    ("words", "cosines divided by one length only", '''def words(X):
    norms = np.sqrt((X ** 2).sum(axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / norms[..., :, None]
    differences = X[..., :, None, :] - X[..., None, :, :]
    distances = np.sqrt((differences ** 2).sum(axis=-1))
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("words", "distances are squared, the root is missing", '''def words(X):
    norms = np.sqrt((X ** 2).sum(axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / (norms[..., :, None] * norms[..., None, :])
    differences = X[..., :, None, :] - X[..., None, :, :]
    distances = (differences ** 2).sum(axis=-1)
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("words", "distance taken as 1 - cosine", '''def words(X):
    norms = np.sqrt((X ** 2).sum(axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / (norms[..., :, None] * norms[..., None, :])
    distances = 1 - cosines
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("words", "distances from |a|^2 + |b|^2 - a.b, forgot the factor 2", '''def words(X):
    norms = np.sqrt((X ** 2).sum(axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / (norms[..., :, None] * norms[..., None, :])
    squares = norms ** 2
    d2 = squares[..., :, None] + squares[..., None, :] - dots
    distances = np.sqrt(np.maximum(d2, 0))
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("qkv", "left out the biases", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("qkv", "copy and paste: keys projected with W_Q", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = X @ W_Q + b_Q
    K = X @ W_Q + b_K
    V = X @ W_V + b_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("qkv", "copy and paste: keys get the queries' bias", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = X @ W_Q + b_Q
    K = X @ W_K + b_Q
    V = X @ W_V + b_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("qkv", "already divides the queries by sqrt(d_k)", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = (X @ W_Q + b_Q) / np.sqrt(W_Q.shape[1])
    K = X @ W_K + b_K
    V = X @ W_V + b_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("scores", "already scaled by sqrt(d_k)", '''def scores(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return dict(scores=scores)
'''),
    ("scores", "rows are keys, columns are queries (K Q^T)", '''def scores(Q, K):
    scores = K @ np.swapaxes(Q, -1, -2)
    return dict(scores=scores)
'''),
    ("scores", "cosine similarity instead of the dot product", '''def scores(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    scores = Q @ np.swapaxes(K, -1, -2)
    return dict(scores=scores)
'''),
    ("scores", "reshapes K to (d_k, n_k) instead of transposing it", '''def scores(Q, K):
    n_k, d_k = K.shape[-2:]
    K_T = K.reshape(K.shape[:-2] + (d_k, n_k))
    scores = Q @ K_T
    return dict(scores=scores)
'''),
    ("softmax", "divides by d_k, not by its root", '''def softmax(scores, d_k):
    scaled = scores / d_k
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled)
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights)
'''),
    ("softmax", "no maximum subtracted, overflows for large scores", '''def softmax(scores, d_k):
    scaled = scores / np.sqrt(d_k)
    e = np.exp(scaled)
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights)
'''),
    ("softmax", "normalised down the columns (over the queries)", '''def softmax(scores, d_k):
    scaled = scores / np.sqrt(d_k)
    scaled = scaled - scaled.max(axis=-2, keepdims=True)
    e = np.exp(scaled)
    weights = e / e.sum(axis=-2, keepdims=True)
    return dict(weights=weights)
'''),
    ("softmax", "divides the weights by sqrt(d_k) after the softmax instead of the scores before", '''def softmax(scores, d_k):
    scaled = scores
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled)
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights / np.sqrt(d_k))
'''),
    ("attention", "puts the weights through a softmax once more", '''def attention(weights, V):
    e = np.exp(weights - weights.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(output=output)
'''),
    ("attention", "takes the value with the largest weight only", '''def attention(weights, V):
    best = weights.argmax(axis=-1)
    output = np.take_along_axis(V, best[..., None], axis=-2)
    return dict(output=output)
'''),
    ("attention", "average over the keys: divides by n_k although the weights sum to 1 already", '''def attention(weights, V):
    output = (weights[..., None] * V[..., None, :, :]).mean(axis=-2)
    return dict(output=output)
'''),
    ("attention", "sums over the queries instead of the keys", '''def attention(weights, V):
    weighted = weights[..., None] * V[..., None, :, :]   # n_q, n_k, d_v
    output = weighted.sum(axis=-3)
    return dict(output=output)
'''),
    ("sdpa", "scaling by sqrt(d_k) forgotten", '''def sdpa(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(weights=weights, output=output)
'''),
    ("sdpa", "takes d_k from the values' width", '''def sdpa(Q, K, V):
    d_k = V.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(weights=weights, output=output)
'''),
    ("sdpa", "d_k is Q.shape[1], which is the length once there is a batch", '''def sdpa(Q, K, V):
    d_k = Q.shape[1]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    output = weights @ V
    return dict(weights=weights, output=output)
'''),
    ("sdpa", "softmax over all scores of the matrix together", '''def sdpa(Q, K, V):
    d_k = Q.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    e = np.exp(scores - scores.max(axis=(-2, -1), keepdims=True))
    weights = e / e.sum(axis=(-2, -1), keepdims=True)
    output = weights @ V
    return dict(weights=weights, output=output)
'''),
    ("embed", "embedding not multiplied by sqrt(d_model)", '''def embed(token_ids, token_embedding):
    token_ids = np.asarray(token_ids).astype(int)
    n = token_ids.shape[-1]
    d_model = token_embedding.shape[1]
    embedded = token_embedding[token_ids]
    pos = np.arange(n)[:, None]
    i = np.arange(0, d_model, 2)
    angles = pos / 10000 ** (i / d_model)
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return dict(X=embedded + pe)
'''),
    ("embed", "sines in the first half, cosines in the second half", '''def embed(token_ids, token_embedding):
    token_ids = np.asarray(token_ids).astype(int)
    n = token_ids.shape[-1]
    d_model = token_embedding.shape[1]
    embedded = token_embedding[token_ids] * np.sqrt(d_model)
    pos = np.arange(n)[:, None]
    i = np.arange(0, d_model, 2)
    angles = pos / 10000 ** (i / d_model)
    pe = np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)[:, :d_model]
    return dict(X=embedded + pe)
'''),
    ("embed", "each column its own wavelength, not one a pair", '''def embed(token_ids, token_embedding):
    token_ids = np.asarray(token_ids).astype(int)
    n = token_ids.shape[-1]
    d_model = token_embedding.shape[1]
    embedded = token_embedding[token_ids] * np.sqrt(d_model)
    pos = np.arange(n)[:, None]
    i = np.arange(d_model)
    angles = pos / 10000 ** (i / d_model)
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(angles[:, 0::2])
    pe[:, 1::2] = np.cos(angles[:, 1::2])
    return dict(X=embedded + pe)
'''),
    ("embed", "positions counted from 1", '''def embed(token_ids, token_embedding):
    token_ids = np.asarray(token_ids).astype(int)
    n = token_ids.shape[-1]
    d_model = token_embedding.shape[1]
    embedded = token_embedding[token_ids] * np.sqrt(d_model)
    pos = np.arange(1, n + 1)[:, None]
    i = np.arange(0, d_model, 2)
    angles = pos / 10000 ** (i / d_model)
    pe = np.zeros((n, d_model))
    pe[:, 0::2] = np.sin(angles)
    pe[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return dict(X=embedded + pe)
'''),
    ("masked", "rows that see nothing get uniform weights (-1e9 and softmax)", '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    causal = np.tril(np.ones((n_q, n_k), dtype=bool))
    mask = mask_given.astype(bool) & causal
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scaled = np.where(mask, scaled, -1e9)
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
    ("masked", "a token does not see itself (strict lower triangle)", '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    causal = np.tril(np.ones((n_q, n_k), dtype=bool), k=-1)
    mask = mask_given.astype(bool) & causal
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scaled = np.where(mask, scaled, -1e30)
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return dict(weights=weights, output=weights @ V)
'''),
    ("masked", "masks after the softmax and does not normalise again", '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    causal = np.tril(np.ones((n_q, n_k), dtype=bool))
    mask = mask_given.astype(bool) & causal
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    weights = np.where(mask, weights, 0)
    return dict(weights=weights, output=weights @ V)
'''),
    ("masked", "uses the given mask alone, without the causal one", '''def masked(Q, K, V, mask_given):
    mask = mask_given.astype(bool)
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    scaled = np.where(mask, scaled, -1e30)
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True)) * mask
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return dict(weights=weights, output=weights @ V)
'''),
    ("multihead", "scaled by sqrt(d_model) instead of a head's sqrt(d_k)", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d_model = X.shape[-2:]
    d_k = d_model // heads

    def split(Y):
        return np.swapaxes(Y.reshape(Y.shape[:-1] + (heads, d_k)), -2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_model)
    scaled = np.where(mask, scaled, -np.inf)
    top = scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    Z = weights @ V
    concat = np.swapaxes(Z, -2, -3).reshape(X.shape)
    return dict(output=concat @ W_O)
'''),
    ("multihead", "reshapes straight to (heads, n, d_k), mixing tokens into heads", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d_model = X.shape[-2:]
    d_k = d_model // heads

    def split(Y):
        return Y.reshape(Y.shape[:-2] + (heads, n, d_k))

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    scaled = np.where(mask, scaled, -np.inf)
    top = scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    Z = weights @ V
    concat = np.swapaxes(Z, -2, -3).reshape(X.shape)
    return dict(output=concat @ W_O)
'''),
    ("multihead", "joins the heads without swapping the axes back", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d_model = X.shape[-2:]
    d_k = d_model // heads

    def split(Y):
        return np.swapaxes(Y.reshape(Y.shape[:-1] + (heads, d_k)), -2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    scaled = np.where(mask, scaled, -np.inf)
    top = scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    Z = weights @ V
    concat = Z.reshape(X.shape)
    return dict(output=concat @ W_O)
'''),
    ("multihead", "final projection W_O forgotten", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d_model = X.shape[-2:]
    d_k = d_model // heads

    def split(Y):
        return np.swapaxes(Y.reshape(Y.shape[:-1] + (heads, d_k)), -2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    scaled = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    scaled = np.where(mask, scaled, -np.inf)
    top = scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    Z = weights @ V
    concat = np.swapaxes(Z, -2, -3).reshape(X.shape)
    return dict(output=concat)
'''),
    ("cross", "rows that may see nothing become NaN (softmax of -inf only)", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_Q
    K = memory @ W_K
    V = memory @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
    ("cross", "adds a causal mask to the attention to the source", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_Q
    K = memory @ W_K
    V = memory @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    mask = mask & np.tril(np.ones(mask.shape, dtype=bool))
    scores = np.where(mask, scores, -1e30)
    e = np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1.0)
    return dict(weights=weights, output=weights @ V)
'''),
    ("cross", "swapped the matrices: W_K for the queries, W_Q for the keys", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_K
    K = memory @ W_Q
    V = memory @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    scores = np.where(mask, scores, -1e30)
    e = np.where(mask, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total > 0, total, 1.0)
    return dict(weights=weights, output=weights @ V)
'''),
    ("cross", "mask multiplied onto the scores: a hidden key has score 0, not weight 0", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_Q
    K = memory @ W_K
    V = memory @ W_V
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    scores = scores * mask
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
    ("block", "norm after the residual (post-norm) instead of before", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, ddof=1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], heads, d_k), -2, -3)

    def attend(x):
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return np.swapaxes(weights @ V, -2, -3).reshape(x.shape) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    residual_1 = norm(X + attend(X), gain_1, shift_1)
    output = norm(residual_1 + feed_forward(residual_1), gain_2, shift_2)
    return dict(output=output)
'''),
    ("block", "population standard deviation (d_model, not d_model - 1)", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], heads, d_k), -2, -3)

    def attend(x):
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return np.swapaxes(weights @ V, -2, -3).reshape(x.shape) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    residual_1 = X + attend(norm(X, gain_1, shift_1))
    output = residual_1 + feed_forward(norm(residual_1, gain_2, shift_2))
    return dict(output=output)
'''),
    ("block", "second residual goes around from X instead of from the first residual", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, ddof=1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], heads, d_k), -2, -3)

    def attend(x):
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return np.swapaxes(weights @ V, -2, -3).reshape(x.shape) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    residual_1 = X + attend(norm(X, gain_1, shift_1))
    output = X + feed_forward(norm(residual_1, gain_2, shift_2))
    return dict(output=output)
'''),
    ("block", "the residual adds the normed input instead of the input itself", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, ddof=1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], heads, d_k), -2, -3)

    def attend(x):
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return np.swapaxes(weights @ V, -2, -3).reshape(x.shape) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    h = norm(X, gain_1, shift_1)
    h = h + attend(h)
    h = norm(h, gain_2, shift_2)
    output = h + feed_forward(h)
    return dict(output=output)
'''),
    ("block", "no ReLU between W_1 and W_2", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, ddof=1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], heads, d_k), -2, -3)

    def attend(x):
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return np.swapaxes(weights @ V, -2, -3).reshape(x.shape) @ W_O

    def feed_forward(x):
        return (x @ W_1 + b_1) @ W_2 + b_2

    residual_1 = X + attend(norm(X, gain_1, shift_1))
    output = residual_1 + feed_forward(norm(residual_1, gain_2, shift_2))
    return dict(output=output)
'''),
    ("loss", "mean over all tokens, padding counted", '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    labels = labels.astype(int)
    z = logits - logits.max(axis=-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    probs = np.exp(log_probs)
    target = np.full((n, vocabulary), smoothing / (vocabulary - 2))
    target[:, pad_id] = 0
    target[np.arange(n), labels] = 1 - smoothing
    real = labels != pad_id
    target[~real] = 0
    ln_target = np.log(np.where(target > 0, target, 1))
    per_token = (target * (ln_target - log_probs)).sum(axis=-1)
    count = n
    loss = per_token[real].sum() / count
    dlogits = (probs - target) * real[:, None] / count
    return dict(log_probs=log_probs, loss=loss, dlogits=dlogits)
'''),
    ("loss", "gradient not divided by the number of tokens", '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    labels = labels.astype(int)
    z = logits - logits.max(axis=-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    probs = np.exp(log_probs)
    target = np.full((n, vocabulary), smoothing / (vocabulary - 2))
    target[:, pad_id] = 0
    target[np.arange(n), labels] = 1 - smoothing
    real = labels != pad_id
    target[~real] = 0
    ln_target = np.log(np.where(target > 0, target, 1))
    per_token = (target * (ln_target - log_probs)).sum(axis=-1)
    count = real.sum()
    loss = per_token[real].sum() / count
    dlogits = (probs - target) * real[:, None]
    return dict(log_probs=log_probs, loss=loss, dlogits=dlogits)
'''),
    ("loss", "padding rows still have a gradient (probs - target)", '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    labels = labels.astype(int)
    z = logits - logits.max(axis=-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    probs = np.exp(log_probs)
    target = np.full((n, vocabulary), smoothing / (vocabulary - 2))
    target[:, pad_id] = 0
    target[np.arange(n), labels] = 1 - smoothing
    real = labels != pad_id
    target[~real] = 0
    ln_target = np.log(np.where(target > 0, target, 1))
    per_token = (target * (ln_target - log_probs)).sum(axis=-1)
    count = real.sum()
    loss = per_token[real].sum() / count
    dlogits = (probs - target) / count
    return dict(log_probs=log_probs, loss=loss, dlogits=dlogits)
'''),
    ("loss", "smoothing shared among the whole vocabulary, label and padding too", '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    labels = labels.astype(int)
    z = logits - logits.max(axis=-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    probs = np.exp(log_probs)
    target = np.full((n, vocabulary), smoothing / vocabulary)
    target[np.arange(n), labels] += 1 - smoothing
    real = labels != pad_id
    target[~real] = 0
    ln_target = np.log(np.where(target > 0, target, 1))
    per_token = (target * (ln_target - log_probs)).sum(axis=-1)
    count = real.sum()
    loss = per_token[real].sum() / count
    dlogits = (probs - target) * real[:, None] / count
    return dict(log_probs=log_probs, loss=loss, dlogits=dlogits)
'''),
    ("loss", "cross-entropy with the smoothed target, the ln target term left out (not the KL divergence)", '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    labels = labels.astype(int)
    z = logits - logits.max(axis=-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    probs = np.exp(log_probs)
    target = np.full((n, vocabulary), smoothing / (vocabulary - 2))
    target[:, pad_id] = 0
    target[np.arange(n), labels] = 1 - smoothing
    real = labels != pad_id
    target[~real] = 0
    per_token = -(target * log_probs).sum(axis=-1)
    count = real.sum()
    loss = per_token[real].sum() / count
    dlogits = (probs - target) * real[:, None] / count
    return dict(log_probs=log_probs, loss=loss, dlogits=dlogits)
'''),
    ("train", "no bias correction of m and v", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * dW_Q ** 2
    direction = m / (np.sqrt(v) + epsilon)
    W_Q_after = W_Q - learning_rate * (direction + decay * W_Q)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q_after)
'''),
    ("train", "decay added to the gradient (L2, as Adam had it) instead of apart from it", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    g = dW_Q + decay * W_Q
    m = beta_1 * m0_W_Q + (1 - beta_1) * g
    v = beta_2 * v0_W_Q + (1 - beta_2) * g ** 2
    m_hat = m / (1 - beta_1 ** t)
    v_hat = v / (1 - beta_2 ** t)
    direction = m_hat / (np.sqrt(v_hat) + epsilon)
    W_Q_after = W_Q - learning_rate * direction
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q_after)
'''),
    ("train", "the decay is not multiplied by the learning rate", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * dW_Q ** 2
    m_hat = m / (1 - beta_1 ** t)
    v_hat = v / (1 - beta_2 ** t)
    direction = m_hat / (np.sqrt(v_hat) + epsilon)
    W_Q_after = W_Q - learning_rate * direction - decay * W_Q
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q_after)
'''),
    ("train", "stores the corrected averages: returns m hat and v hat as the state", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * dW_Q ** 2
    m = m / (1 - beta_1 ** t)
    v = v / (1 - beta_2 ** t)
    direction = m / (np.sqrt(v) + epsilon)
    W_Q_after = W_Q - learning_rate * (direction + decay * W_Q)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q_after)
'''),
    ("decode", "multiplies by the temperature instead of dividing", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    z = logits[0]
    size = len(z)
    greedy = np.zeros((1, size))
    greedy[0, np.argmax(z)] = 1

    scaled = z * temperature
    e = np.exp(scaled - scaled.max())
    probs = e / e.sum()

    order = np.argsort(-probs, kind="stable")
    p = probs[order]
    p[int(top_k):] = 0
    p = p / p.sum()
    before = np.cumsum(p) - p
    p[before >= top_p] = 0
    p = p / p.sum()
    probs_p = np.zeros((1, size))
    probs_p[0, order] = p

    place = min(np.searchsorted(np.cumsum(p), u, side="right"), np.count_nonzero(p) - 1)
    taken = np.zeros((1, size))
    taken[0, order[place]] = 1

    steps = np.arange(target_log_probs.shape[0])[:, None]
    total = np.where(steps < lengths, target_log_probs, 0).sum(axis=0)
    score = (total / ((5 + lengths) / 6) ** 0.6)[None, :]
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score)
'''),
    ("decode", "top_p drops the token that reaches the threshold", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    z = logits[0]
    size = len(z)
    greedy = np.zeros((1, size))
    greedy[0, np.argmax(z)] = 1

    scaled = z / temperature
    e = np.exp(scaled - scaled.max())
    probs = e / e.sum()

    order = np.argsort(-probs, kind="stable")
    p = probs[order]
    p[int(top_k):] = 0
    p = p / p.sum()
    drop = np.cumsum(p) > top_p
    drop[0] = False          # always keep one
    p[drop] = 0
    p = p / p.sum()
    probs_p = np.zeros((1, size))
    probs_p[0, order] = p

    place = min(np.searchsorted(np.cumsum(p), u, side="right"), np.count_nonzero(p) - 1)
    taken = np.zeros((1, size))
    taken[0, order[place]] = 1

    steps = np.arange(target_log_probs.shape[0])[:, None]
    total = np.where(steps < lengths, target_log_probs, 0).sum(axis=0)
    score = (total / ((5 + lengths) / 6) ** 0.6)[None, :]
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score)
'''),
    ("decode", "not normalised between top_k and top_p", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    z = logits[0]
    size = len(z)
    greedy = np.zeros((1, size))
    greedy[0, np.argmax(z)] = 1

    scaled = z / temperature
    e = np.exp(scaled - scaled.max())
    probs = e / e.sum()

    order = np.argsort(-probs, kind="stable")
    p = probs[order]
    p[int(top_k):] = 0
    before = np.cumsum(p) - p
    p[before >= top_p] = 0
    p = p / p.sum()
    probs_p = np.zeros((1, size))
    probs_p[0, order] = p

    place = min(np.searchsorted(np.cumsum(p), u, side="right"), np.count_nonzero(p) - 1)
    taken = np.zeros((1, size))
    taken[0, order[place]] = 1

    steps = np.arange(target_log_probs.shape[0])[:, None]
    total = np.where(steps < lengths, target_log_probs, 0).sum(axis=0)
    score = (total / ((5 + lengths) / 6) ** 0.6)[None, :]
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score)
'''),
    ("decode", "beam score divided by the plain length", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    z = logits[0]
    size = len(z)
    greedy = np.zeros((1, size))
    greedy[0, np.argmax(z)] = 1

    scaled = z / temperature
    e = np.exp(scaled - scaled.max())
    probs = e / e.sum()

    order = np.argsort(-probs, kind="stable")
    p = probs[order]
    p[int(top_k):] = 0
    p = p / p.sum()
    before = np.cumsum(p) - p
    p[before >= top_p] = 0
    p = p / p.sum()
    probs_p = np.zeros((1, size))
    probs_p[0, order] = p

    place = min(np.searchsorted(np.cumsum(p), u, side="right"), np.count_nonzero(p) - 1)
    taken = np.zeros((1, size))
    taken[0, order[place]] = 1

    steps = np.arange(target_log_probs.shape[0])[:, None]
    total = np.where(steps < lengths, target_log_probs, 0).sum(axis=0)
    score = (total / lengths)[None, :]
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score)
'''),
    ("cache", "every new token comes alone and gets position 0", '''def cache(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_K.shape[1]

    def position(pos):
        p = np.zeros(d_model)
        for c in range(d_model):
            angle = pos / 10000 ** ((c - c % 2) / d_model)
            p[c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
        return p

    keys, values, output = [], [], []
    for t in range(n):
        x = X[t] + position(0)
        q = x @ W_Q
        keys.append(x @ W_K)
        values.append(x @ W_V)
        s = np.array(keys) @ q / np.sqrt(d_k)
        e = np.exp(s - s.max())
        output.append(e / e.sum() @ np.array(values))
    return dict(keys=np.array(keys), values=np.array(values), output=np.array(output))
'''),
    ("cache", "asks the cache before its own key and value are in it", '''def cache(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_K.shape[1]

    def position(pos):
        p = np.zeros(d_model)
        for c in range(d_model):
            angle = pos / 10000 ** ((c - c % 2) / d_model)
            p[c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
        return p

    keys, values, output = [], [], []
    for t in range(n):
        x = X[t] + position(t)
        q = x @ W_Q
        if t == 0:
            output.append(x @ W_V)
        else:
            s = np.array(keys) @ q / np.sqrt(d_k)
            e = np.exp(s - s.max())
            output.append(e / e.sum() @ np.array(values))
        keys.append(x @ W_K)
        values.append(x @ W_V)
    return dict(keys=np.array(keys), values=np.array(values), output=np.array(output))
'''),
    ("cache", "values from the token without its position (position only on query and key)", '''def cache(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_K.shape[1]

    def position(pos):
        p = np.zeros(d_model)
        for c in range(d_model):
            angle = pos / 10000 ** ((c - c % 2) / d_model)
            p[c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
        return p

    keys, values, output = [], [], []
    for t in range(n):
        x = X[t] + position(t)
        q = x @ W_Q
        keys.append(x @ W_K)
        values.append(X[t] @ W_V)
        s = np.array(keys) @ q / np.sqrt(d_k)
        e = np.exp(s - s.max())
        output.append(e / e.sum() @ np.array(values))
    return dict(keys=np.array(keys), values=np.array(values), output=np.array(output))
'''),
    ("cache", "fills the cache first, then lets all queries see all keys, later ones too", '''def cache(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    d_k = W_K.shape[1]

    def position(pos):
        p = np.zeros(d_model)
        for c in range(d_model):
            angle = pos / 10000 ** ((c - c % 2) / d_model)
            p[c] = np.sin(angle) if c % 2 == 0 else np.cos(angle)
        return p

    keys, values, queries = [], [], []
    for t in range(n):
        x = X[t] + position(t)
        queries.append(x @ W_Q)
        keys.append(x @ W_K)
        values.append(x @ W_V)
    output = []
    for q in queries:
        s = np.array(keys) @ q / np.sqrt(d_k)
        e = np.exp(s - s.max())
        output.append(e / e.sum() @ np.array(values))
    return dict(keys=np.array(keys), values=np.array(values), output=np.array(output))
'''),
    ("params", "counts the projections once per head (times h)", '''def params(d_model, d_ff, h, N, vocab, n):
    attention = 3 * h * (d_model * d_model + d_model) + d_model * d_model + d_model
    ff = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + ff + 2 * norm
    decoder = 2 * attention + ff + 3 * norm
    generator = d_model * vocab + vocab
    total = N * (encoder + decoder) + 2 * norm + 2 * vocab * d_model + generator

    attention_macs = 4 * d_model * d_model + 2 * n * d_model
    ff_macs = 2 * d_model * d_ff
    macs = N * (3 * attention_macs + 2 * ff_macs) + d_model * vocab
    flops = 2 * macs
    training_bytes = 4 * 4 * total
    return dict(total=total, macs=macs, flops=flops, training_bytes=training_bytes)
'''),
    ("params", "training memory without the gradients", '''def params(d_model, d_ff, h, N, vocab, n):
    attention = 4 * (d_model * d_model + d_model)
    ff = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + ff + 2 * norm
    decoder = 2 * attention + ff + 3 * norm
    generator = d_model * vocab + vocab
    total = N * (encoder + decoder) + 2 * norm + 2 * vocab * d_model + generator

    attention_macs = 4 * d_model * d_model + 2 * n * d_model
    ff_macs = 2 * d_model * d_ff
    macs = N * (3 * attention_macs + 2 * ff_macs) + d_model * vocab
    flops = 2 * macs
    training_bytes = 4 * 3 * total     # weights, m, v
    return dict(total=total, macs=macs, flops=flops, training_bytes=training_bytes)
'''),
    ("params", "macs count the scores but not the weighted sum of the values", '''def params(d_model, d_ff, h, N, vocab, n):
    attention = 4 * (d_model * d_model + d_model)
    ff = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + ff + 2 * norm
    decoder = 2 * attention + ff + 3 * norm
    generator = d_model * vocab + vocab
    total = N * (encoder + decoder) + 2 * norm + 2 * vocab * d_model + generator

    attention_macs = 4 * d_model * d_model + n * d_model
    ff_macs = 2 * d_model * d_ff
    macs = N * (3 * attention_macs + 2 * ff_macs) + d_model * vocab
    flops = 2 * macs
    training_bytes = 4 * 4 * total
    return dict(total=total, macs=macs, flops=flops, training_bytes=training_bytes)
'''),
    ("params", "decoder layer counted with two norms only, like the encoder's", '''def params(d_model, d_ff, h, N, vocab, n):
    attention = 4 * (d_model * d_model + d_model)
    ff = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder = attention + ff + 2 * norm
    decoder = 2 * attention + ff + 2 * norm
    generator = d_model * vocab + vocab
    total = N * (encoder + decoder) + 2 * norm + 2 * vocab * d_model + generator

    attention_macs = 4 * d_model * d_model + 2 * n * d_model
    ff_macs = 2 * d_model * d_ff
    macs = N * (3 * attention_macs + 2 * ff_macs) + d_model * vocab
    flops = 2 * macs
    training_bytes = 4 * 4 * total
    return dict(total=total, macs=macs, flops=flops, training_bytes=training_bytes)
'''),
    ("rope", "pairs column i with column i + d_k/2 instead of neighbours", '''def rope(Q, K, positions, base):
    w = Q.shape[-1]
    i = np.arange(w // 2)
    angles = positions[:, None] / base ** (2 * i / w)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., : w // 2], x[..., w // 2 :]
        y = np.empty(x.shape)
        y[..., : w // 2] = a * c - b * s
        y[..., w // 2 :] = a * s + b * c
        return y

    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
    ("rope", "ignores the positions given and counts from 0", '''def rope(Q, K, positions, base):
    w = Q.shape[-1]
    i = np.arange(w // 2)
    angles = np.arange(Q.shape[-2])[:, None] / base ** (2 * i / w)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., 0::2], x[..., 1::2]
        y = np.empty(x.shape)
        y[..., 0::2] = a * c - b * s
        y[..., 1::2] = a * s + b * c
        return y

    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
    ("rope", "turns the other way round (sign of the sine)", '''def rope(Q, K, positions, base):
    w = Q.shape[-1]
    i = np.arange(w // 2)
    angles = positions[:, None] / base ** (2 * i / w)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., 0::2], x[..., 1::2]
        y = np.empty(x.shape)
        y[..., 0::2] = a * c + b * s
        y[..., 1::2] = b * c - a * s
        return y

    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
    ("rope", "writes in place: the second of a pair is computed from the first one already turned", '''def rope(Q, K, positions, base):
    w = Q.shape[-1]
    i = np.arange(w // 2)
    angles = positions[:, None] / base ** (2 * i / w)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        y = np.array(x, dtype=float)
        a, b = y[..., 0::2], y[..., 1::2]
        y[..., 0::2] = a * c - b * s
        y[..., 1::2] = a * s + b * c
        return y

    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
    ("modern", "heads of keys dealt out in turn (tile) instead of to groups of neighbours", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d_model = X.shape
    d_k = d_model // heads
    half = d_k // 2

    def norm(x, gain):
        return gain * x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5)

    angles = np.arange(n)[:, None] / base ** (2 * np.arange(half) / d_k)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    def split(x, count):
        return x.reshape(n, count, d_k).transpose(1, 0, 2)

    x = norm(X, gain_1)
    Q = turn(split(x @ W_Q, heads))
    K = turn(split(x @ W_K, kv_heads))
    V = split(x @ W_V, kv_heads)
    K = np.tile(K, (heads // kv_heads, 1, 1))
    V = np.tile(V, (heads // kv_heads, 1, 1))

    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    mask = j <= i
    if window != 0:
        mask = mask & (i - j < window)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    attended = (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_O
    between = X + attended

    x = norm(between, gain_2)
    g = x @ W_1
    silu = g / (1 + np.exp(-g))
    output = between + (silu * (x @ W_3)) @ W_2
    return dict(output=output)
'''),
    ("modern", "RMSNorm still subtracts the mean", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d_model = X.shape
    d_k = d_model // heads
    half = d_k // 2

    def norm(x, gain):
        x = x - x.mean(axis=-1, keepdims=True)
        return gain * x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5)

    angles = np.arange(n)[:, None] / base ** (2 * np.arange(half) / d_k)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    def split(x, count):
        return x.reshape(n, count, d_k).transpose(1, 0, 2)

    x = norm(X, gain_1)
    Q = turn(split(x @ W_Q, heads))
    K = turn(split(x @ W_K, kv_heads))
    V = split(x @ W_V, kv_heads)
    K = np.repeat(K, heads // kv_heads, axis=0)
    V = np.repeat(V, heads // kv_heads, axis=0)

    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    mask = j <= i
    if window != 0:
        mask = mask & (i - j < window)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    attended = (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_O
    between = X + attended

    x = norm(between, gain_2)
    g = x @ W_1
    silu = g / (1 + np.exp(-g))
    output = between + (silu * (x @ W_3)) @ W_2
    return dict(output=output)
'''),
    ("modern", "window is one too wide (the token itself not counted)", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d_model = X.shape
    d_k = d_model // heads
    half = d_k // 2

    def norm(x, gain):
        return gain * x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5)

    angles = np.arange(n)[:, None] / base ** (2 * np.arange(half) / d_k)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    def split(x, count):
        return x.reshape(n, count, d_k).transpose(1, 0, 2)

    x = norm(X, gain_1)
    Q = turn(split(x @ W_Q, heads))
    K = turn(split(x @ W_K, kv_heads))
    V = split(x @ W_V, kv_heads)
    K = np.repeat(K, heads // kv_heads, axis=0)
    V = np.repeat(V, heads // kv_heads, axis=0)

    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    mask = j <= i
    if window != 0:
        mask = mask & (i - j <= window)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    attended = (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_O
    between = X + attended

    x = norm(between, gain_2)
    g = x @ W_1
    silu = g / (1 + np.exp(-g))
    output = between + (silu * (x @ W_3)) @ W_2
    return dict(output=output)
'''),
    ("modern", "the gate is on the wrong branch: silu of x W_3", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d_model = X.shape
    d_k = d_model // heads
    half = d_k // 2

    def norm(x, gain):
        return gain * x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5)

    angles = np.arange(n)[:, None] / base ** (2 * np.arange(half) / d_k)
    c, s = np.cos(angles), np.sin(angles)

    def turn(x):
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    def split(x, count):
        return x.reshape(n, count, d_k).transpose(1, 0, 2)

    x = norm(X, gain_1)
    Q = turn(split(x @ W_Q, heads))
    K = turn(split(x @ W_K, kv_heads))
    V = split(x @ W_V, kv_heads)
    K = np.repeat(K, heads // kv_heads, axis=0)
    V = np.repeat(V, heads // kv_heads, axis=0)

    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    mask = j <= i
    if window != 0:
        mask = mask & (i - j < window)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    attended = (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_O
    between = X + attended

    x = norm(between, gain_2)
    g = x @ W_3
    silu = g / (1 + np.exp(-g))
    output = between + (silu * (x @ W_1)) @ W_2
    return dict(output=output)
'''),
    ("induction", "score takes the weight on the earlier same token, not on the one behind it", '''def induction(w, tgt, heads):
    tgt = np.asarray(tgt).astype(int)
    n = len(tgt)

    def linear(name, x):
        return x @ w[name + ".weight"].T

    def norm(name, x):
        mean = x.mean(axis=-1, keepdims=True)
        var = x.var(axis=-1, keepdims=True)
        return w[name + ".a_2"] * (x - mean) / np.sqrt(var + 1e-5) + w[name + ".b_2"]

    def split(x):
        return x.reshape(n, heads, -1).transpose(1, 0, 2)

    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][:n]
    causal = np.tril(np.ones((n, n), dtype=bool))
    layer = 0
    while f"decoder.layers.{layer}.self_attn.linears.0.weight" in w:
        name = f"decoder.layers.{layer}"
        y = norm(name + ".sublayer.0.norm", x)
        Q, K, V = [split(linear(f"{name}.self_attn.linears.{j}", y)) for j in range(3)]
        s = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
        s = np.where(causal, s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        z = (weights @ V).transpose(1, 0, 2).reshape(n, -1)
        x = x + linear(name + ".self_attn.linears.3", z)
        layer += 1

    logits = linear("generator.proj", norm("decoder.norm", x))
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))

    found = []
    for i in range(n):
        earlier = [j for j in range(i) if tgt[j] == tgt[i]]
        if earlier:
            found.append(weights[:, i, earlier[-1]])
    score = np.mean(found, axis=0) if found else np.zeros(heads)
    return {"log_probs": log_probs, "score": score}
'''),
    ("gpt", "loss averaged over all positions, the label -1 (unknown) taken as the last token of the vocabulary", '''def gpt(w, tgt, labels, heads, mark, context):
    tgt = np.asarray(tgt).astype(int)
    labels = np.asarray(labels).astype(int)

    def linear(name, x):
        return x @ w[name + ".weight"].T

    def norm(x):
        return x / np.sqrt((x ** 2).mean(axis=-1, keepdims=True) + 1e-5)

    def masked_attention(name, x):
        n = len(x)
        Q, K, V = [linear(f"{name}.linears.{j}", x).reshape(n, heads, -1).transpose(1, 0, 2) for j in range(3)]
        s = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
        s = np.where(np.tril(np.ones((n, n), dtype=bool)), s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        return linear(f"{name}.linears.3", (weights @ V).transpose(1, 0, 2).reshape(n, -1))

    def decode(tokens):
        x = w["tgt_embed.0.lut.weight"][tokens] + w["tgt_embed.1.weight"][: len(tokens)]
        x = norm(x)
        i = 0
        while f"decoder.layers.{i}.feed_forward.w_1.weight" in w:
            name = f"decoder.layers.{i}"
            x = x + masked_attention(name + ".self_attn", norm(x))
            x = x + linear(name + ".feed_forward.w_2", np.maximum(linear(name + ".feed_forward.w_1", norm(x)), 0))
            i += 1
        z = linear("generator.proj", x)
        z = z - z.max(axis=-1, keepdims=True)
        return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))

    log_probs = decode(tgt)
    loss = -log_probs[np.arange(len(tgt)), labels].mean()
    tokens = list(tgt)
    while len(tokens) < context + 1:
        best = int(np.argmax(decode(np.array(tokens))[-1]))
        if best == mark:
            break
        tokens.append(best)
    return {"log_probs": log_probs, "loss": loss, "greedy": np.array(tokens[len(tgt):], dtype=int)}
'''),
    ("model", "the encoder's last norm left out: the memory is the bare sum", '''def model(w, src, tgt, heads, start, end, longest):
    src = np.asarray(src).astype(int)
    tgt = np.asarray(tgt).astype(int)

    def linear(name, x):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(name, x):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, ddof=1, keepdims=True)
        return w[name + ".a_2"] * (x - mean) / (std + 1e-6) + w[name + ".b_2"]

    def embed(name, ids):
        table = w[name + ".0.lut.weight"]
        d = table.shape[1]
        angles = np.arange(len(ids))[:, None] / 10000 ** (np.arange(0, d, 2) / d)
        pe = np.zeros((len(ids), d))
        pe[:, 0::2] = np.sin(angles)
        pe[:, 1::2] = np.cos(angles)[:, : d // 2]
        return table[ids] * np.sqrt(d) + pe

    def multihead(name, x, memory, mask):
        def split(y):
            return y.reshape(len(y), heads, -1).transpose(1, 0, 2)
        Q = split(linear(name + ".linears.0", x))
        K = split(linear(name + ".linears.1", memory))
        V = split(linear(name + ".linears.2", memory))
        s = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(axis=-1, keepdims=True)) * mask
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        return linear(name + ".linears.3", (weights @ V).transpose(1, 0, 2).reshape(len(x), -1))

    def feed_forward(name, x):
        return linear(name + ".w_2", np.maximum(linear(name + ".w_1", x), 0))

    def encode(src):
        x = embed("src_embed", src)
        mask = (src != 0)[None, :]
        i = 0
        while f"encoder.layers.{i}.self_attn.linears.0.weight" in w:
            L = f"encoder.layers.{i}"
            y = norm(L + ".sublayer.0.norm", x)
            x = x + multihead(L + ".self_attn", y, y, mask)
            x = x + feed_forward(L + ".feed_forward", norm(L + ".sublayer.1.norm", x))
            i += 1
        return x

    def decode(memory, tgt):
        x = embed("tgt_embed", tgt)
        n = len(tgt)
        mask = (tgt != 0)[None, :] & np.tril(np.ones((n, n), dtype=bool))
        i = 0
        while f"decoder.layers.{i}.self_attn.linears.0.weight" in w:
            L = f"decoder.layers.{i}"
            y = norm(L + ".sublayer.0.norm", x)
            x = x + multihead(L + ".self_attn", y, y, mask)
            y = norm(L + ".sublayer.1.norm", x)
            x = x + multihead(L + ".src_attn", y, memory, (src != 0)[None, :])
            x = x + feed_forward(L + ".feed_forward", norm(L + ".sublayer.2.norm", x))
            i += 1
        z = linear("generator.proj", norm("decoder.norm", x))
        z = z - z.max(axis=-1, keepdims=True)
        return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))

    memory = encode(src)
    log_probs = decode(memory, tgt)
    said = [start]
    while len(said) - 1 < longest:
        best = int(np.argmax(decode(memory, np.array(said))[-1]))
        if best == end:
            break
        said.append(best)
    return {"log_probs": log_probs, "greedy": np.array(said[1:], dtype=int)}
'''),
]
