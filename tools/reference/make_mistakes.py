"""Makes data/reference/mistakes.npz: what NumPy gives where a learner makes one of the catalogue's mistakes.

Run from the root of the repository:  python3 tools/reference/make_mistakes.py
Needs NumPy (the committed file was made by NumPy 1.24 on x86-64 Linux).

Each wrong variant is written as a learner writes it; a row that may see nothing has weights 0. Names in the file:
RUN.in.TENSOR for an input, RUN.MISTAKE.TENSOR for what comes out.
"""

from pathlib import Path

import numpy as np

FILE = Path("data/reference/mistakes.npz")
r = np.random.RandomState(42)
arrays = {}


def softmax(s, axis=-1):
    top = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


def inputs(run, **tensors):
    arrays.update({f"{run}.in.{name}": value for name, value in tensors.items()})
    return tensors.values()


def keep(run, mistake, **tensors):
    arrays.update({f"{run}.{mistake}.{name}": value for name, value in tensors.items()})


def single_head():
    """The lessons qkv to attention: five words of width 5, with biases."""
    X, W_Q, W_K, W_V = inputs("attention", X=r.randn(5, 5), W_Q=r.randn(5, 5), W_K=r.randn(5, 5), W_V=r.randn(5, 5))
    b_Q, b_K, b_V = inputs("attention", b_Q=r.randn(5), b_K=r.randn(5), b_V=r.randn(5))
    Q, K, V = X @ W_Q + b_Q, X @ W_K + b_K, X @ W_V + b_V
    root = np.sqrt(5)

    def attend(Q, K, V):
        weights = softmax(Q @ K.T / root)
        return dict(weights=weights, output=weights @ V)

    def with_weights(weights):
        return dict(weights=weights, output=weights @ V)

    keep("attention", "qkv.weight_transposed", **attend(X @ W_Q.T + b_Q, X @ W_K.T + b_K, X @ W_V.T + b_V))
    keep("attention", "qkv.v_from_wk", **attend(Q, K, X @ W_K + b_K))
    keep("attention", "qkv.k_from_wq", **attend(Q, X @ W_Q + b_Q, V))
    keep("attention", "qkv.no_bias", **attend(X @ W_Q, X @ W_K, X @ W_V))
    keep("attention", "scores.no_transpose", scores=Q @ K, **with_weights(softmax(Q @ K / root)))
    keep("attention", "scores.swapped", scores=K @ Q.T, **with_weights(softmax(K @ Q.T / root)))
    S = Q @ K.T
    keep("attention", "softmax.wrong_axis", **with_weights(softmax(S / root, axis=0)))
    keep("attention", "softmax.no_scale", **with_weights(softmax(S)))
    keep("attention", "softmax.scale_dk", **with_weights(softmax(S / 5)))
    keep("attention", "softmax.scale_multiplied", **with_weights(softmax(S * root)))
    keep("attention", "softmax.scale_after", **with_weights(softmax(S) / root))
    e = np.exp(S / root)
    keep("attention", "softmax.no_max", **with_weights(e / e.sum(axis=-1, keepdims=True)))
    keep("attention", "softmax.twice", **with_weights(softmax(softmax(S / root))))
    keep("attention", "attention.no_softmax", **with_weights(S / root))
    weights = softmax(S / root)
    keep("attention", "attention.weights_transposed", weights=weights, output=weights.T @ V)
    keep("attention", "attention.keys_for_values", weights=weights, output=weights @ K)


def other_widths():
    """Values narrower than keys, and scores so large that e^x overflows."""
    Q, K, V = inputs("sdpa", Q=40 * r.randn(4, 3), K=40 * r.randn(5, 3), V=r.randn(5, 2))
    S = Q @ K.T
    keep("sdpa", "softmax.scale_dv", weights=softmax(S / np.sqrt(2)))
    keep("sdpa", "softmax.scale_n", weights=softmax(S / np.sqrt(len(K))))
    with np.errstate(over="ignore", invalid="ignore"):
        e = np.exp(S / np.sqrt(3))
        naive = e / e.sum(axis=-1, keepdims=True)
    assert np.isnan(naive).any()
    keep("sdpa", "softmax.no_max", weights=naive)


def masked():
    """Causal, padded, and with a row that may see nothing."""
    Q, K, V = r.randn(5, 3), r.randn(5, 3), r.randn(5, 4)
    S = Q @ K.T / np.sqrt(3)
    causal, inf = np.tril(np.ones((5, 5))), -np.inf

    def attend(run, mistake, weights):
        keep(run, mistake, weights=weights, output=weights @ V)

    inputs("causal", Q=Q, K=K, V=V)
    attend("causal", "mask.forgotten", softmax(S))
    attend("causal", "mask.polarity", softmax(np.where(causal == 1, inf, S)))
    attend("causal", "mask.flipped", softmax(np.where(np.triu(np.ones((5, 5))) == 0, inf, S)))
    attend("causal", "mask.diagonal", softmax(np.where(np.tril(np.ones((5, 5)), k=-1) == 0, inf, S)))
    attend("causal", "mask.after_softmax", softmax(S) * causal)
    attend("causal", "mask.added_twice", softmax(S + np.where(causal == 0, inf, S)))
    attend("causal", "mask.zero", softmax(S * causal))
    inputs("padded", Q=Q, K=K, V=V)
    padding = np.array([1, 1, 1, 0, 0])
    attend("padded", "mask.rows", softmax(np.where(padding[:, None] == 0, inf, S)))
    mask, = inputs("blocked", mask_given=np.array([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0]] + 3 * [[1, 0, 1, 1, 1]], float))
    inputs("blocked", Q=Q, K=K, V=V)
    attend("blocked", "mask.minus_1e9", softmax(np.where(mask == 0, -1e9, S)))


def multihead():
    """Two sentences, two heads; each sentence has a mask of its own."""
    B, n, h, d_k = 2, 4, 2, 3
    d = h * d_k
    X, W_Q, W_K, W_V, W_O = inputs("multihead", X=r.randn(B, n, d), W_Q=r.randn(d, d), W_K=r.randn(d, d),
                                   W_V=r.randn(d, d), W_O=r.randn(d, d))
    mask = np.tril(np.ones((n, n))) * np.array([[1, 1, 1, 1], [1, 1, 0, 1]])[:, None, :]    # (B, n, n)
    inputs("multihead", mask_given=mask[:, None])
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V

    def split(M):
        return M.reshape(B, n, h, d_k).transpose(0, 2, 1, 3)

    def merge(heads):
        return heads.transpose(0, 2, 1, 3).reshape(B, n, d)

    def weigh(Q, K, root=np.sqrt(d_k), mask=mask[:, None]):
        return softmax(np.where(mask == 0, -np.inf, Q @ K.transpose(0, 1, 3, 2) / root))

    def keep_run(mistake, split_by=split, merge_by=merge, weights=None):
        if weights is None:
            weights = weigh(split_by(Q), split_by(K))
        concat = merge_by(weights @ split_by(V))
        keep("multihead", mistake, weights=weights, concat=concat, output=concat @ W_O)

    keep_run("heads.split_no_transpose", split_by=lambda M: M.reshape(B, h, n, d_k))
    keep_run("heads.interleaved", split_by=lambda M: M.reshape(B, n, d_k, h).transpose(0, 3, 1, 2))
    keep_run("heads.shared_weights", split_by=lambda M: np.stack([M[..., :d_k]] * h, axis=1))
    keep_run("heads.scale_d_model", weights=weigh(split(Q), split(K), root=np.sqrt(d)))
    keep_run("heads.merge_no_transpose", merge_by=lambda heads: heads.reshape(B, n, d))
    keep_run("mask.on_heads", weights=weigh(split(Q), split(K), mask=mask))
    weights = weigh(split(Q), split(K))
    average = weights.mean(axis=1, keepdims=True)
    concat = merge(average @ split(V))
    keep("multihead", "heads.weights_averaged", weights=average, concat=concat, output=concat @ W_O)
    heads = weights @ split(V)
    keep("multihead", "heads.averaged", concat=heads.mean(axis=1))
    keep("multihead", "heads.no_output", output=merge(heads))


def cross():
    """As many words in the decoder as in the source, so that nothing raises; the last one of the source is padding."""
    X, memory, W_Q, W_K, W_V = inputs("cross", X=r.randn(4, 5), memory=r.randn(4, 5), W_Q=r.randn(5, 5),
                                      W_K=r.randn(5, 5), W_V=r.randn(5, 3))

    def keep_run(mistake, queries, source, seen):
        weights = softmax(np.where(seen == 0, -np.inf, queries @ W_Q @ (source @ W_K).T / np.sqrt(5)))
        keep("cross", mistake, weights=weights, output=weights @ (source @ W_V))

    padding = np.array([1, 1, 1, 0])
    keep_run("cross.kv_from_decoder", X, X, padding)
    keep_run("cross.q_from_encoder", memory, memory, padding)
    keep_run("cross.no_source_mask", X, memory, np.ones(4))


for part in (single_head, other_widths, masked, multihead, cross):
    part()
np.savez_compressed(FILE, **arrays)
print(f"{FILE}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")
