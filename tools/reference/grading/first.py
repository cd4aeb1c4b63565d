"""Wrong programs as students write them: (exercise, the one mistake, the program)."""

PROGRAMS = [
    ("words", 'distances left squared, no square root', '''def words(X):
    norms = np.sqrt((X ** 2).sum(axis=-1))
    dots = X @ np.swapaxes(X, -1, -2)
    cosines = dots / (norms[..., :, None] * norms[..., None, :])
    diff = X[..., :, None, :] - X[..., None, :, :]
    distances = (diff ** 2).sum(axis=-1)
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("words", 'cosine divides by the length of one word only', '''def words(X):
    # length of each word vector
    norms = np.linalg.norm(X, axis=-1)
    dots = np.einsum("...id,...jd->...ij", X, X)
    cosines = dots / norms[..., None]
    distances = np.linalg.norm(X[..., :, None, :] - X[..., None, :, :], axis=-1)
    return {"norms": norms, "dots": dots, "cosines": cosines, "distances": distances}
'''),
    ("words", 'cosine distance (1 - cosine) instead of the Euclidean distance', '''def words(X):
    norms = np.linalg.norm(X, axis=-1)
    unit = X / norms[..., None]
    dots = np.matmul(X, X.swapaxes(-1, -2))
    cosines = np.matmul(unit, unit.swapaxes(-1, -2))
    distances = 1 - cosines
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("words", 'length as the sum of absolute values (L1) instead of L2', '''def words(X):
    norms = np.abs(X).sum(-1)
    dots = X @ X.swapaxes(-1, -2)
    cosines = dots / norms[..., :, None] / norms[..., None, :]
    n = X.shape[-2]
    distances = np.zeros(dots.shape)
    for i in range(n):
        for j in range(n):
            d = X[..., i, :] - X[..., j, :]
            distances[..., i, j] = np.sqrt(np.sum(d * d, axis=-1))
    return dict(norms=norms, dots=dots, cosines=cosines, distances=distances)
'''),
    ("qkv", 'biases forgotten (as nn.Linear with bias=False)', '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("qkv", 'copy and paste: K gets the bias of Q', '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    Q = np.matmul(X, W_Q) + b_Q
    K = np.matmul(X, W_K) + b_Q
    V = np.matmul(X, W_V) + b_V
    return dict(Q=Q, K=K, V=V)
'''),
    ("qkv", 'the queries are scaled by sqrt(d_k) here already', '''def qkv(X, W_Q, W_K, W_V, b_Q, b_K, b_V):
    d_k = W_Q.shape[-1]
    def project(x, W, b):
        return np.dot(x, W) + b
    Q = project(X, W_Q, b_Q) / np.sqrt(d_k)
    K = project(X, W_K, b_K)
    V = project(X, W_V, b_V)
    return dict(Q=Q, K=K, V=V)
'''),
    ("scores", 'scaled by sqrt(d_k) too early', '''def scores(Q, K):
    d_k = Q.shape[-1]
    s = Q @ np.swapaxes(K, -2, -1)
    return dict(scores=s / np.sqrt(d_k))
'''),
    ("scores", 'K times Q transposed: rows are the keys', '''def scores(Q, K):
    return dict(scores=K @ Q.swapaxes(-1, -2))
'''),
    ("scores", 'cosine similarity instead of the dot product', '''def scores(Q, K):
    q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    k = K / np.linalg.norm(K, axis=-1, keepdims=True)
    # similarity of every query with every key
    return dict(scores=np.einsum("...qd,...kd->...qk", q, k))
'''),
    ("softmax", 'forgot to divide by sqrt(d_k)', '''def softmax(scores, d_k):
    e = np.exp(scores - (scores).max(axis=-1, keepdims=True))
    return dict(weights=e / e.sum(axis=-1, keepdims=True))
'''),
    ("softmax", 'divided by d_k instead of sqrt(d_k)', '''def softmax(scores, d_k):
    scaled = scores / d_k
    scaled = scaled - np.max(scaled, axis=-1, keepdims=True)
    exps = np.exp(scaled)
    return dict(weights=exps / np.sum(exps, axis=-1, keepdims=True))
'''),
    ("softmax", 'normalised over the whole array, no axis given to sum', '''def softmax(scores, d_k):
    z = scores / d_k ** 0.5
    z = z - z.max()
    e = np.exp(z)
    return dict(weights=e / np.sum(e))
'''),
    ("softmax", 'log-softmax instead of softmax', '''def softmax(scores, d_k):
    scaled = scores / np.sqrt(d_k)
    m = scaled.max(axis=-1, keepdims=True)
    lse = m + np.log(np.exp(scaled - m).sum(axis=-1, keepdims=True))
    weights = scaled - lse
    return dict(weights=weights)
'''),
    ("attention", 'softmax applied to the weights again', '''def attention(weights, V):
    w = np.exp(weights - weights.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return dict(output=w @ V)
'''),
    ("attention", 'takes only the value with the largest weight (argmax) instead of mixing', '''def attention(weights, V):
    best = weights.argmax(axis=-1)
    return dict(output=np.take_along_axis(V, best[..., None], axis=-2))
'''),
    ("attention", 'weighted values averaged over the keys: divides by n_k', '''def attention(weights, V):
    mixed = weights[..., :, :, None] * V[..., None, :, :]
    return dict(output=np.mean(mixed, axis=-2))
'''),
    ("sdpa", 'scale from the width of the values, sqrt(d_v)', '''def sdpa(Q, K, V):
    d_k = V.shape[-1]
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return dict(weights=w, output=w @ V)
'''),
    ("sdpa", 'scaling after the softmax instead of before', '''def sdpa(Q, K, V):
    d_k = Q.shape[-1]
    scores = np.matmul(Q, np.swapaxes(K, -1, -2))
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    weights = weights / np.sqrt(d_k)
    return dict(weights=weights, output=np.matmul(weights, V))
'''),
    ("sdpa", 'softmax over the queries instead of the keys', '''def sdpa(Q, K, V):
    scaled = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(Q.shape[-1])
    e = np.exp(scaled - scaled.max(axis=-2, keepdims=True))
    weights = e / e.sum(axis=-2, keepdims=True)
    output = np.einsum("...ij,...jv->...iv", weights, V)
    return dict(weights=weights, output=output)
'''),
    ("sdpa", 'returns the scaled scores as weights, before the softmax', '''def sdpa(Q, K, V):
    def soft(z):
        z = z - np.amax(z, axis=-1, keepdims=True)
        return np.exp(z) / np.sum(np.exp(z), axis=-1, keepdims=True)
    weights = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    output = soft(weights) @ V
    return dict(weights=weights, output=output)
'''),
    ("embed", 'embedding not multiplied by sqrt(d_model)', '''def embed(token_ids, token_embedding):
    d = token_embedding.shape[1]
    n = token_ids.shape[-1]
    pos = np.arange(n)[:, None]
    div = np.exp(np.arange(0, d, 2) * -(np.log(10000.0) / d))
    pe = np.zeros((n, d))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)
    return dict(X=token_embedding[token_ids] + pe)
'''),
    ("embed", 'sines in the first half and cosines in the second, not interleaved', '''def embed(token_ids, token_embedding):
    d_model = token_embedding.shape[-1]
    n = token_ids.shape[-1]
    i = np.arange(d_model // 2)
    angle = np.arange(n)[:, None] / 10000 ** (2 * i / d_model)
    position = np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)
    return dict(X=token_embedding[token_ids] * np.sqrt(d_model) + position)
'''),
    ("embed", 'every column its own wavelength: exponent is the column, not the pair', '''def embed(token_ids, token_embedding):
    vocabulary, d_model = token_embedding.shape
    n = token_ids.shape[-1]
    pe = np.zeros((n, d_model))
    for pos in range(n):
        for col in range(d_model):
            a = pos / 10000 ** (col / d_model)
            pe[pos, col] = np.sin(a) if col % 2 == 0 else np.cos(a)
    return dict(X=token_embedding[token_ids] * d_model ** 0.5 + pe)
'''),
    ("embed", 'exponent i/d_model instead of 2i/d_model', '''def embed(token_ids, token_embedding):
    d = token_embedding.shape[-1]
    x = token_embedding[token_ids] * np.sqrt(d)
    pos = np.arange(token_ids.shape[-1])
    for i in range(d // 2):
        freq = 1 / 10000 ** (i / d)
        x[..., 2 * i] += np.sin(pos * freq)
        x[..., 2 * i + 1] += np.cos(pos * freq)
    return dict(X=x)
'''),
    ("embed", 'sqrt(d_model) multiplies the sum of embedding and position', '''def embed(token_ids, token_embedding):
    d_model = token_embedding.shape[1]
    n = token_ids.shape[-1]
    position = np.arange(n).reshape(-1, 1)
    div_term = 10000 ** (np.arange(0, d_model, 2) / d_model)
    P = np.empty((n, d_model))
    P[:, ::2] = np.sin(position / div_term)
    P[:, 1::2] = np.cos(position / div_term)
    E = token_embedding[token_ids]
    X = (E + P) * np.sqrt(d_model)
    return dict(X=X)
'''),
    ("masked", 'blocked scores set to 0 instead of minus infinity', '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    mask = mask_given & np.tril(np.ones((n_q, n_k), dtype=bool))
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(mask, s, 0.0)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0.0))
    total = e.sum(-1, keepdims=True)
    w = e / np.where(total == 0, 1, total)
    w = np.where(mask.any(-1, keepdims=True), w, 0.0)
    return dict(weights=w, output=w @ V)
'''),
    ("masked", 'mask multiplied after the softmax, rows not normalised again', '''def masked(Q, K, V, mask_given):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    causal = np.arange(n_k)[None, :] <= np.arange(n_q)[:, None]
    allowed = np.logical_and(mask_given, causal)
    z = np.matmul(Q, np.swapaxes(K, -1, -2)) / np.sqrt(Q.shape[-1])
    z = np.exp(z - z.max(axis=-1, keepdims=True))
    weights = z / z.sum(axis=-1, keepdims=True)
    weights = weights * allowed
    return dict(weights=weights, output=np.matmul(weights, V))
'''),
    ("masked", 'minus 1e9: a row that may see nothing becomes uniform', '''def masked(Q, K, V, mask_given):
    n_q, n_k = mask_given.shape
    causal = np.tril(np.ones((n_q, n_k))) == 1
    mask = causal & (mask_given == 1)
    scores = Q @ np.swapaxes(K, -2, -1) / np.sqrt(K.shape[-1])
    scores = np.where(mask, scores, -1e9)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    return dict(weights=weights, output=weights @ V)
'''),
    ("masked", 'causal mask without the diagonal: a query does not see its own position', '''def masked(Q, K, V, mask_given):
    scaled = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    causal = np.tril(np.ones(mask_given.shape, bool), k=-1)
    mask = causal & mask_given.astype(bool)
    scaled = np.where(mask, scaled, -np.inf)
    top = scaled.max(axis=-1, keepdims=True)
    top[np.isinf(top)] = 0
    e = np.exp(scaled - top)
    weights = np.divide(e, e.sum(axis=-1, keepdims=True), out=np.zeros_like(e), where=e.sum(axis=-1, keepdims=True) > 0)
    return dict(weights=weights, output=weights @ V)
'''),
    ("multihead", 'heads split by reshape only, without the transpose', '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    *batch, n, d_model = X.shape
    d_k = d_model // heads
    def split(x):
        return x.reshape(*batch, heads, n, d_k)
    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)
    s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    t = e.sum(-1, keepdims=True)
    w = e / np.where(t > 0, t, 1)
    out = w @ V
    concat = out.swapaxes(-2, -3).reshape(*batch, n, d_model)
    return dict(output=concat @ W_O)
'''),
    ("multihead", 'scaled by sqrt(d_model) instead of sqrt(d_k) of a head', '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // heads
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    outs = []
    for h in range(heads):
        c = slice(h * d_k, (h + 1) * d_k)
        s = Q[..., c] @ K[..., c].swapaxes(-1, -2) / np.sqrt(d_model)
        s = np.where(mask, s, -1e30)
        e = np.exp(s - s.max(-1, keepdims=True))
        w = e / e.sum(-1, keepdims=True) * mask
        outs.append(w @ V[..., c])
    return dict(output=np.concatenate(outs, axis=-1) @ W_O)
'''),
    ("multihead", 'heads put together by reshape without transposing back', '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    lead, (n, d_model) = X.shape[:-2], X.shape[-2:]
    d_k = d_model // heads

    def to_heads(t):
        return np.swapaxes(t.reshape(lead + (n, heads, d_k)), -3, -2)

    q = to_heads(X @ W_Q)
    k = to_heads(X @ W_K)
    v = to_heads(X @ W_V)
    logits = np.einsum("...hqd,...hkd->...hqk", q, k) / np.sqrt(d_k)
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits) * mask
    total = p.sum(axis=-1, keepdims=True)
    p = p / np.where(total == 0, 1.0, total)
    z = np.einsum("...hqk,...hkd->...hqd", p, v)
    return dict(output=z.reshape(lead + (n, d_model)) @ W_O)
'''),
    ("multihead", 'columns dealt out to the heads in turn (reshape to d_k, heads) instead of in blocks', '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    n, d_model = X.shape[-2], X.shape[-1]
    d_k = d_model // heads
    def split_heads(x):
        x = x.reshape(x.shape[:-1] + (d_k, heads))
        return np.moveaxis(x, -1, -3)
    Qh, Kh, Vh = [split_heads(X @ W) for W in (W_Q, W_K, W_V)]
    scaled = Qh @ np.swapaxes(Kh, -1, -2) / np.sqrt(d_k)
    scaled = np.where(mask, scaled, -1e9)
    ex = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    weights = ex / ex.sum(axis=-1, keepdims=True)
    weights = np.where(mask, weights, 0)
    y = np.moveaxis(weights @ Vh, -3, -2)
    return dict(output=y.reshape(X.shape) @ W_O)
'''),
    ("multihead", 'output projection W_O forgotten', '''def multihead(X, W_Q, W_K, W_V, W_O, heads, mask):
    Q = np.split(X @ W_Q, heads, axis=-1)
    K = np.split(X @ W_K, heads, axis=-1)
    V = np.split(X @ W_V, heads, axis=-1)
    result = []
    for q, k, v in zip(Q, K, V):
        a = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        a = np.exp(a - a.max(axis=-1, keepdims=True))
        a = np.where(mask, a, 0)
        total = a.sum(axis=-1, keepdims=True)
        a = a / np.where(total == 0, 1, total)
        result.append(a @ v)
    return dict(output=np.concatenate(result, axis=-1))
'''),
    ("cross", "mask inverted, as PyTorch's key_padding_mask: True is hidden", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q, K, V = X @ W_Q, memory @ W_K, memory @ W_V
    s = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    hidden = mask.astype(bool)
    s = np.where(hidden, -1e9, s)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    w = np.where(hidden, 0.0, w)
    return dict(weights=w, output=w @ V)
'''),
    ("cross", 'W_Q and W_K exchanged: decoder projected with W_K, memory with W_Q', '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = X @ W_K
    K = memory @ W_Q
    V = memory @ W_V
    scaled = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(K.shape[-1])
    scaled = scaled - scaled.max(axis=-1, keepdims=True)
    weights = np.exp(scaled) * mask
    total = weights.sum(axis=-1, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return dict(weights=weights, output=weights @ V)
'''),
    ("cross", "a causal mask too, as in the decoder's self-attention", '''def cross(X, memory, W_Q, W_K, W_V, mask):
    Q = np.matmul(X, W_Q)
    K = np.matmul(memory, W_K)
    V = np.matmul(memory, W_V)
    d_k = W_Q.shape[1]
    scores = np.matmul(Q, np.swapaxes(K, -1, -2)) / np.sqrt(d_k)
    allowed = mask.astype(bool) & np.tril(np.ones(mask.shape, dtype=bool))
    scores = np.where(allowed, scores, -np.inf)
    peak = scores.max(axis=-1, keepdims=True)
    peak = np.where(peak == -np.inf, 0, peak)
    e = np.exp(scores - peak)
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return dict(weights=weights, output=np.matmul(weights, V))
'''),
    ("cross", 'scaled by sqrt(d_model), the width of the input, instead of sqrt(d_k)', '''def cross(X, memory, W_Q, W_K, W_V, mask):
    d_k = memory.shape[-1]
    q, k, v = X @ W_Q, memory @ W_K, memory @ W_V
    a = (q / np.sqrt(d_k)) @ k.swapaxes(-2, -1)
    a = np.exp(a - a.max(axis=-1, keepdims=True)) * mask
    s = a.sum(axis=-1, keepdims=True)
    s[s == 0] = 1
    a = a / s
    return {"weights": a, "output": a @ v}
'''),
    ("block", 'post-norm as in the paper: norm(x + f(x)) instead of x + f(norm(x))', '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    def norm(x, gain, shift):
        mean = x.mean(-1, keepdims=True)
        std = x.std(-1, keepdims=True, ddof=1)
        return gain * (x - mean) / (std + 1e-6) + shift

    def attend(x):
        *b, n, d = x.shape
        d_k = d // heads
        q, k, v = [(x @ W).reshape(*b, n, heads, d_k).swapaxes(-2, -3) for W in (W_Q, W_K, W_V)]
        s = q @ k.swapaxes(-1, -2) / np.sqrt(d_k)
        s = np.exp(s - s.max(-1, keepdims=True)) * mask
        t = s.sum(-1, keepdims=True)
        w = s / np.where(t == 0, 1, t)
        return (w @ v).swapaxes(-2, -3).reshape(*b, n, d) @ W_O

    def feed_forward(x):
        return np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2

    x = norm(X + attend(X), gain_1, shift_1)
    x = norm(x + feed_forward(x), gain_2, shift_2)
    return dict(output=x)
'''),
    ("block", "population standard deviation (np.std's default) instead of the sample's", '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    def layer_norm(x, gain, shift):
        return gain * (x - np.mean(x, axis=-1, keepdims=True)) / (np.std(x, axis=-1, keepdims=True) + 1e-6) + shift

    d_k = X.shape[-1] // heads
    x = layer_norm(X, gain_1, shift_1)
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    parts = []
    for h in range(heads):
        cols = slice(h * d_k, h * d_k + d_k)
        s = Q[..., cols] @ K[..., cols].swapaxes(-1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -1e9)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        w = np.where(mask, e / e.sum(axis=-1, keepdims=True), 0)
        parts.append(w @ V[..., cols])
    h1 = X + np.concatenate(parts, axis=-1) @ W_O
    x = layer_norm(h1, gain_2, shift_2)
    hidden = np.maximum(0, x @ W_1 + b_1)
    return dict(output=h1 + hidden @ W_2 + b_2)
'''),
    ("block", 'GELU instead of ReLU', '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    def norm(x, g, s):
        x = x - x.mean(axis=-1, keepdims=True)
        return g * x / (x.std(axis=-1, ddof=1, keepdims=True) + 1e-6) + s

    def act(x):
        return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))

    def mha(x):
        lead = x.shape[:-1]
        dk = x.shape[-1] // heads
        q = (x @ W_Q).reshape(lead + (heads, dk))
        k = (x @ W_K).reshape(lead + (heads, dk))
        v = (x @ W_V).reshape(lead + (heads, dk))
        s = np.einsum("...qhd,...khd->...hqk", q, k) / np.sqrt(dk)
        s = np.where(mask, s, -1e9)
        s = np.exp(s - s.max(axis=-1, keepdims=True))
        s = s / s.sum(axis=-1, keepdims=True) * mask
        return np.einsum("...hqk,...khd->...qhd", s, v).reshape(x.shape) @ W_O

    a = X + mha(norm(X, gain_1, shift_1))
    return dict(output=a + act(norm(a, gain_2, shift_2) @ W_1 + b_1) @ W_2 + b_2)
'''),
    ("block", 'the residual adds the normed input instead of the input itself', '''def block(X, W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2, gain_1, shift_1,
        gain_2, shift_2, heads, mask):
    def norm(x, gain, shift):
        mu = np.mean(x, -1, keepdims=True)
        sigma = np.sqrt(np.sum((x - mu) ** 2, -1, keepdims=True) / (x.shape[-1] - 1))
        return gain * ((x - mu) / (sigma + 1e-6)) + shift

    def attention(x):
        *b, n, d = x.shape
        split = lambda t: np.moveaxis(t.reshape(*b, n, heads, d // heads), -2, -3)
        Q, K, V = split(x @ W_Q), split(x @ W_K), split(x @ W_V)
        S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // heads)
        S = np.exp(S - S.max(-1, keepdims=True)) * mask
        total = S.sum(-1, keepdims=True)
        A = S / np.where(total == 0, 1, total)
        return np.moveaxis(A @ V, -3, -2).reshape(*b, n, d) @ W_O

    x = norm(X, gain_1, shift_1)
    x = x + attention(x)
    y = norm(x, gain_2, shift_2)
    y = y + (np.maximum(y @ W_1 + b_1, 0) @ W_2 + b_2)
    return dict(output=y)
'''),
    ("loss", 'label smoothing as PyTorch: smoothing/vocabulary to every class, the label and padding too', '''def loss(logits, labels, pad_id, smoothing):
    n, v = logits.shape
    z = logits - logits.max(-1, keepdims=True)
    log_probs = z - np.log(np.exp(z).sum(-1, keepdims=True))
    target = np.full((n, v), smoothing / v)
    target[np.arange(n), labels] += 1 - smoothing
    real = labels != pad_id
    target = target * real[:, None]
    count = real.sum()
    tlogt = np.where(target > 0, target * np.log(np.where(target > 0, target, 1)), 0)
    value = (tlogt - target * log_probs).sum() / count
    dlogits = (np.exp(log_probs) - target) * real[:, None] / count
    return dict(log_probs=log_probs, loss=value, dlogits=dlogits)
'''),
    ("loss", 'mean over all tokens, the padding counted too', '''def loss(logits, labels, pad_id, smoothing):
    n, vocabulary = logits.shape
    m = logits.max(axis=1, keepdims=True)
    log_probs = logits - m - np.log(np.sum(np.exp(logits - m), axis=1, keepdims=True))
    keep = labels != pad_id
    count = n
    total = 0.0
    dlogits = np.zeros((n, vocabulary))
    for i in range(n):
        if labels[i] == pad_id:
            continue
        target = np.full(vocabulary, smoothing / (vocabulary - 2))
        target[pad_id] = 0
        target[labels[i]] = 1 - smoothing
        for j in range(vocabulary):
            if target[j] > 0:
                total += target[j] * (np.log(target[j]) - log_probs[i, j])
        dlogits[i] = (np.exp(log_probs[i]) - target) / count
    return dict(log_probs=log_probs, loss=total / count, dlogits=dlogits)
'''),
    ("loss", 'cross-entropy with the smoothed target: the term target*ln(target) of KL left out', '''def loss(logits, labels, pad_id, smoothing):
    v = logits.shape[-1]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    target = np.full(logits.shape, smoothing / (v - 2))
    np.put_along_axis(target, labels[:, None], 1 - smoothing, axis=1)
    target[:, pad_id] = 0
    target[labels == pad_id] = 0
    n_tokens = np.count_nonzero(labels != pad_id)
    entropy = np.where(target > 0, target * np.log(np.maximum(target, 1e-300)), 0)
    value = -np.sum(target * log_probs) / n_tokens
    grad = np.exp(log_probs) - target
    grad[labels == pad_id] = 0
    return dict(log_probs=log_probs, loss=value, dlogits=grad / n_tokens)
'''),
    ("loss", 'gradient of the sum: dlogits not divided by the number of tokens', '''def loss(logits, labels, pad_id, smoothing):
    rows, V = logits.shape
    x = logits - np.max(logits, axis=-1, keepdims=True)
    probs = np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
    log_probs = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    one_hot = np.eye(V)[labels]
    target = one_hot * (1 - smoothing) + (1 - one_hot) * smoothing / (V - 2)
    target[:, pad_id] = 0
    not_pad = (labels != pad_id).astype(float)[:, None]
    target = target * not_pad
    N = not_pad.sum()
    t = target[target > 0]
    loss_value = (np.sum(t * np.log(t)) - np.sum(target * log_probs)) / N
    dlogits = (probs - target) * not_pad
    return dict(log_probs=log_probs, loss=loss_value, dlogits=dlogits)
'''),
    ("loss", "KLDivLoss with reduction='mean': divided by the vocabulary as well", '''def loss(logits, labels, pad_id, smoothing):
    n, V = logits.shape
    c = logits.max(1, keepdims=True)
    log_probs = logits - (c + np.log(np.exp(logits - c).sum(1, keepdims=True)))
    target = np.full((n, V), smoothing / (V - 2))
    target[np.arange(n), labels] = 1 - smoothing
    target[:, pad_id] = 0
    mask = labels != pad_id
    target, lp = target[mask], log_probs[mask]
    safe = np.where(target > 0, target, 1.0)
    kl = target * (np.log(safe) - lp)
    size = kl.size
    dlogits = np.zeros((n, V))
    dlogits[mask] = (np.exp(lp) - target) / size
    return dict(log_probs=log_probs, loss=kl.sum() / size, dlogits=dlogits)
'''),
    ("train", 'no bias correction', '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = beta_1 * m0_W_Q + (1 - beta_1) * dW_Q
    v = beta_2 * v0_W_Q + (1 - beta_2) * dW_Q ** 2
    direction = m / (np.sqrt(v) + epsilon)
    W = W_Q - learning_rate * (direction + decay * W_Q)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W)
'''),
    ("train", 'weight decay added to the gradient (Adam with L2) instead of apart', '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    g = dW_Q + decay * W_Q
    m = beta_1 * m0_W_Q + (1 - beta_1) * g
    v = beta_2 * v0_W_Q + (1 - beta_2) * g * g
    m_hat = m / (1 - beta_1 ** t)
    v_hat = v / (1 - beta_2 ** t)
    W_new = W_Q - learning_rate * (m_hat / (np.sqrt(v_hat) + epsilon))
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W_new)
'''),
    ("train", 'beta and 1 - beta exchanged in both averages', '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    # exponential moving averages
    m = (1 - beta_1) * m0_W_Q + beta_1 * dW_Q
    v = (1 - beta_2) * v0_W_Q + beta_2 * np.square(dW_Q)
    mh = m / (1 - np.power(beta_1, t))
    vh = v / (1 - np.power(beta_2, t))
    update = learning_rate * (mh / (np.sqrt(vh) + epsilon) + decay * W_Q)
    return {"m_W_Q": m, "v_W_Q": v, "W_Q_after": W_Q - update}
'''),
    ("train", 'bias correction with beta * t instead of beta ** t', '''def train(W_Q, dW_Q, m0_W_Q, v0_W_Q, t, learning_rate, beta_1, beta_2,
        epsilon, decay):
    m = m0_W_Q + (1 - beta_1) * (dW_Q - m0_W_Q)
    v = v0_W_Q + (1 - beta_2) * (dW_Q ** 2 - v0_W_Q)
    m_hat = m / np.abs(1 - beta_1 * t)
    v_hat = v / np.abs(1 - beta_2 * t)
    W = W_Q - learning_rate * decay * W_Q
    W = W - learning_rate * m_hat / (np.sqrt(v_hat) + epsilon)
    return dict(m_W_Q=m, v_W_Q=v, W_Q_after=W)
'''),
    ("decode", 'top-p drops the token that reaches p', '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.shape[-1]
    greedy = np.zeros((1, V))
    greedy[0, np.argmax(logits[0])] = 1
    z = logits[0] / temperature
    p = np.exp(z - z.max())
    p = p / p.sum()
    order = np.argsort(-p, kind="stable")
    sorted_p = p[order].copy()
    sorted_p[int(top_k):] = 0
    sorted_p /= sorted_p.sum()
    c = np.cumsum(sorted_p)
    keep = c <= top_p
    keep[0] = True
    sorted_p = np.where(keep, sorted_p, 0)
    sorted_p /= sorted_p.sum()
    probs_p = np.zeros((1, V))
    probs_p[0, order] = sorted_p
    taken = np.zeros((1, V))
    i = min(np.searchsorted(np.cumsum(sorted_p), u, side="right"), V - 1)
    taken[0, order[i]] = 1
    score = []
    for j, n in enumerate(lengths):
        score.append(target_log_probs[:n, j].sum() / ((5 + n) / 6) ** 0.6)
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=np.array([score]))
'''),
    ("decode", 'logits multiplied by the temperature instead of divided', '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    V = logits.size
    greedy = np.eye(V)[[np.argmax(logits)]]
    x = (logits * temperature).ravel()
    probs = np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x)))
    ranking = sorted(range(V), key=lambda i: -probs[i])
    kept = ranking[:int(top_k)]
    mass = sum(probs[i] for i in kept)
    chosen, reached = [], 0.0
    for i in kept:
        chosen.append(i)
        reached += probs[i] / mass
        if reached >= top_p:
            break
    probs_p = np.zeros((1, V))
    probs_p[0, chosen] = probs[chosen] / probs[chosen].sum()
    taken = np.zeros((1, V))
    edge = 0.0
    pick = chosen[-1]
    for i in chosen:
        edge += probs_p[0, i]
        if u < edge:
            pick = i
            break
    taken[0, pick] = 1
    steps = np.arange(target_log_probs.shape[0])[:, None]
    sums = np.where(steps < lengths, target_log_probs, 0).sum(axis=0)
    score = sums / ((5 + lengths) / 6) ** 0.6
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score[None])
'''),
    ("decode", "draws along the vocabulary's order, not the most probable first", '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    row = logits[0]
    n_vocab = len(row)
    greedy = np.zeros_like(row)
    greedy[row.argmax()] = 1
    p = np.exp((row - row.max()) / temperature)
    p /= p.sum()
    order = np.argsort(-p, kind="stable")
    p[order[int(top_k):]] = 0
    p /= p.sum()
    before = np.zeros(n_vocab)
    before[order] = np.cumsum(p[order]) - p[order]
    p[before >= top_p] = 0
    p /= p.sum()
    taken = np.zeros(n_vocab)
    cdf = np.cumsum(p)
    taken[min(np.searchsorted(cdf, u, side="right"), n_vocab - 1)] = 1
    total = np.array([target_log_probs[:k, i].sum() for i, k in enumerate(lengths)])
    score = total / np.power((5 + lengths) / 6, 0.6)
    return dict(greedy=greedy[None], probs_p=p[None], taken=taken[None], score=score[None])
'''),
    ("decode", 'beam score divided by the length n itself (mean) instead of ((5+n)/6)^0.6', '''def decode(logits, u, temperature, top_k, top_p, target_log_probs,
        lengths):
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    k = int(top_k)
    greedy = np.zeros(logits.shape)
    greedy[0, logits.argmax()] = 1.0
    probs = softmax(logits / temperature)[0]
    idx = np.argsort(-probs, kind="stable")
    top = np.where(np.arange(len(idx)) < k, probs[idx], 0)
    top = top / top.sum()
    count = np.searchsorted(np.cumsum(top), top_p) + 1
    top[count:] = 0
    top = top / top.sum()
    probs_p = np.zeros(logits.shape)
    probs_p[0, idx] = top
    place = np.sum(np.cumsum(top) <= u)
    taken = np.zeros(logits.shape)
    taken[0, idx[min(place, len(idx) - 1)]] = 1.0
    n = np.asarray(lengths)
    valid = np.arange(len(target_log_probs))[:, None] < n[None, :]
    score = np.sum(target_log_probs * valid, axis=0, keepdims=True) / n
    return dict(greedy=greedy, probs_p=probs_p, taken=taken, score=score)
'''),
    ("cache", 'every new token gets position 0, as the step sees one token only', '''def cache(X, W_Q, W_K, W_V):
    def positions(n, d, first=0):
        pos = np.arange(first, first + n)[:, None]
        angle = pos / 10000 ** (np.arange(0, d, 2) / d)
        pe = np.zeros((n, d))
        pe[:, 0::2] = np.sin(angle)
        pe[:, 1::2] = np.cos(angle)
        return pe

    d = X.shape[1]
    keys, values, output = [], [], []
    for t in range(len(X)):
        x = X[t:t + 1] + positions(1, d)
        keys.append((x @ W_K)[0])
        values.append((x @ W_V)[0])
        K, V = np.array(keys), np.array(values)
        s = (x @ W_Q)[0] @ K.T / np.sqrt(W_K.shape[1])
        s = np.exp(s - s.max())
        output.append(s / s.sum() @ V)
    return dict(keys=K, values=V, output=np.array(output))
'''),
    ("cache", 'attends before the new key and value are kept: a token does not see itself', '''def cache(X, W_Q, W_K, W_V):
    n, d = X.shape
    d_k = W_K.shape[1]
    i = np.arange(d // 2)
    angles = np.arange(n)[:, None] / 10000 ** (2 * i / d)
    pe = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)
    K = np.zeros((0, d_k))
    V = np.zeros((0, W_V.shape[1]))
    output = np.zeros((n, W_V.shape[1]))
    for t in range(n):
        x = X[t] + pe[t]
        q = x @ W_Q
        if len(K):
            scores = K @ q / np.sqrt(d_k)
            w = np.exp(scores - scores.max())
            output[t] = (w / w.sum()) @ V
        K = np.vstack([K, x @ W_K])
        V = np.vstack([V, x @ W_V])
    return dict(keys=K, values=V, output=output)
'''),
    ("cache", 'values made of X without the position', '''def cache(X, W_Q, W_K, W_V):
    n, d_model = X.shape
    P = np.zeros((n, d_model))
    for t in range(n):
        for i in range(0, d_model, 2):
            P[t, i] = np.sin(t / 10000 ** (i / d_model))
            P[t, i + 1] = np.cos(t / 10000 ** (i / d_model))
    inp = X + P
    Q, K, V = inp @ W_Q, inp @ W_K, X @ W_V
    out = np.zeros(V.shape)
    for t in range(n):
        s = K[:t + 1] @ Q[t] / np.sqrt(K.shape[1])
        e = np.exp(s - s.max())
        out[t] = (e[:, None] * V[:t + 1]).sum(axis=0) / e.sum()
    return dict(keys=K, values=V, output=out)
'''),
    ("cache", 'sine and cosine exchanged: cosine in the even columns', '''def cache(X, W_Q, W_K, W_V):
    d_model, d_k = W_Q.shape
    inv = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    kept_k, kept_v, rows = [], [], []
    for t, x in enumerate(X):
        p = np.empty(d_model)
        p[0::2] = np.cos(t * inv)
        p[1::2] = np.sin(t * inv)
        x = x + p
        kept_k.append(x @ W_K)
        kept_v.append(x @ W_V)
        z = np.stack(kept_k) @ (x @ W_Q) / d_k ** 0.5
        a = np.exp(z - z.max())
        a = a / a.sum()
        rows.append(a @ np.stack(kept_v))
    return {"keys": np.stack(kept_k), "values": np.stack(kept_v), "output": np.stack(rows)}
'''),
    ("params", 'biases of the four attention projections not counted', '''def params(d_model, d_ff, h, N, vocab, n):
    d = d_model
    attention = 4 * d * d
    ff = d * d_ff + d_ff + d_ff * d + d
    norm = 2 * d
    encoder = N * (attention + ff + 2 * norm) + norm
    decoder = N * (2 * attention + ff + 3 * norm) + norm
    total = encoder + decoder + 2 * vocab * d + d * vocab + vocab
    macs = N * (3 * (4 * d * d + 2 * n * d) + 2 * 2 * d * d_ff) + d * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=16 * total)
'''),
    ("params", "attention's matrices counted once for every head", '''def params(d_model, d_ff, h, N, vocab, n):
    linear = lambda a, b: a * b + b
    attention = h * 4 * linear(d_model, d_model)
    feed_forward = linear(d_model, d_ff) + linear(d_ff, d_model)
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    total = N * (encoder_layer + decoder_layer) + 2 * norm + 2 * vocab * d_model + linear(d_model, vocab)
    att_macs = 4 * d_model ** 2 + 2 * n * d_model
    macs = N * (3 * att_macs + 4 * d_model * d_ff) + d_model * vocab
    return dict(total=total, macs=macs, flops=macs * 2, training_bytes=total * 4 * 4)
'''),
    ("params", 'only the scores counted in macs, the weighted sum of the values forgotten', '''def params(d_model, d_ff, h, N, vocab, n):
    d_k = d_model // h
    att = 4 * (d_model * d_model + d_model)
    ffn = 2 * d_model * d_ff + d_ff + d_model
    enc = att + ffn + 2 * (2 * d_model)
    dec = 2 * att + ffn + 3 * (2 * d_model)
    embeddings = 2 * vocab * d_model
    generator = d_model * vocab + vocab
    total = N * enc + N * dec + 2 * 2 * d_model + embeddings + generator
    att_macs = 4 * d_model * d_model + h * n * d_k
    ffn_macs = 2 * d_model * d_ff
    macs = N * (att_macs + ffn_macs) + N * (2 * att_macs + ffn_macs) + d_model * vocab
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=4 * 4 * total)
'''),
    ("params", "Adam's moments counted as one: three numbers a parameter instead of four", '''def params(d_model, d_ff, h, N, vocab, n):
    D, F = d_model, d_ff
    mha = 4 * D * D + 4 * D
    mlp = D * F + F + F * D + D
    ln = D + D
    total = N * (mha + mlp + 2 * ln) + ln
    total += N * (2 * mha + mlp + 3 * ln) + ln
    total += vocab * D + vocab * D
    total += D * vocab + vocab
    macs = 0
    for layer in range(N):
        macs += 4 * D * D + n * D + n * D + 2 * D * F
        macs += 2 * (4 * D * D + n * D + n * D) + 2 * D * F
    macs += D * vocab
    # weights + gradients + Adam, float32
    training_bytes = (1 + 1 + 1) * 4 * total
    return dict(total=total, macs=macs, flops=2 * macs, training_bytes=training_bytes)
'''),
    ("rope", 'pairs i and i + w/2 (rotate_half, as in Llama) instead of neighbours', '''def rope(Q, K, positions, base):
    w = Q.shape[-1]
    theta = positions[:, None] / base ** (2 * np.arange(w // 2) / w)
    cos, sin = np.cos(theta), np.sin(theta)
    def turn(x):
        a, b = x[..., : w // 2], x[..., w // 2 :]
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)
    return dict(Q_turned=turn(Q), K_turned=turn(K))
'''),
    ("rope", 'turned the other way: signs of the sines exchanged', '''def rope(Q, K, positions, base):
    d = Q.shape[-1]
    freqs = 1.0 / base ** (np.arange(0, d, 2) / d)
    angles = np.outer(positions, freqs)
    c, s = np.cos(angles), np.sin(angles)
    result = []
    for x in (Q, K):
        y = np.empty(x.shape)
        y[..., 0::2] = x[..., 0::2] * c + x[..., 1::2] * s
        y[..., 1::2] = x[..., 1::2] * c - x[..., 0::2] * s
        result.append(y)
    return dict(Q_turned=result[0], K_turned=result[1])
'''),
    ("rope", 'places counted from 0 instead of the given positions', '''def rope(Q, K, positions, base):
    n, d_k = Q.shape[-2:]
    inv_freq = base ** (-np.arange(0, d_k, 2) / d_k)
    pos = np.arange(n)
    rot = np.exp(1j * pos[:, None] * inv_freq)
    def apply(x):
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * rot
        out = np.empty(x.shape)
        out[..., 0::2] = z.real
        out[..., 1::2] = z.imag
        return out
    return dict(Q_turned=apply(Q), K_turned=apply(K))
'''),
    ("rope", 'cosines and sines laid out as halves (tile) while the pairs are neighbours', '''def rope(Q, K, positions, base):
    d = Q.shape[-1]
    inv_freq = 1.0 / (base ** (np.arange(0, d, 2) / d))
    freqs = np.einsum("i,j->ij", positions, inv_freq)
    emb = np.concatenate([freqs, freqs], axis=-1)

    def rotate_every_two(x):
        return np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)

    Q_turned = Q * np.cos(emb) + rotate_every_two(Q) * np.sin(emb)
    K_turned = K * np.cos(emb) + rotate_every_two(K) * np.sin(emb)
    return dict(Q_turned=Q_turned, K_turned=K_turned)
'''),
    ("modern", 'key heads tiled (0 1 0 1) instead of repeated for neighbours (0 0 1 1)', '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    d_k = d // heads

    def rms(x, g):
        return g * x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5)

    theta = np.arange(n)[:, None] / base ** (2 * np.arange(d_k // 2) / d_k)
    cos, sin = np.cos(theta), np.sin(theta)

    def turn(x):
        a, b = x[..., : d_k // 2], x[..., d_k // 2 :]
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)

    x = rms(X, gain_1)
    q = turn((x @ W_Q).reshape(n, heads, d_k).transpose(1, 0, 2))
    k = turn((x @ W_K).reshape(n, kv_heads, d_k).transpose(1, 0, 2))
    v = (x @ W_V).reshape(n, kv_heads, d_k).transpose(1, 0, 2)
    k = np.tile(k, (heads // kv_heads, 1, 1))
    v = np.tile(v, (heads // kv_heads, 1, 1))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d_k)
    i, j = np.indices((n, n))
    ok = j <= i
    if window:
        ok &= i - j < window
    s = np.where(ok, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    h = X + (w @ v).transpose(1, 0, 2).reshape(n, d) @ W_O
    x = rms(h, gain_2)
    g = x @ W_1
    return dict(output=h + (g / (1 + np.exp(-g)) * (x @ W_3)) @ W_2)
'''),
    ("modern", 'window off by one: sees window tokens before itself', '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d_model = X.shape
    d_k = d_model // heads
    half = d_k // 2
    group = heads // kv_heads

    def rms_norm(x, gain):
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5) * gain

    def rotate(x):
        out = np.zeros(x.shape)
        for pos in range(n):
            for i in range(half):
                angle = pos / base ** (2 * i / d_k)
                out[pos, i] = x[pos, i] * np.cos(angle) - x[pos, i + half] * np.sin(angle)
                out[pos, i + half] = x[pos, i] * np.sin(angle) + x[pos, i + half] * np.cos(angle)
        return out

    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        first = 0 if window == 0 else max(0, i - window)
        mask[i, first:i + 1] = True

    x = rms_norm(X, gain_1)
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    outs = []
    for h in range(heads):
        g = h // group
        q = rotate(Q[:, h * d_k:(h + 1) * d_k])
        k = rotate(K[:, g * d_k:(g + 1) * d_k])
        v = V[:, g * d_k:(g + 1) * d_k]
        s = np.where(mask, q @ k.T / np.sqrt(d_k), -np.inf)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        outs.append(e / e.sum(axis=1, keepdims=True) @ v)
    between = X + np.concatenate(outs, axis=1) @ W_O
    x = rms_norm(between, gain_2)
    a = x @ W_1
    silu = a * (1 / (1 + np.exp(-a)))
    return dict(output=between + (silu * (x @ W_3)) @ W_2)
'''),
    ("modern", 'LayerNorm habit: the mean is subtracted in the RMSNorm', '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    n, d = X.shape
    dk = d // heads

    def norm(x, gain):
        x = x - x.mean(axis=-1, keepdims=True)
        return gain * x / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-5)

    freq = base ** (-np.arange(0, dk, 2) / dk)
    ang = np.outer(np.arange(n), freq)
    ang = np.concatenate([ang, ang], axis=-1)[:, None, :]

    def rope(x):
        rotated = np.concatenate([-x[..., dk // 2:], x[..., :dk // 2]], axis=-1)
        return x * np.cos(ang) + rotated * np.sin(ang)

    y = norm(X, gain_1)
    q = rope((y @ W_Q).reshape(n, heads, dk))
    k = rope((y @ W_K).reshape(n, kv_heads, dk)).repeat(heads // kv_heads, axis=1)
    v = (y @ W_V).reshape(n, kv_heads, dk).repeat(heads // kv_heads, axis=1)
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(dk)
    visible = np.tril(np.ones((n, n), bool))
    if window > 0:
        visible &= np.triu(np.ones((n, n), bool), k=-(window - 1))
    scores = np.where(visible, scores, -1e30)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    X = X + np.einsum("hqk,khd->qhd", p, v).reshape(n, d) @ W_O
    y = norm(X, gain_2)
    gate = y @ W_1
    gate = gate / (1 + np.exp(-gate))
    return dict(output=X + (gate * (y @ W_3)) @ W_2)
'''),
    ("modern", 'plain sigmoid gate (GLU) instead of SiLU', '''def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads,
        kv_heads, base, window):
    N, D = X.shape
    dh = D // heads

    def rmsnorm(x, w):
        rms = np.sqrt(np.mean(np.square(x), axis=-1, keepdims=True) + 1e-5)
        return w * (x / rms)

    def silu(x):
        return 1 / (1 + np.exp(-x))

    def apply_rope(x):
        i = np.arange(dh // 2)
        t = np.arange(N)[:, None] * (1.0 / base ** (2 * i / dh))
        z = (x[..., :dh // 2] + 1j * x[..., dh // 2:]) * np.exp(1j * t)
        return np.concatenate([z.real, z.imag], axis=-1)

    xn = rmsnorm(X, gain_1)
    q = apply_rope(np.moveaxis((xn @ W_Q).reshape(N, heads, dh), 1, 0))
    k = apply_rope(np.moveaxis((xn @ W_K).reshape(N, kv_heads, dh), 1, 0))
    v = np.moveaxis((xn @ W_V).reshape(N, kv_heads, dh), 1, 0)
    q = q.reshape(kv_heads, heads // kv_heads, N, dh)
    att = np.einsum("ghqd,gkd->ghqk", q, k) / np.sqrt(dh)
    dist = np.arange(N)[:, None] - np.arange(N)[None, :]
    blocked = dist < 0
    if window != 0:
        blocked = blocked | (dist >= window)
    att[..., blocked] = -np.inf
    att = np.exp(att - att.max(axis=-1, keepdims=True))
    att = att / att.sum(axis=-1, keepdims=True)
    o = np.einsum("ghqk,gkd->qghd", att, v).reshape(N, D)
    r = X + o @ W_O
    rn = rmsnorm(r, gain_2)
    return {"output": r + (silu(rn @ W_1) * (rn @ W_3)) @ W_2}
'''),
    ("lookup", 'scores scaled by sqrt(d_k) although not yet asked for', '''def lookup(Q, K, V):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])
    best = scores.argmax(-1)
    hard = np.take_along_axis(V, best[..., None], axis=-2)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return dict(hard_output=hard, output=w @ V)
'''),
    ("lookup", 'hard lookup by the nearest key (Euclidean) instead of the largest dot product', '''def lookup(Q, K, V):
    s = np.einsum("...qd,...kd->...qk", Q, K)
    dist = np.linalg.norm(Q[..., :, None, :] - K[..., None, :, :], axis=-1)
    which = np.argmin(dist, axis=-1)
    hard_output = np.take_along_axis(V, which[..., None], axis=-2)
    s = s - s.max(axis=-1, keepdims=True)
    p = np.exp(s)
    p = p / p.sum(axis=-1, keepdims=True)
    return dict(hard_output=hard_output, output=np.einsum("...qk,...kv->...qv", p, V))
'''),
    ("lookup", 'softmax without subtracting the maximum: overflows', '''def lookup(Q, K, V):
    scores = np.matmul(Q, np.swapaxes(K, -2, -1))
    one_hot = np.eye(K.shape[-2])[np.argmax(scores, axis=-1)]
    weights = np.exp(scores)
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return dict(hard_output=one_hot @ V, output=weights @ V)
'''),
    ("lookup", 'of equal scores the values are averaged instead of taking the first', '''def lookup(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    top = scores.max(axis=-1, keepdims=True)
    hit = (scores == top).astype(float)
    hit = hit / hit.sum(axis=-1, keepdims=True)
    e = np.exp(scores - top)
    return {"hard_output": hit @ V, "output": e @ V / e.sum(axis=-1, keepdims=True)}
'''),
    ("induction", 'looks at the place of the earlier token itself, not right behind it', '''def linear(w, name, x):
    return x @ w[name + ".weight"].T


def norm(w, name, x):
    mean = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return w[name + ".a_2"] * (x - mean) / np.sqrt(var + 1e-5) + w[name + ".b_2"]


def masked_attention(w, name, x, heads):
    n, d = x.shape
    d_k = d // heads
    q, k, v = [linear(w, f"{name}.linears.{j}", x).reshape(n, heads, d_k).transpose(1, 0, 2) for j in range(3)]
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d_k)
    s = np.where(np.tril(np.ones((n, n), bool)), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    z = (weights @ v).transpose(1, 0, 2).reshape(n, d)
    return linear(w, name + ".linears.3", z), weights


def decode(w, tgt, heads):
    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)]
    layer = 0
    while f"decoder.layers.{layer}.self_attn.linears.0.weight" in w:
        y = norm(w, f"decoder.layers.{layer}.sublayer.0.norm", x)
        y, weights = masked_attention(w, f"decoder.layers.{layer}.self_attn", y, heads)
        x = x + y
        layer += 1
    logits = linear(w, "generator.proj", norm(w, "decoder.norm", x))
    z = logits - logits.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True)), weights


def induction_score(weights, tgt):
    picked = []
    for i in range(len(tgt)):
        for j in range(i - 1, -1, -1):
            if tgt[j] == tgt[i]:
                picked.append(weights[:, i, j])
                break
    if not picked:
        return np.zeros(len(weights))
    return np.mean(picked, axis=0)


def induction(w, tgt, heads):
    log_probs, weights = decode(w, tgt, heads)
    return {"log_probs": log_probs, "score": induction_score(weights, tgt)}
'''),
    ("induction", 'mean over all tokens instead of those whose token has stood before', '''def linear(w, name, x):
    return x @ w[name + ".weight"].T


def norm(w, name, x):
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
    return x * w[name + ".a_2"] + w[name + ".b_2"]


def masked_attention(w, name, x, heads):
    n = len(x)
    Q, K, V = (np.split(linear(w, name + ".linears." + str(j), x), heads, axis=1) for j in (0, 1, 2))
    outs, all_weights = [], []
    for q, k, v in zip(Q, K, V):
        s = q @ k.T / np.sqrt(q.shape[1])
        s[np.triu_indices(n, 1)] = -1e30
        e = np.exp(s - s.max(axis=1, keepdims=True))
        e = e / e.sum(axis=1, keepdims=True)
        all_weights.append(e)
        outs.append(e @ v)
    return linear(w, name + ".linears.3", np.concatenate(outs, axis=1)), np.array(all_weights)


def decode(w, tgt, heads):
    n_layers = len({key.split(".")[2] for key in w if key.startswith("decoder.layers.")})
    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][np.arange(len(tgt))]
    for i in range(n_layers):
        name = f"decoder.layers.{i}"
        out, weights = masked_attention(w, name + ".self_attn", norm(w, name + ".sublayer.0.norm", x), heads)
        x = x + out
    logits = linear(w, "generator.proj", norm(w, "decoder.norm", x))
    m = logits.max(axis=-1, keepdims=True)
    return logits - m - np.log(np.exp(logits - m).sum(axis=-1, keepdims=True)), weights


def induction_score(weights, tgt):
    total = np.zeros(weights.shape[0])
    count = 0
    last = {}
    for i, token in enumerate(tgt.tolist()):
        count += 1
        if token in last:
            total += weights[:, i, last[token] + 1]
        last[token] = i
    return total / max(count, 1)


def induction(w, tgt, heads):
    log_probs, weights = decode(w, tgt, heads)
    return {"log_probs": log_probs, "score": induction_score(weights, tgt)}
'''),
    ("gpt", 'labels of -1 not left out of the loss: -1 picks the last token of the vocabulary', '''def linear(w, name, x):
    return x @ w[name + ".weight"].T


def norm(x):
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5)


def masked_attention(w, name, x, heads):
    n, d = x.shape
    q, k, v = [linear(w, f"{name}.linears.{j}", x).reshape(n, heads, d // heads).swapaxes(0, 1) for j in range(3)]
    s = q @ k.swapaxes(1, 2) / np.sqrt(d // heads)
    s = np.where(np.tril(np.ones((n, n))) == 1, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    return linear(w, name + ".linears.3", (a @ v).swapaxes(0, 1).reshape(n, d))


def decode(w, tgt, heads):
    x = norm(w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)])
    i = 0
    while f"decoder.layers.{i}.feed_forward.w_1.weight" in w:
        layer = f"decoder.layers.{i}"
        x = x + masked_attention(w, layer + ".self_attn", norm(x), heads)
        hidden = np.maximum(linear(w, layer + ".feed_forward.w_1", norm(x)), 0)
        x = x + linear(w, layer + ".feed_forward.w_2", hidden)
        i += 1
    logits = linear(w, "generator.proj", x)
    z = logits - logits.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def gpt(w, tgt, labels, heads, mark, context):
    log_probs = decode(w, tgt, heads)
    loss = -np.mean(log_probs[np.arange(len(labels)), labels])
    text = list(tgt)
    while len(text) < context + 1:
        best = int(decode(w, np.array(text), heads)[-1].argmax())
        if best == mark:
            break
        text.append(best)
    return {"log_probs": log_probs, "loss": loss, "greedy": np.array(text[len(tgt):], dtype=int)}
'''),
    ("model", "no final norm of the encoder: memory is the last layer's output", '''def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def norm(w, name, x):
    mean = x.mean(-1, keepdims=True)
    std = x.std(-1, ddof=1, keepdims=True)
    return w[name + ".a_2"] * (x - mean) / (std + 1e-6) + w[name + ".b_2"]


def embed(table, ids):
    n, d = len(ids), table.shape[1]
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    pe = np.zeros((n, d))
    pe[:, 0::2] = np.sin(angle)
    pe[:, 1::2] = np.cos(angle)
    return table[ids] * np.sqrt(d) + pe


def multihead(w, name, x, memory, mask, heads):
    d = x.shape[-1]
    def split(t):
        return t.reshape(len(t), heads, d // heads).transpose(1, 0, 2)
    q = split(linear(w, name + ".linears.0", x))
    k = split(linear(w, name + ".linears.1", memory))
    v = split(linear(w, name + ".linears.2", memory))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d // heads)
    s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(m), 0, m))
    t = e.sum(-1, keepdims=True)
    a = e / np.where(t == 0, 1, t)
    return linear(w, name + ".linears.3", (a @ v).transpose(1, 0, 2).reshape(len(x), d))


def feed_forward(w, name, x):
    return linear(w, name + ".w_2", np.maximum(linear(w, name + ".w_1", x), 0))


def encode(w, src, heads):
    x = embed(w["src_embed.0.lut.weight"], src)
    mask = (src != 0)[None, :]
    i = 0
    while f"encoder.layers.{i}.feed_forward.w_1.weight" in w:
        layer = f"encoder.layers.{i}"
        y = norm(w, layer + ".sublayer.0.norm", x)
        x = x + multihead(w, layer + ".self_attn", y, y, mask, heads)
        x = x + feed_forward(w, layer + ".feed_forward", norm(w, layer + ".sublayer.1.norm", x))
        i += 1
    return x


def decode(w, memory, src, tgt, heads):
    x = embed(w["tgt_embed.0.lut.weight"], tgt)
    n = len(tgt)
    self_mask = np.tril(np.ones((n, n), bool)) & (tgt != 0)[None, :]
    src_mask = (src != 0)[None, :]
    i = 0
    while f"decoder.layers.{i}.feed_forward.w_1.weight" in w:
        layer = f"decoder.layers.{i}"
        y = norm(w, layer + ".sublayer.0.norm", x)
        x = x + multihead(w, layer + ".self_attn", y, y, self_mask, heads)
        y = norm(w, layer + ".sublayer.1.norm", x)
        x = x + multihead(w, layer + ".src_attn", y, memory, src_mask, heads)
        y = norm(w, layer + ".sublayer.2.norm", x)
        x = x + feed_forward(w, layer + ".feed_forward", y)
        i += 1
    logits = linear(w, "generator.proj", norm(w, "decoder.norm", x))
    z = logits - logits.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def model(w, src, tgt, heads, start, end, longest):
    memory = encode(w, src, heads)
    log_probs = decode(w, memory, src, tgt, heads)
    text = [start]
    while len(text) - 1 < longest:
        token = int(decode(w, memory, src, np.array(text), heads)[-1].argmax())
        if token == end:
            break
        text.append(token)
    return {"log_probs": log_probs, "greedy": np.array(text[1:], dtype=int)}
'''),
]
