PROGRAMS = [
  # ---------------------------------------------------------------- words
  ("words", "norms are the sums of squares: the square root is forgotten, and the cosines inherit it", '''def words(X):
    norms = (X ** 2).sum(axis=-1)
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / (norms[..., :, None] * norms[..., None, :])
    diff = X[..., :, None, :] - X[..., None, :, :]
    distances = np.sqrt((diff ** 2).sum(axis=-1))
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
  ("words", "the cosine is divided by the length of one of the two words only", '''def words(X):
    norms = np.linalg.norm(X, axis=-1)
    dots = np.einsum("...id,...jd->...ij", X, X)
    cosines = dots / norms[..., None]
    distances = np.linalg.norm(X[..., :, None, :] - X[..., None, :, :], axis=-1)
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
  ("words", "distances by sqrt(2 - 2 cos), which holds for unit vectors only", '''def words(X):
    norms = np.linalg.norm(X, axis=-1, keepdims=True)
    dots = X @ X.swapaxes(-1, -2)
    cosines = dots / (norms @ norms.swapaxes(-1, -2))
    # law of cosines
    distances = np.sqrt(np.maximum(2 - 2 * cosines, 0))
    return dict(norms=norms[..., 0], dots=dots, cosines=cosines, distances=distances)
'''),
  ("words", "takes the difference of the lengths for the distance of the words", '''def words(X):
    norms = np.sqrt(np.sum(X * X, axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / norms[..., :, None] / norms[..., None, :]
    distances = np.abs(norms[..., :, None] - norms[..., None, :])
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
  # ---------------------------------------------------------------- qkv
  ("qkv", "leaves the biases out, as the paper's formulas do", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return dict(Q=Q, K=K, V=V)
'''),
  ("qkv", "puts the scaling by sqrt(d_k) into the query projection already", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    d_k = W_Q.shape[-1]
    Q = (X @ W_Q + b_Q) / np.sqrt(d_k)
    K = X @ W_K + b_K
    V = X @ W_V + b_V
    return dict(Q=Q, K=K, V=V)
'''),
  ("qkv", "wants nn.Linear's (d_out, d_in) and gets it by reshape, then transposes: the numbers are shuffled", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    def linear(x, W, b):
        d_in, d_out = W.shape
        weight = W.reshape(d_out, d_in)      # like nn.Linear.weight
        return x @ weight.T + b

    return dict(Q=linear(X, W_Q, b_Q), K=linear(X, W_K, b_K), V=linear(X, W_V, b_V))
'''),
  ("qkv", "drops the key's bias, because softmax is said to cancel it", '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = np.matmul(X, W_Q) + b_Q
    K = np.matmul(X, W_K)  # q.b_K is the same for every key, softmax removes it
    V = np.matmul(X, W_V) + b_V
    return {"Q": Q, "K": K, "V": V}
'''),
  # ---------------------------------------------------------------- scores
  ("scores", "reshapes K to (d_k, n_k) instead of transposing it", '''def scores(Q, K):
    n_k, d_k = K.shape[-2:]
    K_T = K.reshape(K.shape[:-2] + (d_k, n_k))
    return dict(scores=Q @ K_T)
'''),
  ("scores", "keys in rows, queries in columns: K times Q transposed", '''def scores(Q, K):
    s = K @ np.swapaxes(Q, -1, -2)
    return dict(scores=s)
'''),
  ("scores", "takes the cosine of query and key, since a score is a similarity", '''def scores(Q, K):
    Qn = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    Kn = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return dict(scores=np.einsum("...qd,...kd->...qk", Qn, Kn))
'''),
  ("scores", "einsum with two letters for d_k: both are summed separately, it gives the product of the row sums", '''def scores(Q, K):
    return dict(scores=np.einsum("...qd,...ke->...qk", Q, K))
'''),
  # ---------------------------------------------------------------- softmax
  ("softmax", "divides by d_k, not by its root", '''def softmax(scores, d_k):
    scaled = scores / d_k
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    e = np.exp(scaled)
    return dict(weights=e / e.sum(axis=-1, keepdims=True))
'''),
  ("softmax", "normalises down the columns: over the queries", '''def softmax(scores, d_k):
    scaled = scores / np.sqrt(d_k)
    e = np.exp(scaled - np.max(scaled, axis=-2, keepdims=True))
    weights = e / np.sum(e, axis=-2, keepdims=True)
    return dict(weights=weights)
'''),
  ("softmax", "imitates F.softmax without dim: axis 0 for three axes, else axis 1", '''def softmax(scores, d_k):
    x = scores / d_k ** 0.5
    dim = 0 if x.ndim in (0, 1, 3) else 1      # F.softmax(x) picks it so
    e = np.exp(x - x.max(axis=dim, keepdims=True))
    return dict(weights=e / e.sum(axis=dim, keepdims=True))
'''),
  ("softmax", "powers of 2 as the fast kernels do, without the factor log2(e)", '''def softmax(scores, d_k):
    x = scores / np.sqrt(d_k)
    x = x - x.max(-1, keepdims=True)
    p = np.exp2(x)
    return dict(weights=p / p.sum(-1, keepdims=True))
'''),
  # ---------------------------------------------------------------- attention
  ("attention", "mean instead of sum over the keys: divides a second time by n_k", '''def attention(weights, V):
    weighted = weights[..., :, :, None] * V[..., None, :, :]   # (.., n_q, n_k, d_v)
    return dict(output=weighted.mean(axis=-2))
'''),
  ("attention", "applies softmax to what are weights already", '''def attention(weights, V):
    e = np.exp(weights - weights.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return dict(output=p @ V)
'''),
  ("attention", "np.dot for stacks: every batch meets every other batch, the output has extra axes", '''def attention(weights, V):
    output = np.dot(weights, V)
    return dict(output=output)
'''),
  # ---------------------------------------------------------------- sdpa
  ("sdpa", "takes the width of the values for d_k", '''def sdpa(Q, K, V):
    d_k = V.shape[-1]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
    s = s - s.max(axis=-1, keepdims=True)
    weights = np.exp(s)
    weights /= weights.sum(axis=-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
  ("sdpa", "divides by sqrt(d_k) after the softmax", '''def sdpa(Q, K, V):
    d_k = Q.shape[-1]
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True) / np.sqrt(d_k)
    return dict(weights=weights, output=weights @ V)
'''),
  ("sdpa", "scales both Q and K by sqrt(d_k), so the scores are divided by d_k", '''def sdpa(Q, K, V):
    scale = Q.shape[-1] ** -0.5
    q, k = Q * scale, K * scale
    s = np.einsum("...id,...jd->...ij", q, k)
    s -= s.max(-1, keepdims=True)
    w = np.exp(s)
    w = w / w.sum(-1, keepdims=True)
    return dict(weights=w, output=np.einsum("...ij,...jd->...id", w, V))
'''),
  ("sdpa", "one softmax over the whole matrix: all weights together sum to 1", '''def sdpa(Q, K, V):
    def softmax(x):
        x = np.exp(x - x.max(axis=(-2, -1), keepdims=True))
        return x / x.sum(axis=(-2, -1), keepdims=True)

    weights = softmax(Q @ np.swapaxes(K, -2, -1) / np.sqrt(K.shape[-1]))
    return dict(weights=weights, output=weights @ V)
'''),
  # ---------------------------------------------------------------- embed
  ("embed", "nn.Embedding plus positions: forgets the factor sqrt(d_model)", '''def embed(token_ids, token_embedding):
    ids = token_ids.astype(int)
    n, d = ids.shape[-1], token_embedding.shape[1]
    pos = np.arange(n)[:, None]
    col = np.arange(d)
    angle = pos / 10000 ** (2 * (col // 2) / d)
    pe = np.where(col % 2 == 0, np.sin(angle), np.cos(angle))
    return dict(X=token_embedding[ids] + pe)
'''),
  ("embed", "all sines in the left half, all cosines in the right half", '''def embed(token_ids, token_embedding):
    ids = token_ids.astype(int)
    n, d = ids.shape[-1], token_embedding.shape[1]
    half = (d + 1) // 2
    freq = 10000.0 ** (-2 * np.arange(half) / d)
    angle = np.arange(n)[:, None] * freq
    pe = np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)[:, :d]
    return dict(X=token_embedding[ids] * np.sqrt(d) + pe)
'''),
  ("embed", "numbers the positions through the whole batch, not within each sentence", '''def embed(token_ids, token_embedding):
    ids = token_ids.astype(int)
    d = token_embedding.shape[1]
    positions = np.arange(ids.size).reshape(ids.shape)
    col = np.arange(d)
    angle = positions[..., None] / np.power(10000.0, (col - col % 2) / d)
    pe = np.where(col % 2, np.cos(angle), np.sin(angle))
    return dict(X=np.sqrt(d) * token_embedding[ids] + pe)
'''),
  ("embed", "multiplies by sqrt(d_model) after adding: the positions are scaled too", '''def embed(token_ids, token_embedding):
    ids = token_ids.astype(int)
    n = ids.shape[-1]
    d_model = token_embedding.shape[-1]
    pe = np.zeros((n, d_model))
    pos = np.arange(n)
    for c in range(d_model):
        a = pos / 10000 ** ((c // 2 * 2) / d_model)
        pe[:, c] = np.cos(a) if c % 2 else np.sin(a)
    X = (token_embedding[ids] + pe) * np.sqrt(d_model)
    return dict(X=X)
'''),
  # ---------------------------------------------------------------- masked
  ("masked", "reads the mask like PyTorch's key_padding_mask: True is blocked", '''def masked(Q, K, V, mask_given):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    future = np.triu(np.ones((n_q, n_k), bool), k=1)
    blocked = mask_given.astype(bool) | future
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(blocked, -np.inf, s)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return dict(weights=weights, output=weights @ V)
'''),
  ("masked", "multiplies by the mask after the softmax: the rows no longer sum to 1", '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    mask = mask_given.astype(bool) & np.tril(np.ones((n_q, n_k), dtype=bool))
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    weights = weights * mask
    return dict(weights=weights, output=weights @ V)
'''),
  ("masked", "casts the Boolean mask to float and adds it to the scores, as F.sdpa does with a float mask", '''def masked(Q, K, V, mask_given):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    attn_mask = (mask_given.astype(bool) & np.tri(n_q, n_k, dtype=bool)).astype(Q.dtype)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]) + attn_mask
    e = np.exp(s - s.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
  ("masked", "aligns the causal triangle to the lower right corner when n_q and n_k differ", '''def masked(Q, K, V, mask_given):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    causal = np.tril(np.ones((n_q, n_k)), k=n_k - n_q).astype(bool)
    mask = causal & mask_given.astype(bool)
    s = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1])
    s = np.where(mask, s, -np.inf)
    top = s.max(-1, keepdims=True)
    top[np.isneginf(top)] = 0
    e = np.exp(s - top)
    z = e.sum(-1, keepdims=True)
    z[z == 0] = 1
    weights = e / z
    return dict(weights=weights, output=weights @ V)
'''),
  ("masked", "joins the two masks with OR: what either allows may be seen", '''def masked(Q, K, V, mask_given):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    causal = np.tril(np.ones((n_q, n_k), dtype=bool))
    mask = np.logical_or(causal, mask_given)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(mask, s, -np.inf)
    m = np.max(s, axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(axis=-1, keepdims=True)
    weights = np.divide(e, z, out=np.zeros_like(e), where=z > 0)
    return dict(weights=weights, output=weights @ V)
'''),
  # ---------------------------------------------------------------- multihead
  ("multihead", "reshapes straight to (heads, n, d_k) with no transpose: a head gets some of the words, not some of the columns", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d = X.shape[-2:]
    h = int(heads)
    shape = X.shape[:-2] + (h, n, d // h)
    Q = (X @ W_Q).reshape(shape)
    K = (X @ W_K).reshape(shape)
    V = (X @ W_V).reshape(shape)
    see = mask.astype(bool)
    s = np.where(see, Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // h), -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    out = np.swapaxes(w @ V, -3, -2).reshape(X.shape)
    return dict(output=out @ W_O)
'''),
  ("multihead", "scales by sqrt(d_model), not by that of a head", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    *batch, n, d_model = X.shape
    h = int(heads)
    d_k = d_model // h
    split = lambda x: np.swapaxes(x.reshape(*batch, n, h, d_k), -3, -2)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_model)
    s = np.where(mask.astype(bool), s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    concat = np.swapaxes(w @ V, -3, -2).reshape(*batch, n, d_model)
    return dict(output=concat @ W_O)
'''),
  ("multihead", "joins the heads by reshape without swapping the axes back", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    *b, n, d = X.shape
    h = int(heads)

    def split(y):
        return y.reshape(*b, n, h, d // h).swapaxes(-2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(d // h)
    see = np.broadcast_to(mask.astype(bool), s.shape)
    s = np.where(see, s, -1e30)
    e = np.exp(s - s.max(-1, keepdims=True)) * see
    w = e / np.maximum(e.sum(-1, keepdims=True), 1e-300)
    O = w @ V                                # (.., h, n, d_k)
    return dict(output=O.reshape(*b, n, d) @ W_O)
'''),
  ("multihead", "reshapes to (n, d_k, heads): each head takes every heads-th column", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    lead, n, d = X.shape[:-2], X.shape[-2], X.shape[-1]
    h = int(heads)
    def split(y):
        y = y.reshape(lead + (n, d // h, h))
        return np.moveaxis(y, -1, -3)        # (.., h, n, d_k)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // h)
    see = mask.astype(bool)
    s = np.where(see, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    concat = np.moveaxis(w @ V, -3, -1).reshape(lead + (n, d))
    return dict(output=concat @ W_O)
'''),
  ("multihead", "averages the weights over the heads, as nn.MultiheadAttention returns them, and mixes with the average", '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    *b, n, d = X.shape
    h = int(heads)
    split = lambda y: y.reshape(*b, n, h, d // h).swapaxes(-2, -3)
    Q, K = split(X @ W_Q), split(X @ W_K)
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(d // h)
    s = np.where(mask.astype(bool), s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    weights = e / np.where(z == 0, 1, z)
    weights = weights.mean(axis=-3)          # average_attn_weights=True
    return dict(output=weights @ (X @ W_V) @ W_O)
'''),
  # ---------------------------------------------------------------- cross
  ("cross", "blocks with -1e9 only: a row that may see nothing gets uniform weights", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q, K, V = X @ W_Q, memory @ W_K, memory @ W_V
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(mask == 0, -1e9, s)
    e = np.exp(s - s.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
  ("cross", "the decoder must not see the future: a causal mask on the source as well", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_Q
    K = memory @ W_K
    V = memory @ W_V
    see = np.tril(mask.astype(bool))
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    s = np.where(see, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    return dict(weights=w, output=w @ V)
'''),
  ("cross", "makes one padding mask of the keys: hidden from one query is hidden from all", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q, K, V = X @ W_Q, memory @ W_K, memory @ W_V
    key_ok = mask.astype(bool).all(axis=0)             # (n_k,)
    s = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1])
    s = np.where(key_ok, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    return dict(weights=w, output=w @ V)
'''),
  ("cross", "pre-norm misunderstood: normalises the encoder's output before keys and values", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    mu = memory.mean(-1, keepdims=True)
    mem = (memory - mu) / (memory.std(-1, keepdims=True, ddof=1) + 1e-6)
    Q, K, V = X @ W_Q, mem @ W_K, mem @ W_V
    see = mask.astype(bool)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(see, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    weights = e / np.where(z == 0, 1, z)
    return dict(weights=weights, output=weights @ V)
'''),
  # ---------------------------------------------------------------- block
  ("block", "post-norm as in the paper's figure: norm(x + f(x))", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    *b, n, d = X.shape
    h = int(heads)

    def norm(x, gain, shift):
        return gain * (x - x.mean(-1, keepdims=True)) / (x.std(-1, ddof=1, keepdims=True) + 1e-6) + shift

    def attend(x):
        split = lambda y: y.reshape(*b, n, h, d // h).swapaxes(-2, -3)
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = np.where(mask.astype(bool), Q @ K.swapaxes(-1, -2) / np.sqrt(d // h), -np.inf)
        m = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(m), m, 0))
        z = e.sum(-1, keepdims=True)
        w = e / np.where(z == 0, 1, z)
        return (w @ V).swapaxes(-2, -3).reshape(*b, n, d) @ W_O

    x = norm(X + attend(X), gain_1, shift_1)
    x = norm(x + np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2, gain_2, shift_2)
    return dict(output=x)
'''),
  ("block", "np.std with its default: divides by d_model, not by d_model - 1", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    lead, n, d = X.shape[:-2], X.shape[-2], X.shape[-1]
    h = int(heads)

    def norm(x, gain, shift):
        mean = x.mean(axis=-1, keepdims=True)
        std = x.std(axis=-1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    x = norm(X, gain_1, shift_1)
    split = lambda y: np.swapaxes(y.reshape(lead + (n, h, d // h)), -2, -3)
    Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // h)
    s = np.where(mask.astype(bool), s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    att = np.swapaxes(w @ V, -2, -3).reshape(X.shape) @ W_O
    Y = X + att
    y = norm(Y, gain_2, shift_2)
    return dict(output=Y + np.maximum(0, y @ W_1 + b_1) @ W_2 + b_2)
'''),
  ("block", "attention and feed-forward side by side: the second norm reads X, not the first residual", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    *b, n, d = X.shape
    h = int(heads)

    def norm(x, gain, shift):
        return gain * (x - x.mean(-1, keepdims=True)) / (x.std(-1, ddof=1, keepdims=True) + 1e-6) + shift

    def attention(x):
        split = lambda y: y.reshape(*b, n, h, d // h).swapaxes(-2, -3)
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        s = np.where(mask.astype(bool), Q @ K.swapaxes(-1, -2) / np.sqrt(d // h), -np.inf)
        m = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(m), m, 0))
        z = e.sum(-1, keepdims=True)
        w = e / np.where(z == 0, 1, z)
        return (w @ V).swapaxes(-2, -3).reshape(*b, n, d) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    return dict(output=X + attention(norm(X, gain_1, shift_1)) + feed_forward(norm(X, gain_2, shift_2)))
'''),
  ("block", "layer norm over the whole sentence: mean and deviation over words and columns together", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    *b, n, d = X.shape
    h = int(heads)

    def norm(x, gain, shift):
        mean = x.mean(axis=(-2, -1), keepdims=True)
        std = x.std(axis=(-2, -1), ddof=1, keepdims=True)
        return gain * (x - mean) / (std + 1e-6) + shift

    x = norm(X, gain_1, shift_1)
    split = lambda y: y.reshape(*b, n, h, d // h).swapaxes(-2, -3)
    Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
    s = np.where(mask.astype(bool), Q @ K.swapaxes(-1, -2) / np.sqrt(d // h), -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0))
    z = e.sum(-1, keepdims=True)
    w = e / np.where(z == 0, 1, z)
    res = X + (w @ V).swapaxes(-2, -3).reshape(*b, n, d) @ W_O
    hidden = np.maximum(norm(res, gain_2, shift_2) @ W_1 + b_1, 0)
    return dict(output=res + hidden @ W_2 + b_2)
'''),
  # ---------------------------------------------------------------- loss
  ("loss", "divides by all tokens, padding counted", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    y = labels.astype(int)
    x = logits - logits.max(-1, keepdims=True)
    log_probs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    pad_in = 0 <= pad_id < V
    target = np.full((n, V), smoothing / (V - 2 if pad_in else V - 1))
    if pad_in:
        target[:, int(pad_id)] = 0
    keep = y != pad_id
    rows = np.flatnonzero(keep)
    target[rows, y[rows]] = 1 - smoothing
    target[~keep] = 0
    ln_t = np.log(np.where(target > 0, target, 1))
    value = (target * (ln_t - log_probs)).sum() / n
    dlogits = (np.exp(log_probs) - target) * keep[:, None] / n
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
  ("loss", "smooths as nn.CrossEntropyLoss does: smoothing / V for every class, the label and the padding included", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    y = labels.astype(int)
    x = logits - logits.max(-1, keepdims=True)
    log_probs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    keep = y != pad_id
    count = max(keep.sum(), 1)
    target = np.full((n, V), smoothing / V)
    rows = np.flatnonzero(keep)
    target[rows, y[rows]] += 1 - smoothing
    target[~keep] = 0
    ln_t = np.log(np.where(target > 0, target, 1))
    value = (target * (ln_t - log_probs)).sum() / count
    dlogits = np.where(keep[:, None], np.exp(log_probs) - target, 0) / count
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
  ("loss", "the gradient is probs - target, without the mean's division", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    y = labels.astype(int)
    m = logits.max(axis=1, keepdims=True)
    log_probs = logits - m - np.log(np.exp(logits - m).sum(axis=1, keepdims=True))
    real = y != pad_id
    others = V - 1
    target = np.ones((n, V))
    if 0 <= pad_id < V:
        others -= 1
        target[:, int(pad_id)] = 0
    target *= smoothing / others
    i = np.where(real)[0]
    target[i, y[i]] = 1 - smoothing
    target[~real] = 0
    ln_t = np.log(np.where(target > 0, target, 1.0))
    value = (target * (ln_t - log_probs)).sum() / max(real.sum(), 1)
    dlogits = np.exp(log_probs) - target
    dlogits[~real] = 0
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
  ("loss", "cross-entropy with smoothed targets: leaves out target * ln target, so it is not the KL divergence", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    y = labels.astype(int)
    x = logits - logits.max(-1, keepdims=True)
    log_probs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    keep = y != pad_id
    count = max(int(keep.sum()), 1)
    pad_in = 0 <= pad_id < V
    target = np.full((n, V), smoothing / (V - 2 if pad_in else V - 1))
    if pad_in:
        target[:, int(pad_id)] = 0
    rows = np.flatnonzero(keep)
    target[rows, y[rows]] = 1 - smoothing
    target[~keep] = 0
    value = -(target * log_probs).sum() / count
    dlogits = (np.exp(log_probs) - target) * keep[:, None] / count
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
  ("loss", "ignores the padding in the loss, but its rows still send a gradient back", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    y = labels.astype(int)
    x = logits - logits.max(-1, keepdims=True)
    log_probs = x - np.log(np.exp(x).sum(-1, keepdims=True))
    keep = y != pad_id
    count = max(int(keep.sum()), 1)
    pad_in = 0 <= pad_id < V
    target = np.full((n, V), smoothing / (V - 2 if pad_in else V - 1))
    if pad_in:
        target[:, int(pad_id)] = 0
    rows = np.flatnonzero(keep)
    target[rows, y[rows]] = 1 - smoothing
    target[~keep] = 0
    ln_t = np.log(np.where(target > 0, target, 1))
    value = (target * (ln_t - log_probs)).sum() / count
    dlogits = (np.exp(log_probs) - target) / count     # target is 0 for pads
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
  # ---------------------------------------------------------------- train
  ("train", "torch.optim.Adam's weight_decay: adds decay * W to the gradient", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    g = dW_Q + decay * W_Q
    m = beta_1 * m0_W_Q + (1 - beta_1) * g
    v = beta_2 * v0_W_Q + (1 - beta_2) * g ** 2
    m_hat = m / (1 - beta_1 ** t)
    v_hat = v / (1 - beta_2 ** t)
    W = W_Q - learning_rate * m_hat / (np.sqrt(v_hat) + epsilon)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W)
'''),
  ("train", "no correction for having begun with 0", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * dW_Q * dW_Q
    direction = m / (np.sqrt(v) + epsilon)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q - learning_rate * (direction + decay * W_Q))
'''),
  ("train", "believes that t counts from 0 and corrects with t + 1", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    step = t + 1      # never divide by 1 - beta**0
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * np.square(dW_Q)
    m_hat = m / (1 - beta_1 ** step)
    v_hat = v / (1 - beta_2 ** step)
    update = learning_rate * (m_hat / (np.sqrt(v_hat) + epsilon) + decay * W_Q)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_Q - update)
'''),
  ("train", "takes v for the variance: averages (g - m) squared", '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * (dW_Q - m) ** 2
    m_hat = m / (1 - beta_1 ** t)
    v_hat = v / (1 - beta_2 ** t)
    W = W_Q - learning_rate * (m_hat / (np.sqrt(v_hat) + epsilon) + decay * W_Q)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W)
'''),
  # ---------------------------------------------------------------- decode
  ("decode", "top_p drops the token that reaches top_p", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.shape[-1]
    x = logits[0]
    greedy = np.zeros((1, V)); greedy[0, x.argmax()] = 1
    z = x / temperature
    p = np.exp(z - z.max()); p /= p.sum()
    order = np.argsort(-p, kind="stable")
    q = np.zeros(V); q[order[:int(top_k)]] = p[order[:int(top_k)]]
    q /= q.sum()
    order = np.argsort(-q, kind="stable")
    keep = np.cumsum(q[order]) <= top_p
    keep[0] = True
    probs = np.zeros(V); probs[order[keep]] = q[order[keep]]
    probs /= probs.sum()
    after = np.cumsum(probs[order])
    taken = np.zeros((1, V))
    taken[0, order[min(int((after <= u).sum()), int(keep.sum()) - 1)]] = 1
    n = lengths.astype(int)
    steps = np.arange(target_log_probs.shape[0])[:, None]
    total = np.where(steps < n, target_log_probs, 0).sum(0)
    score = total / ((5 + n) / 6) ** 0.6
    return dict(greedy=greedy, probs_p=probs[None], taken=taken, score=score[None])
'''),
  ("decode", "multiplies the logits by the temperature", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.shape[-1]
    x = logits[0]
    greedy = np.zeros((1, V))
    greedy[0, np.argmax(x)] = 1
    z = x * temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p, kind="stable")
    ps = p[order]
    ps[int(top_k):] = 0
    ps = ps / ps.sum()
    ps = np.where(np.cumsum(ps) - ps < top_p, ps, 0)
    ps = ps / ps.sum()
    probs = np.zeros(V)
    probs[order] = ps
    k = min(int((np.cumsum(ps) <= u).sum()), int((ps > 0).sum()) - 1)
    taken = np.zeros((1, V))
    taken[0, order[k]] = 1
    score = np.array([target_log_probs[:int(n), j].sum() / ((5 + n) / 6) ** 0.6 for j, n in enumerate(lengths)])
    return dict(greedy=greedy, probs_p=probs[None], taken=taken, score=score[None])
'''),
  ("decode", "draws with the cumulated sum in the vocabulary's order, not the most probable first", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.shape[-1]
    x = logits[0]
    greedy = np.eye(V)[[np.argmax(x)]]
    z = x / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p, kind="stable")
    ps = p[order]
    ps[int(top_k):] = 0
    ps = ps / ps.sum()
    ps = np.where(np.cumsum(ps) - ps < top_p, ps, 0)
    ps = ps / ps.sum()
    probs = np.zeros(V)
    probs[order] = ps
    index = int(np.searchsorted(np.cumsum(probs), u, side="right"))
    taken = np.eye(V)[[min(index, V - 1)]]
    n = lengths.astype(int)
    inside = np.arange(len(target_log_probs))[:, None] < n[None, :]
    score = (target_log_probs * inside).sum(0, keepdims=True) / ((5 + n) / 6) ** 0.6
    return dict(greedy=greedy, probs_p=probs[None, :], taken=taken, score=score)
'''),
  ("decode", "length penalty as in generate(): the sum divided by n to the power 0.6", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.shape[-1]
    x = logits[0]
    greedy = np.zeros((1, V))
    greedy[0, x.argmax()] = 1
    z = x / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p, kind="stable")
    ps = p[order]
    ps[int(top_k):] = 0
    ps = ps / ps.sum()
    ps = np.where(np.cumsum(ps) - ps < top_p, ps, 0)
    ps = ps / ps.sum()
    probs = np.zeros((1, V))
    probs[0, order] = ps
    k = min(int((np.cumsum(ps) <= u).sum()), int((ps > 0).sum()) - 1)
    taken = np.zeros((1, V))
    taken[0, order[k]] = 1
    score = np.zeros((1, len(lengths)))
    for j, n in enumerate(lengths):
        score[0, j] = target_log_probs[:int(n), j].sum() / n ** 0.6   # length_penalty=0.6
    return dict(greedy=greedy, probs_p=probs, taken=taken, score=score)
'''),
  # ---------------------------------------------------------------- cache
  ("cache", "computes all rows at once without a causal mask: early steps see later keys", '''def cache(X, W_Q, W_K, W_V):
    n, d = X.shape
    col = np.arange(d)
    a = np.arange(n)[:, None] / 10000 ** ((col - col % 2) / d)
    x = X + np.where(col % 2 == 0, np.sin(a), np.cos(a))
    Q, keys, values = x @ W_Q, x @ W_K, x @ W_V
    s = Q @ keys.T / np.sqrt(keys.shape[1])
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return dict(keys=keys, values=values, output=e / e.sum(axis=1, keepdims=True) @ values)
'''),
  ("cache", "each step embeds a sequence of length 1, so every token gets position 0", '''def cache(X, W_Q, W_K, W_V):
    n, d = X.shape

    def add_position(x):                     # x: (length, d_model)
        col = np.arange(d)
        a = np.arange(len(x))[:, None] / 10000 ** (2 * (col // 2) / d)
        return x + np.where(col % 2 == 0, np.sin(a), np.cos(a))

    keys, values, output = [], [], []
    for t in range(n):
        x = add_position(X[t:t + 1])
        keys.append((x @ W_K)[0])
        values.append((x @ W_V)[0])
        K, V = np.array(keys), np.array(values)
        s = (x @ W_Q)[0] @ K.T / np.sqrt(K.shape[1])
        w = np.exp(s - s.max())
        output.append(w / w.sum() @ V)
    return dict(keys=np.array(keys), values=np.array(values), output=np.array(output))
'''),
  ("cache", "adds the position for queries and keys only, the values come from the bare x", '''def cache(X, W_Q, W_K, W_V):
    n, d = X.shape
    keys = np.zeros((n, W_K.shape[1]))
    values = np.zeros((n, W_V.shape[1]))
    output = np.zeros_like(values)
    i = np.arange(d)
    for t in range(n):
        angle = t / 10000 ** ((i // 2) * 2 / d)
        x = X[t] + np.where(i % 2, np.cos(angle), np.sin(angle))
        keys[t] = x @ W_K
        values[t] = X[t] @ W_V
        s = keys[:t + 1] @ (x @ W_Q) / np.sqrt(keys.shape[1])
        e = np.exp(s - s.max())
        output[t] = e @ values[:t + 1] / e.sum()
    return dict(keys=keys, values=values, output=output)
'''),
  ("cache", "keeps each step's result in place of its value, later steps mix results", '''def cache(X, W_Q, W_K, W_V):
    n, d = X.shape
    i = np.arange(d)
    keys, values = [], []
    output = []
    for t in range(n):
        angle = t / np.power(10000.0, (i - i % 2) / d)
        x = X[t] + np.where(i % 2 == 0, np.sin(angle), np.cos(angle))
        keys.append(x @ W_K)
        values.append(x @ W_V)
        s = np.stack(keys) @ (x @ W_Q) / np.sqrt(W_K.shape[1])
        w = np.exp(s - s.max())
        w /= w.sum()
        out = w @ np.stack(values)
        values[-1] = out                     # this token is done
        output.append(out)
    return dict(keys=np.stack(keys), values=np.stack(values), output=np.stack(output))
'''),
  # ---------------------------------------------------------------- params
  ("params", "counts the matrices of the linear layers only, no bias", '''def params(d_model, d_ff, h, N, vocab, n):
    d = d_model
    attention = 4 * d * d
    ffn = 2 * d * d_ff
    norm = 2 * d
    encoder = N * (attention + ffn + 2 * norm) + norm
    decoder = N * (2 * attention + ffn + 3 * norm) + norm
    total = encoder + decoder + 2 * vocab * d + d * vocab
    macs = N * (3 * (4 * d * d + 2 * n * d) + 2 * 2 * d * d_ff) + d * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=16 * total)
'''),
  ("params", "every head has its own d_model x d_model matrices: attention's weights times h", '''def params(d_model, d_ff, h, N, vocab, n):
    linear = lambda d_in, d_out: d_in * d_out + d_out
    attention = h * 3 * linear(d_model, d_model) + linear(d_model, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model
    total = N * (attention + ffn + 2 * norm) + N * (2 * attention + ffn + 3 * norm)
    total += 2 * norm + 2 * vocab * d_model + linear(d_model, vocab)
    att_macs = 4 * d_model ** 2 + 2 * n * d_model
    macs = N * (3 * att_macs + 4 * d_model * d_ff) + d_model * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=4 * 4 * total)
'''),
  ("params", "counts Q times K of the attention, forgets that weights times V multiplies too", '''def params(d_model, d_ff, h, N, vocab, n):
    att = 4 * (d_model * d_model + d_model)
    ff = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    total = N * (3 * att + 2 * ff + 5 * norm) + 2 * norm + 3 * vocab * d_model + vocab
    macs_att = 4 * d_model * d_model + h * n * (d_model // h)
    macs = N * (3 * macs_att + 2 * 2 * d_model * d_ff) + d_model * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=total * 4 * (1 + 1 + 2))
'''),
  ("params", "thinks of embedding as one-hot times matrix and counts both tables in macs", '''def params(d_model, d_ff, h, N, vocab, n):
    d, f = d_model, d_ff
    att, ff, norm = 4 * (d * d + d), 2 * d * f + f + d, 2 * d
    total = N * (3 * att + 2 * ff + 5 * norm) + 2 * norm + 2 * vocab * d + (d * vocab + vocab)
    embedding = 2 * vocab * d
    layers = N * (3 * (4 * d * d + 2 * n * d) + 2 * 2 * d * f)
    macs = embedding + layers + d * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=16 * total)
'''),
  # ---------------------------------------------------------------- rope
  ("rope", "pairs column i with column i + d_k/2 (rotate_half), not 2i with 2i + 1", '''def rope(Q, K, positions, base):
    def turn(x):
        w = x.shape[-1]
        angle = positions[:, None] / base ** (2 * np.arange(w // 2) / w)
        c, s = np.cos(angle), np.sin(angle)
        a, b = x[..., :w // 2], x[..., w // 2:]
        return np.concatenate([a * c - b * s, a * s + b * c], axis=-1)

    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
  ("rope", "counts the places from 0 by itself and ignores positions", '''def rope(Q, K, positions, base):
    n, d = Q.shape[-2:]
    theta = float(base) ** (-np.arange(0, d, 2) / d)
    angles = np.outer(np.arange(n), theta)
    cos, sin = np.cos(angles), np.sin(angles)

    def rotate(x):
        out = np.empty(x.shape)
        a, b = x[..., 0::2], x[..., 1::2]
        out[..., 0::2] = a * cos - b * sin
        out[..., 1::2] = a * sin + b * cos
        return out

    return dict(Q_turned=rotate(Q), K_turned=rotate(K))
'''),
  ("rope", "turns the keys the other way, so that the difference of the places would come out", '''def rope(Q, K, positions, base):
    def rotate(x, sign):
        d = x.shape[-1]
        angle = sign * positions[:, None] / base ** (np.arange(0, d, 2) / d)
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    # <R(m) q, R(-n) k> = q R(m - n) k
    return dict(Q_turned=rotate(Q, 1.0), K_turned=rotate(K, -1.0))
'''),
  ("rope", "widens the cosine table by tile where neighbours need repeat: a pair gets two different angles", '''def rope(Q, K, positions, base):
    d = Q.shape[-1]
    inv_freq = 1.0 / base ** (np.arange(0, d, 2) / d)
    angles = positions[:, None] * inv_freq
    cos = np.tile(np.cos(angles), (1, 2))
    sin = np.tile(np.sin(angles), (1, 2))

    def swap(x):                              # (a, b) -> (-b, a)
        return np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)

    return dict(Q_turned=Q * cos + swap(Q) * sin, K_turned=K * cos + swap(K) * sin)
'''),
  # ---------------------------------------------------------------- modern
  ("modern", "copies the key heads with tile: query head i gets i mod kv_heads, not its neighbours' group", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    h, g = int(heads), int(kv_heads)
    d_k = d // h
    norm = lambda x, gain: x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * gain
    pos = np.arange(n)
    angle = pos[:, None] / base ** (2 * np.arange(d_k // 2) / d_k)
    c, s = np.cos(angle), np.sin(angle)

    def rope(x):
        a, b = x[..., :d_k // 2], x[..., d_k // 2:]
        return np.concatenate([a * c - b * s, a * s + b * c], -1)

    x = norm(X, gain_1)
    Q = rope((x @ W_Q).reshape(n, h, d_k).transpose(1, 0, 2))
    K = rope((x @ W_K).reshape(n, g, d_k).transpose(1, 0, 2))
    V = (x @ W_V).reshape(n, g, d_k).transpose(1, 0, 2)
    K = np.tile(K, (h // g, 1, 1))
    V = np.tile(V, (h // g, 1, 1))
    back = pos[:, None] - pos
    see = (back >= 0) & ((back < window) | (window == 0))
    sc = np.where(see, Q @ K.transpose(0, 2, 1) / np.sqrt(d_k), -np.inf)
    e = np.exp(sc - sc.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    Y = X + (w @ V).transpose(1, 0, 2).reshape(n, d) @ W_O
    y = norm(Y, gain_2)
    u = y @ W_1
    return dict(output=Y + (u / (1 + np.exp(-u)) * (y @ W_3)) @ W_2)
'''),
  ("modern", "RMSNorm with the mean taken off: a LayerNorm without shift", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    h, g = int(heads), int(kv_heads)
    d_k = d // h

    def rms_norm(x, gain):
        x = x - x.mean(-1, keepdims=True)
        return gain * x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-5)

    pos = np.arange(n)
    angle = np.outer(pos, base ** (-2.0 * np.arange(d_k // 2) / d_k))
    cos, sin = np.cos(angle), np.sin(angle)

    def turn(x):
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)

    x = rms_norm(X, gain_1)
    Q = turn((x @ W_Q).reshape(n, h, d_k).swapaxes(0, 1))
    K = turn((x @ W_K).reshape(n, g, d_k).swapaxes(0, 1)).repeat(h // g, axis=0)
    V = (x @ W_V).reshape(n, g, d_k).swapaxes(0, 1).repeat(h // g, axis=0)
    dist = pos[:, None] - pos[None, :]
    see = dist >= 0
    if window:
        see &= dist < window
    sc = np.where(see, Q @ K.swapaxes(1, 2) / np.sqrt(d_k), -np.inf)
    w = np.exp(sc - sc.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    Y = X + (w @ V).swapaxes(0, 1).reshape(n, d) @ W_O
    y = rms_norm(Y, gain_2)
    a = y @ W_1
    return dict(output=Y + (a / (1 + np.exp(-a)) * (y @ W_3)) @ W_2)
'''),
  ("modern", "gates with silu of the product, silu(x W_1 * x W_3)", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    h, g = int(heads), int(kv_heads)
    d_k = d // h
    norm = lambda x, gain: gain * x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5)
    silu = lambda x: x * 0.5 * (1 + np.tanh(x / 2))
    pos = np.arange(n)
    angle = pos[:, None] / base ** (2 * np.arange(d_k // 2) / d_k)

    def rope(x):
        a, b = x[:, :d_k // 2], x[:, d_k // 2:]
        return np.hstack([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])

    x = norm(X, gain_1)
    back = pos[:, None] - pos
    see = (back >= 0) & ((window == 0) | (back < window))
    parts = []
    for i in range(h):
        j = i // (h // g)
        q = rope(x @ W_Q[:, i * d_k:(i + 1) * d_k])
        k = rope(x @ W_K[:, j * d_k:(j + 1) * d_k])
        v = x @ W_V[:, j * d_k:(j + 1) * d_k]
        s = np.where(see, q @ k.T / np.sqrt(d_k), -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        parts.append(e / e.sum(1, keepdims=True) @ v)
    between = X + np.hstack(parts) @ W_O
    y = norm(between, gain_2)
    return dict(output=between + silu((y @ W_1) * (y @ W_3)) @ W_2)
'''),
  ("modern", "the window counts the earlier words and comes on top of the word itself", '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    h, g = int(heads), int(kv_heads)
    d_k = d // h
    norm = lambda x, gain: gain * x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5)
    pos = np.arange(n)
    angle = pos[:, None] / base ** (2 * np.arange(d_k // 2) / d_k)

    def rope(x):
        a, b = x[..., :d_k // 2], x[..., d_k // 2:]
        return np.concatenate([a * np.cos(angle) - b * np.sin(angle),
                               a * np.sin(angle) + b * np.cos(angle)], axis=-1)

    split = lambda y, k: y.reshape(n, k, d_k).swapaxes(0, 1)
    x = norm(X, gain_1)
    Q = rope(split(x @ W_Q, h))
    K = np.repeat(rope(split(x @ W_K, g)), h // g, axis=0)
    V = np.repeat(split(x @ W_V, g), h // g, axis=0)
    see = np.tril(np.ones((n, n), bool))
    if window != 0:
        see = see & ~np.tril(np.ones((n, n), bool), k=-int(window) - 1)
    s = np.where(see, Q @ K.swapaxes(1, 2) / np.sqrt(d_k), -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    Y = X + (w @ V).swapaxes(0, 1).reshape(n, d) @ W_O
    y = norm(Y, gain_2)
    a = y @ W_1
    return dict(output=Y + (a / (1 + np.exp(-a)) * (y @ W_3)) @ W_2)
'''),
  # ---------------------------------------------------------------- lookup
  ("lookup", "scales by sqrt(d_k), though here it is not asked for", '''def lookup(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    best = s.argmax(axis=-1)
    hard = np.eye(K.shape[-2])[best] @ V
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return dict(hard_output=hard, output=e / e.sum(axis=-1, keepdims=True) @ V)
'''),
  ("lookup", "makes weights by dividing the scores by their sum, without exp", '''def lookup(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    hard = np.take_along_axis(V, s.argmax(-1)[..., None], axis=-2)
    weights = s / s.sum(axis=-1, keepdims=True)
    return dict(hard_output=hard, output=weights @ V)
'''),
  ("lookup", "the hard look-up takes the nearest key by Euclidean distance, not the largest dot product", '''def lookup(Q, K, V):
    dist = np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)
    nearest = dist.argmin(axis=-1)
    hard_output = np.take_along_axis(V, nearest[..., None], axis=-2)
    s = np.einsum("...qd,...kd->...qk", Q, K)
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return dict(hard_output=hard_output, output=w @ V)
'''),
  ("lookup", "a strongly negative score is thought a strong match: softmax and argmax of the absolute values", '''def lookup(Q, K, V):
    s = np.abs(Q @ np.swapaxes(K, -1, -2))
    hard = np.eye(K.shape[-2])[np.argmax(s, axis=-1)] @ V
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return dict(hard_output=hard, output=weights @ V)
'''),
  # ---------------------------------------------------------------- model
  ("model", "the memory is the last encoder layer's output: the norm at the encoder's end is missing", '''def model(w, src, tgt, heads, start, end, longest):
    h = int(heads)
    src, tgt = np.asarray(src).astype(int), np.asarray(tgt).astype(int)
    linear = lambda name, x: x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(name, x):
        return (w[name + ".a_2"] * (x - x.mean(-1, keepdims=True))
                / (x.std(-1, ddof=1, keepdims=True) + 1e-6) + w[name + ".b_2"])

    def embed(name, ids):
        table = w[name + ".0.lut.weight"]
        d = table.shape[1]
        c = np.arange(d)
        a = np.arange(len(ids))[:, None] / 10000 ** (2 * (c // 2) / d)
        return table[ids] * np.sqrt(d) + np.where(c % 2 == 0, np.sin(a), np.cos(a))

    def attend(name, x, m, see):
        d = x.shape[1]
        split = lambda y: y.reshape(len(y), h, d // h).swapaxes(0, 1)
        Q, K, V = (split(linear(name + ".linears.%d" % j, y)) for j, y in enumerate((x, m, m)))
        s = np.where(see, Q @ K.swapaxes(1, 2) / np.sqrt(d // h), -np.inf)
        top = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        z = e.sum(-1, keepdims=True)
        p = e / np.where(z == 0, 1, z)
        return linear(name + ".linears.3", (p @ V).swapaxes(0, 1).reshape(len(x), d))

    def feed(name, x):
        return linear(name + ".w_2", np.maximum(linear(name + ".w_1", x), 0))

    def layers(side):
        return range(sum(k.startswith(side) and k.endswith("feed_forward.w_1.weight") for k in w))

    def encode():
        x = embed("src_embed", src)
        for i in layers("encoder"):
            p = "encoder.layers.%d." % i
            y = norm(p + "sublayer.0.norm", x)
            x = x + attend(p + "self_attn", y, y, src != 0)
            x = x + feed(p + "feed_forward", norm(p + "sublayer.1.norm", x))
        return x

    def decode(memory, ids):
        x = embed("tgt_embed", ids)
        see = np.tril(np.ones((len(ids), len(ids)), bool)) & (ids != 0)
        for i in layers("decoder"):
            p = "decoder.layers.%d." % i
            y = norm(p + "sublayer.0.norm", x)
            x = x + attend(p + "self_attn", y, y, see)
            x = x + attend(p + "src_attn", norm(p + "sublayer.1.norm", x), memory, src != 0)
            x = x + feed(p + "feed_forward", norm(p + "sublayer.2.norm", x))
        z = linear("generator.proj", norm("decoder.norm", x))
        z = z - z.max(-1, keepdims=True)
        return z - np.log(np.exp(z).sum(-1, keepdims=True))

    memory = encode()
    said = [int(start)]
    while len(said) <= longest:
        best = int(decode(memory, np.array(said))[-1].argmax())
        if best == end:
            break
        said.append(best)
    return {"log_probs": decode(memory, tgt), "greedy": np.array(said[1:], dtype=int)}
'''),
  ("model", "masks the source's padding in the encoder only: the decoder's src_attn looks at the padding", '''def model(w, src, tgt, heads, start, end, longest):
    h = int(heads)
    src, tgt = np.asarray(src).astype(int), np.asarray(tgt).astype(int)
    linear = lambda name, x: x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(name, x):
        mean, std = x.mean(-1, keepdims=True), x.std(-1, ddof=1, keepdims=True)
        return w[name + ".a_2"] * (x - mean) / (std + 1e-6) + w[name + ".b_2"]

    def embed(name, ids):
        table = w[name + ".0.lut.weight"]
        d = table.shape[1]
        c = np.arange(d)
        a = np.arange(len(ids))[:, None] / 10000 ** (2 * (c // 2) / d)
        return table[ids] * np.sqrt(d) + np.where(c % 2 == 0, np.sin(a), np.cos(a))

    def attend(name, x, m, see=None):
        d = x.shape[1]
        split = lambda y: y.reshape(len(y), h, d // h).swapaxes(0, 1)
        Q = split(linear(name + ".linears.0", x))
        K = split(linear(name + ".linears.1", m))
        V = split(linear(name + ".linears.2", m))
        s = Q @ K.swapaxes(1, 2) / np.sqrt(d // h)
        if see is not None:
            s = np.where(see, s, -np.inf)
        top = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        z = e.sum(-1, keepdims=True)
        p = e / np.where(z == 0, 1, z)
        return linear(name + ".linears.3", (p @ V).swapaxes(0, 1).reshape(len(x), d))

    def feed(name, x):
        return linear(name + ".w_2", np.maximum(linear(name + ".w_1", x), 0))

    def count(side):
        return sum(k.startswith(side) and k.endswith("feed_forward.w_1.weight") for k in w)

    x = embed("src_embed", src)
    for i in range(count("encoder")):
        p = "encoder.layers.%d." % i
        y = norm(p + "sublayer.0.norm", x)
        x = x + attend(p + "self_attn", y, y, src != 0)
        x = x + feed(p + "feed_forward", norm(p + "sublayer.1.norm", x))
    memory = norm("encoder.norm", x)

    def decode(ids):
        x = embed("tgt_embed", ids)
        see = np.tril(np.ones((len(ids), len(ids)), bool)) & (ids != 0)
        for i in range(count("decoder")):
            p = "decoder.layers.%d." % i
            y = norm(p + "sublayer.0.norm", x)
            x = x + attend(p + "self_attn", y, y, see)
            x = x + attend(p + "src_attn", norm(p + "sublayer.1.norm", x), memory)
            x = x + feed(p + "feed_forward", norm(p + "sublayer.2.norm", x))
        z = linear("generator.proj", norm("decoder.norm", x))
        z = z - z.max(-1, keepdims=True)
        return z - np.log(np.exp(z).sum(-1, keepdims=True))

    said = [int(start)]
    for _ in range(int(longest)):
        best = int(np.argmax(decode(np.array(said))[-1]))
        if best == end:
            break
        said.append(best)
    return {"log_probs": decode(tgt), "greedy": np.array(said[1:], dtype=int)}
'''),
]
