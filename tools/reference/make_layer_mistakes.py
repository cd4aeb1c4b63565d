"""Makes data/reference/layer_mistakes.npz: what NumPy and PyTorch give where a learner makes one of the catalogue's
mistakes in embeddings, layers, losses, gradients and decoding.

Run from the root of the repository:  python3 tools/reference/make_layer_mistakes.py
Needs NumPy and PyTorch (the committed file was made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

Each wrong variant is written as a learner writes it; gradients of wrong losses are PyTorch's autograd. Names in the
file: RUN.in.TENSOR for an input, RUN.MISTAKE.TENSOR for what comes out.
"""

from pathlib import Path

import numpy as np
import torch

FILE = Path("data/reference/layer_mistakes.npz")
r = np.random.RandomState(42)
arrays = {}


def inputs(run, **tensors):
    arrays.update({f"{run}.in.{name}": np.asarray(value, dtype=np.float64) for name, value in tensors.items()})
    return tensors.values()


def keep(run, mistake, **tensors):
    arrays.update({f"{run}.{mistake}.{name}": np.asarray(value) for name, value in tensors.items()})


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def embed():
    """Three sentences of four words, one word repeated; width 6."""
    n, d = 4, 6
    E, ids = inputs("embed", token_embedding=r.randn(5, d), token_ids=r.randint(5, size=(3, n)))
    inputs("embed", positions=np.arange(n))

    def table(count, exponent=lambda j: 2 * (j // 2) / d, first=0):
        angles = np.arange(first, first + count)[:, None] / 10000 ** exponent(np.arange(d))
        P = np.empty_like(angles)
        P[:, 0::2], P[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
        return P

    words, root, P = E[ids], np.sqrt(d), table(n)
    angles = np.arange(n)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    for mistake, X in {
        "embed.no_scale": words + P,
        "embed.divided": words / root + P,
        "embed.positions_scaled": (words + P) * root,
        "position.from_one": words * root + table(n, first=1),
        "position.own_wavelengths": words * root + table(n, lambda j: j / d),
        "position.pair_number": words * root + table(n, lambda j: (j // 2) / d),
        "position.halves": words * root + np.concatenate((np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])), axis=1),
        "position.no_cos": words * root + np.sin(angles),
        "position.batch_axis": words * root + P[:len(words), None],
    }.items():
        keep("embed", mistake, X=X)


class Layer:
    """An encoder layer with two heads, in the learner's own hand; what goes wrong is passed in."""

    def __init__(self, run, n=4, d=6, d_ff=5, **more):
        self.run, self.n, self.d = run, n, d
        names = {"X": (n, d), "W_1": (d, d_ff), "b_1": (d_ff,), "W_2": (d_ff, d), "b_2": (d,)}
        names |= {f"W_{k}": (d, d) for k in "QKVO"} | {f"b_{k}": (d,) for k in "QKVO"}
        names |= {f"{k}_{i}": (d,) for k in ("gain", "shift") for i in "12"}
        self.p = {name: r.randn(*shape) for name, shape in names.items()}
        inputs(run, **self.p, **more)

    def split(self, M):
        return M.reshape(self.n, 2, self.d // 2).transpose(1, 0, 2)

    def attend(self, queries, others, drop):
        p = self.p
        Q, K, V = (self.split(A @ p[f"W_{k}"] + p[f"b_{k}"]) for k, A in zip("QKV", (queries, others, others)))
        weights = drop(softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(self.d // 2)))
        return (weights @ V).transpose(1, 0, 2).reshape(self.n, self.d) @ p["W_O"] + p["b_O"]

    def feed(self, X, relu="middle", biased=True):
        p, clip = self.p, lambda A: np.maximum(A, 0)
        b_1, b_2 = (p["b_1"], p["b_2"]) if biased else (0, 0)
        if relu == "first":
            return (clip(X) @ p["W_1"] + b_1) @ p["W_2"] + b_2
        hidden = X @ p["W_1"] + b_1
        if relu == "last":
            return clip(hidden @ p["W_2"] + b_2)
        return (clip(hidden) if relu == "middle" else hidden) @ p["W_2"] + b_2

    def out(self, norm, place="first", seen=None, added=None, drop=lambda W: W, **feed):
        """place: where the norm stands. seen: what keys and values read. added: what the sum keeps of its input."""
        p = self.p
        norm_1 = lambda A: norm(A, p["gain_1"], p["shift_1"])
        norm_2 = lambda A: norm(A, p["gain_2"], p["shift_2"])
        X = p["X"]
        if place == "last":
            Y = norm_1(X + self.attend(X, X, drop))
            return norm_2(Y + self.feed(Y, **feed))
        keep_of = {None: lambda A, N: A, "norm": lambda A, N: N, "nothing": lambda A, N: 0 * A}[added]
        N = norm_1(X)
        Y = keep_of(X, N) + self.attend(N, X if seen == "X" else N, drop)
        N = norm_2(Y)
        return keep_of(Y, N) + self.feed(N, **feed)


def annotated(A, gain, shift, axis=-1, ddof=1, eps=1e-6):
    std = A.std(axis, ddof=ddof, keepdims=True)
    return (A - A.mean(axis, keepdims=True)) / (std + eps) * gain + shift


def standard(A, gain, shift, axis=-1, ddof=0):
    variance = A.var(axis, ddof=ddof, keepdims=True)
    return (A - A.mean(axis, keepdims=True)) / np.sqrt(variance + 1e-5) * gain + shift


def block():
    """The Annotated Transformer's layer, its norm first."""
    layer = Layer("annotated")

    def keep_out(mistake, norm=annotated, **how):
        keep("annotated", mistake, output=layer.out(norm, **how))

    keep_out("norm.over_tokens", lambda A, g, s: annotated(A, g, s, axis=0))
    keep_out("norm.over_all", lambda A, g, s: annotated(A, g, s, axis=None))
    keep_out("norm.no_mean", lambda A, g, s: A / (A.std(-1, ddof=1, keepdims=True) + 1e-6) * g + s)
    keep_out("norm.population_std", lambda A, g, s: annotated(A, g, s, ddof=0))
    keep_out("norm.eps_inside", lambda A, g, s: (A - A.mean(-1, keepdims=True))
             / np.sqrt(A.var(-1, ddof=1, keepdims=True) + 1e-6) * g + s)
    keep_out("norm.no_eps", lambda A, g, s: annotated(A, g, s, eps=0))
    keep_out("norm.gain_first", lambda A, g, s: annotated(A * g, 1, s))
    keep_out("norm.no_gain", lambda A, g, s: annotated(A, 1, 0))
    keep_out("norm.post_for_pre", place="last")
    keep_out("norm.queries_only", seen="X")
    keep_out("residual.of_norm", added="norm")
    keep_out("residual.missing", added="nothing")
    keep_out("feed_forward.relu_first", relu="first")
    keep_out("feed_forward.no_relu", relu="none")
    keep_out("feed_forward.relu_last", relu="last")
    keep_out("feed_forward.no_bias", biased=False)


def standard_block():
    """nn.LayerNorm's rule."""
    layer = Layer("standard")
    outside = lambda A, g, s: (A - A.mean(-1, keepdims=True)) / (A.std(-1, keepdims=True) + 1e-5) * g + s
    keep("standard", "norm.sample_variance", output=layer.out(lambda A, g, s: standard(A, g, s, ddof=1)))
    keep("standard", "norm.eps_outside", output=layer.out(outside))
    keep("standard", "norm.over_tokens", output=layer.out(lambda A, g, s: standard(A, g, s, axis=0)))


def training_block():
    """A layer in training: a third of the weights dropped."""
    mask = (r.rand(2, 4, 4) >= 1 / 3).astype(float)
    layer = Layer("dropped", keep=mask)
    keep("dropped", "dropout.no_rescale", output=layer.out(annotated, drop=lambda W: W * mask))
    keep("dropped", "dropout.rescaled_by_rate", output=layer.out(annotated, drop=lambda W: W * mask / (1 / 3)))


def prediction_block():
    """A layer in prediction that still drops with rate 0.1: the first mask of RandomState(42)."""
    mask = (np.random.RandomState(42).rand(2, 4, 4) >= 0.1).astype(float)
    assert mask.min() == 0
    layer = Layer("predicting")
    keep("predicting", "dropout.at_prediction", output=layer.out(annotated, drop=lambda W: W * mask / 0.9))


def loss():
    """One attention and a projection onto <pad> a b c d; it reads a b c a, and should say b c a <pad>."""
    n, d, V = 4, 3, 5
    given = {"X": r.randn(n, d)} | {f"W_{k}": r.randn(d, d) for k in "QKV"} | {"W_O": r.randn(d, V)}
    labels = np.array([2, 3, 1, 0])
    inputs("loss", **given, labels=labels, pad_id=0.0)
    leaves = {name: torch.tensor(value, requires_grad=True) for name, value in given.items()}
    future = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)

    def run(of_logits, passes=1):
        for leaf in leaves.values():
            leaf.grad = None
        for _ in range(passes):
            Q, K, V_ = (leaves["X"] @ leaves[f"W_{k}"] for k in "QKV")
            weights = torch.softmax((Q @ K.T / d ** 0.5).masked_fill(future, -torch.inf), -1)
            logits = weights @ V_ @ leaves["W_O"]
            logits.retain_grad()
            value = of_logits(logits)
            value.backward()
        found = {f"d{name}": leaf.grad.numpy().copy() for name, leaf in leaves.items()}
        return dict(loss=value.item(), dlogits=logits.grad.numpy().copy(), **found), logits.detach()

    y = torch.tensor(labels)
    cross_entropy = torch.nn.functional.cross_entropy
    right = lambda z: cross_entropy(z, y, ignore_index=0)
    picked = lambda p: p[torch.arange(3), y[:3]]
    variants = {
        "loss.no_shift": lambda z: cross_entropy(z, torch.tensor([1, 2, 3, 1])),
        "loss.softmax_twice": lambda z: cross_entropy(torch.softmax(z, -1), y, ignore_index=0),
        "loss.no_log": lambda z: torch.nn.functional.nll_loss(torch.softmax(z, -1), y, ignore_index=0),
        "loss.over_padding": lambda z: cross_entropy(z, y),
        "loss.over_all": lambda z: cross_entropy(z, y, ignore_index=0, reduction="none").mean(),
        "loss.sum_for_mean": lambda z: cross_entropy(z, y, ignore_index=0, reduction="sum"),
        "loss.no_max": lambda z: -torch.log(picked(torch.exp(z) / torch.exp(z).sum(-1, keepdim=True))).mean(),
    }
    for mistake, of_logits in variants.items():
        keep("loss", mistake, **run(of_logits)[0])
    value, logits = run(right)
    z = logits.numpy()
    log_probs = z - np.log(np.exp(z - z.max(-1, keepdims=True)).sum(-1, keepdims=True))
    keep("loss", "loss.max_not_added_back", log_probs=log_probs, loss=-log_probs[range(3), labels[:3]].mean())
    times_n = {name: 3 * gradient for name, gradient in value.items() if name != "loss"}
    keep("loss", "loss.gradient_without_n", loss=value["loss"], **times_n)
    twice = run(right, passes=2)[0]
    keep("loss", "train.gradients_not_zeroed", **{name: twice[name] for name in ("dW_Q", "dW_K", "dW_V", "dW_O", "dX")})
    wrong_ways_back(given, z, value["dlogits"])
    training_step(given, labels, {name: value[f"d{name}"] for name in given if name != "X"})

    smooth = np.float64(0.3)
    inputs("smoothed", logits=z, labels=labels, pad_id=0.0)
    log_p = np.log(softmax(z))
    for mistake, share, label in (("loss.smoothed_over_all", smooth / V, 1 - smooth + smooth / V),
                                  ("loss.smoothed_padding", smooth / (V - 1), 1 - smooth)):
        target = np.full((n, V), share)
        target[range(n), labels] = label
        target[3] = 0
        keep("smoothed", mistake, target=target, loss=(target[:3] * (np.log(target[:3]) - log_p[:3])).sum() / 3)


def training_step(given, labels, gradients):
    """The first step of an optimizer on the model of the loss, in the learner's own hand; torch.optim where it makes
    the mistake itself."""
    inputs("train", **given, labels=labels, pad_id=0.0)
    inputs("adamw", **given, labels=labels, pad_id=0.0)
    lr, b1, b2, eps = 0.01, 0.9, 0.98, 1e-9

    def step(run, mistake, direction, after=lambda W, d: W - lr * d):
        with np.errstate(invalid="ignore"):
            keep(run, mistake, **{f"{name}_after": after(given[name], direction(g, given[name]))
                                  for name, g in gradients.items()})

    def adam(g, m=lambda g: (1 - b1) * g, v=lambda g: (1 - b2) * g**2, t=1, divide=lambda m, v: m / (np.sqrt(v) + eps)):
        return divide(m(g) / (1 - b1**t), v(g) / (1 - b2**t))

    def by_torch(rule, **how):
        W = {name: torch.tensor(given[name], requires_grad=True) for name in gradients}
        for name, leaf in W.items():
            leaf.grad = torch.tensor(gradients[name])
        optimizer = rule(W.values(), lr=how.pop("lr", lr), eps=eps, betas=(b1, b2), **how)
        optimizer.step()
        return {f"{name}_after": leaf.detach().numpy() for name, leaf in W.items()}, optimizer, W

    right, optimizer, leaves = by_torch(torch.optim.Adam)
    assert all(np.allclose(given[name] - lr * adam(g), right[f"{name}_after"], rtol=0, atol=1e-14)
               for name, g in gradients.items())
    keep("train", "train.ascent", **by_torch(torch.optim.Adam, maximize=True)[0])
    keep("train", "train.rate_squared", **by_torch(torch.optim.Adam, lr=lr * lr)[0])
    step("train", "train.overwritten", lambda g, W: adam(g), after=lambda W, d: -lr * d)
    step("train", "adam.no_bias_correction", lambda g, W: (1 - b1) * g / (np.sqrt((1 - b2) * g**2) + eps))
    step("train", "adam.step_ahead", lambda g, W: adam(g, t=2))
    keep("train", "adam.betas_swapped", **{f"m_{name}": (1 - b2) * g for name, g in gradients.items()},
         **{f"v_{name}": (1 - b1) * g**2 for name, g in gradients.items()}, W_Q_after=right["W_Q_after"])
    step("train", "adam.not_squared", lambda g, W: adam(g, v=lambda g: (1 - b2) * g))
    step("train", "adam.squared_average", lambda g, W: adam(g, v=lambda g: (1 - b2) * ((1 - b1) * g)**2))
    step("train", "adam.eps_inside", lambda g, W: adam(g, divide=lambda m, v: m / np.sqrt(v + eps)))
    step("train", "adam.no_root", lambda g, W: adam(g, divide=lambda m, v: m / (v + eps)))
    step("train", "adam.moments_swapped", lambda g, W: adam(g, divide=lambda m, v: v / (np.sqrt(m) + eps)))
    keep("adamw", "adam.l2_for_decay", **by_torch(torch.optim.Adam, weight_decay=0.3)[0])
    keep("adamw", "adam.no_decay", **right)
    step("adamw", "adam.decay_without_rate", lambda g, W: lr * adam(g) + 0.3 * W, after=lambda W, d: W - d)


def wrong_ways_back(given, z, dlogits):
    """The chain rule by hand, with one step of it wrong at a time."""
    X, W_Q, W_K, W_V, W_O = given.values()
    d = X.shape[1]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    seen = np.tril(np.ones((len(X), len(X))))
    A = softmax(np.where(seen == 0, -np.inf, Q @ K.T / np.sqrt(d)))
    assert np.allclose(A @ V @ W_O, z)

    def back(row_sum=True, scale=np.sqrt(d), back_through=lambda dY, W: dY @ W.T):
        doutput = dlogits @ W_O.T
        dA, dV = doutput @ V.T, A.T @ doutput
        dS = A * (dA - (dA * A).sum(-1, keepdims=True) * row_sum) / scale
        dQ, dK = dS @ K, dS.T @ Q
        parts = {k: back_through(g, W) for k, g, W in (("Q", dQ, W_Q), ("K", dK, W_K), ("V", dV, W_V))}
        return dict(dQ=dQ, dK=dK, dV=dV, dW_Q=X.T @ dQ, dW_K=X.T @ dK, dW_V=X.T @ dV, dX=sum(parts.values())), parts

    keep("loss", "gradient.no_row_sum", **back(row_sum=False)[0])
    keep("loss", "gradient.no_scale", **back(scale=1)[0])
    right, parts = back()
    keep("loss", "gradient.weight_transposed",
         **{f"dW_{k}": (right[f"d{k}"].T @ X) for k in "QKV"}, dW_O=dlogits.T @ (A @ V))
    # X is read by Q, K and V; on the way back Q comes last.
    keep("loss", "gradient.overwritten", dX=parts["Q"])


def square():
    """As many words as dimensions: nothing objects when nothing is transposed on the way back."""
    n, d = 3, 3
    given = {"X": r.randn(n, d)} | {f"W_{k}": r.randn(d, d) for k in "QKVO"}
    X, W_Q, W_K, W_V, W_O = given.values()
    labels = np.array([1, 2, 0])
    inputs("square", **given, labels=labels, pad_id=0.0)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    A = softmax(np.where(np.tril(np.ones((n, n))) == 0, -np.inf, Q @ K.T / np.sqrt(d)))
    dlogits = (softmax(A @ V @ W_O) - np.eye(d)[labels]) / 2 * (labels != 0)[:, None]
    doutput = dlogits @ W_O
    dA, dV = doutput @ V.T, A.T @ doutput
    dS = A * (dA - (dA * A).sum(-1, keepdims=True)) / np.sqrt(d)
    keep("square", "gradient.not_transposed", dX=dS @ K @ W_Q + dS.T @ Q @ W_K + dV @ W_V)


def cache():
    """Five tokens, decoded one by one with what each step has."""
    n, d = 5, 4
    X, W_Q, W_K, W_V = inputs("cache", X=r.randn(n, d), W_Q=r.randn(d, d), W_K=r.randn(d, d), W_V=r.randn(d, 3))
    angles = np.arange(n + 1)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d)
    P = np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))

    def decode(place=lambda t: t, position=lambda t: t, asks=lambda t: t, sees=lambda t: t + 1,
               kept_values=lambda t, V: V, all_at_once=False, positions=1):
        K, V, outputs, queries = np.zeros((n, d)), np.zeros((n, 3)), [], []
        if all_at_once:  # the whole text is read before the first step asks
            K, V, sees = (X + P[:n]) @ W_K, (X + P[:n]) @ W_V, lambda t: n
        for t in range(n):
            x = X[t] + positions * P[position(t)]
            queries.append(x @ W_Q)
            K[place(t)], V[place(t)] = x @ W_K, x @ W_V
            weights = softmax(queries[asks(t)] @ K[:sees(t)].T / np.sqrt(d))
            outputs.append(weights @ kept_values(t, V)[:sees(t)])
        return np.stack(outputs)

    keep("cache", "cache.not_advanced", output=decode(place=lambda t: 0, sees=lambda t: 1))
    keep("cache", "cache.position_zero", output=decode(position=lambda t: 0))
    keep("cache", "cache.no_positions", output=decode(positions=0))
    keep("cache", "cache.stale_query", output=decode(asks=lambda t: max(t - 1, 0)))
    keep("cache", "cache.empty_rows", output=decode(sees=lambda t: n))
    keep("cache", "cache.position_ahead", output=decode(position=lambda t: t + 1))
    newest = lambda t, V: np.where(np.arange(n)[:, None] == t, V, 0)
    keep("cache", "cache.values_not_kept", output=decode(kept_values=newest))
    keep("cache", "cache.future_kept", output=decode(all_at_once=True))


def choice():
    """Three targets of different lengths; then a token of seven, drawn by temperature, top-k and top-p."""
    target_log_probs, lengths = np.log(r.rand(5, 3)), np.array([2.0, 5.0, 3.0])
    logits, u = 0.5 * r.randn(1, 7), np.array([[0.9]])
    inputs("decode", target_log_probs=target_log_probs, lengths=lengths, logits=logits, u=u)
    ended = [target_log_probs[:int(length), i] for i, length in enumerate(lengths)]
    sums, penalty = np.array([target.sum() for target in ended]), ((5 + lengths) / 6) ** 0.6

    def keep_scores(mistake, score):
        keep("decode", mistake, score=score[None], chosen=(np.arange(3) == score.argmax())[None].astype(float))

    keep_scores("beam.no_length_penalty", sums)
    keep_scores("beam.penalty_multiplied", sums * penalty)
    keep_scores("beam.after_end", target_log_probs.sum(0) / penalty)
    keep_scores("beam.probs_summed", np.array([np.exp(target).sum() for target in ended]) / penalty)

    def sample(z=logits[0] / 0.5, order=lambda p: np.argsort(-p, kind="stable")[:5], whole=True, strict=False,
               sort=True, draw=True):
        p = softmax(z)
        probs_k = np.zeros(7)
        probs_k[order(p)] = p[order(p)]
        probs_k /= probs_k.sum() if whole else 1
        places = np.argsort(-probs_k, kind="stable") if sort else np.arange(7)
        reached = np.cumsum(probs_k[places])
        kept = places[reached <= 0.9] if strict else places[reached - probs_k[places] < 0.9]
        probs_p = np.zeros(7)
        probs_p[kept] = probs_k[kept]
        probs_p /= probs_p.sum() if whole else 1
        line = np.argsort(-probs_p, kind="stable")
        token = line[min(np.searchsorted(np.cumsum(probs_p[line]), u[0, 0], side="right"), (probs_p > 0).sum() - 1)]
        taken = np.eye(7)[token if draw else probs_p.argmax()]
        return dict(probs_k=probs_k[None], probs_p=probs_p[None], taken=taken[None])

    keep("decode", "decode.temperature_multiplied", **sample(logits[0] * 0.5))
    keep("decode", "decode.temperature_on_probs", **sample(softmax(logits[0]) / 0.5))
    keep("decode", "decode.top_k_smallest", **sample(order=lambda p: np.argsort(p, kind="stable")[:5]))
    keep("decode", "decode.not_renormalised", **sample(whole=False))
    keep("decode", "decode.top_p_one_too_few", **sample(strict=True))
    keep("decode", "decode.top_p_unsorted", **sample(sort=False))
    keep("decode", "decode.draw_ignored", **sample(draw=False))


def params():
    """Parameters and multiply-adds counted with something left out, or twice."""
    d, f, h, N, V, n = inputs("params", d_model=6, d_ff=10, h=3, N=2, vocab=7, n=5)

    def attention(d_v=d, W_O=d * d, bias=1):
        return 3 * (d * d_v + bias * d) + W_O + bias * d * (W_O > 0)

    def feed_forward(bias=1):
        return 2 * d * f + bias * (f + d)

    def total(self=attention(), cross=attention(), hidden=feed_forward(), bias=1, layers=N):
        outside = 2 * 2 * d + 2 * V * d + d * V + bias * V
        return layers * (self + hidden + 2 * 2 * d) + layers * (self + cross + hidden + 3 * 2 * d) + outside

    def macs(mixing=2 * n * d, outside=d * V, norm=0):
        return 2 * N * (4 * d * d + 2 * d * f + mixing) + N * (4 * d * d + mixing) + 5 * N * norm + outside

    right = total()
    bare, per_head = attention(bias=0), 3 * (d * d * h + d) + d * d + d
    no_W_O = 3 * (d * d + d)
    keep("params", "count.no_bias", total=total(bare, bare, feed_forward(0), bias=0))
    keep("params", "count.no_output_matrix", total=total(no_W_O, no_W_O))
    keep("params", "count.per_head", total=total(per_head, per_head))
    keep("params", "count.one_attention", total=total(cross=0))
    keep("params", "count.one_layer", total=total(layers=1))
    keep("params", "count.table_multiplies", macs=macs(outside=3 * d * V + 2 * 2 * d, norm=2 * d))
    keep("params", "count.weights_alone", macs=macs(mixing=0), flops=2 * macs(mixing=0))
    keep("params", "count.whole_square", macs=macs(mixing=2 * n * n * d))
    keep("params", "count.mac_is_flop", macs=macs(), flops=macs())
    keep("params", "count.no_moments", total=right, training_bytes=(1 + 1) * 4 * right)


def bpe():
    """Pieces with a run of one symbol, pairs that are equally frequent, and a word that merges cut in two ways."""
    texts = {"bc": 9, "ab": 8, "abc": 1, "cccd": 3, "da": 7, "ad": 7}
    base, width, made = 4, 4, 5

    def row(symbols):
        return list(symbols) + [-1] * (width - len(symbols))

    inputs("bpe", symbols=[[ord(c) for c in "abcd"]], pieces=[row(["abcd".index(c) for c in t]) for t in texts],
           counts=[[count] for count in texts.values()], word=[row([0, 1, 2]), row([2, 2, 2])])

    def merged(ids, pair, new, from_right=False):
        if from_right:  # the same from left to right of everything turned round
            return merged(ids[::-1], pair[::-1], new)[::-1]
        out = []
        while ids:
            both = tuple(ids[:2]) == tuple(pair)
            out, ids = out + ([new] if both else ids[:1]), ids[2 if both else 1:]
        return out

    def learn(count=lambda count: count, across=False, last=False, from_right=False):
        rows, merges, pairs = [["abcd".index(c) for c in text] for text in texts], [], None
        for k in range(made):
            found = {}
            weighted = [(symbol, count(c)) for ids, c in zip(rows, texts.values()) for symbol in ids]
            inside = [pair for ids, c in zip(rows, texts.values()) for pair in zip(ids, ids[1:], [count(c)] * len(ids))]
            flat = [(a, b, c) for (a, c), (b, _) in zip(weighted, weighted[1:])]
            for a, b, c in flat if across else inside:
                found[a, b] = found.get((a, b), 0) + c
            most = [pair for pair in found if found[pair] == max(found.values())]
            pair = max(most) if last else min(most)
            rows = [merged(ids, pair, base + k, from_right) for ids in rows]
            merges.append(pair)
        return merges, rows

    def encode(word, merges, from_right=False):
        for k, pair in enumerate(merges):
            word = merged(word, pair, base + k, from_right)
        return word

    words = [[0, 1, 2], [2, 2, 2]]
    for mistake, wrong in {"bpe.across_words": dict(across=True), "bpe.types": dict(count=lambda count: 1),
                           "bpe.ties": dict(last=True), "bpe.overlap": dict(from_right=True)}.items():
        merges, _ = learn(**wrong)
        turned = wrong.get("from_right", False)
        keep("bpe", mistake, merges=merges, tokens=[row(encode(word, merges, turned)) for word in words])

    merges, _ = learn()
    made_of = [[k] for k in range(base)]
    for a, b in merges:
        made_of.append(made_of[a] + made_of[b])

    def longest(word):
        tokens = []
        while word:
            best = max((k for k, token in enumerate(made_of) if word[:len(token)] == token),
                       key=lambda k: len(made_of[k]))
            tokens, word = tokens + [best], word[len(made_of[best]):]
        return tokens

    def recount(word):
        while True:
            found = [pair for pair in zip(word, word[1:]) if pair in merges]
            if not found:
                return word
            pair = max(found, key=found.count)  # of equal ones the leftmost
            word = merged(word, pair, base + merges.index(pair))

    for mistake, cut in {"bpe.longest_match": longest, "bpe.recount": recount}.items():
        assert [cut(word) for word in words] != [encode(word, merges) for word in words], mistake
        keep("bpe", mistake, merges=merges, tokens=[row(cut(word)) for word in words])


def rope():
    """Five tokens, queries of width 6: three pairs, neighbours. "slower" is the same with a base of 500,000."""
    n, d, w = 5, 4, 6
    X, W_Q, W_K = r.randn(n, d), r.randn(d, w), r.randn(d, w)
    Q, K, places = X @ W_Q, X @ W_K, np.arange(n)

    def angles(base=10000.0, exponent=lambda i: 2 * i / w):
        return places[:, None] / base ** exponent(np.arange(w // 2))

    def turned(x, angles, sign=1):
        z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * sign * angles)
        return np.stack((z.real, z.imag), axis=-1).reshape(n, w)

    def rotate_half(x, angles):
        a, b = np.split(x, 2, axis=1)
        return np.concatenate((a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)), axis=1)

    def laid_out_as_halves(x, angles):
        full = np.concatenate((angles, angles), axis=1)
        beside = np.stack((-x[:, 1::2], x[:, 0::2]), axis=-1).reshape(n, w)
        return x * np.cos(full) + beside * np.sin(full)

    def no_minus(x, angles):
        full, beside = np.repeat(angles, 2, axis=1), np.stack((x[:, 1::2], x[:, 0::2]), axis=-1).reshape(n, w)
        return x * np.cos(full) + beside * np.sin(full)

    def both(turn, *given, **more):
        return turn(Q, *given, **more) @ turn(K, *given, **more).T

    right = angles()
    inputs("rope", X=X, W_Q=W_Q, W_K=W_K, positions=places)
    for mistake, scores in {
        "rope.halves": both(rotate_half, right),
        "rope.mixed": both(laid_out_as_halves, right),
        "rope.key_not_turned": turned(Q, right) @ K.T,
        "rope.query_from_zero": Q @ turned(K, right).T,
        "rope.backwards": both(turned, right, sign=-1),
        "rope.opposite": turned(Q, right) @ turned(K, right, sign=-1).T,
        "rope.sign_lost": both(no_minus, right),
        "rope.exponent": both(turned, angles(exponent=lambda i: i / w)),
    }.items():
        keep("rope", mistake, scores=scores)
    inputs("slower", X=X, W_Q=W_Q, W_K=W_K, positions=places)
    keep("slower", "rope.base", scores=both(turned, right))


def modern():
    """Llama's block: six tokens, four heads of two columns, two of keys. "windowed" sees two tokens."""
    n, d, h, kv, d_ff = 6, 8, 4, 2, 5
    w, group = d // h, h // kv
    given = dict(X=r.randn(n, d), W_Q=r.randn(d, d), W_K=r.randn(d, kv * w), W_V=r.randn(d, kv * w),
                 W_O=r.randn(d, d), W_1=r.randn(d, d_ff), W_3=r.randn(d, d_ff), W_2=r.randn(d_ff, d),
                 gain_1=1 + r.randn(d) / 4, gain_2=1 + r.randn(d) / 4)
    p = {name: torch.tensor(value) for name, value in given.items()}

    def rms(x, gain):
        return x / (x ** 2).mean(-1, keepdim=True).add(1e-5).sqrt() * gain

    def turn(x):
        angles = torch.outer(torch.arange(n).double(), 10000 ** (-torch.arange(0, w, 2).double() / w))
        a, b = x.chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), -1)

    def repeated(t):
        return t.repeat_interleave(group, 0)

    def silu(x):
        return x * torch.sigmoid(x)

    def block(norm=rms, repeat=repeated, values=lambda v: v, gate=lambda a, b: silu(a) * b, window=n, from_norm=False):
        X = p["X"]
        normed = norm(X, p["gain_1"])
        split = lambda M, count: (normed @ p[f"W_{M}"]).reshape(n, count, w).transpose(0, 1)
        Q, K, V = turn(split("Q", h)), repeat(turn(split("K", kv))), repeat(values(split("V", kv)))
        back = torch.arange(n)[:, None] - torch.arange(n)
        scores = (Q @ K.transpose(1, 2) / w ** 0.5).masked_fill((back < 0) | (back >= window), -torch.inf)
        attended = (scores.softmax(-1) @ V).transpose(0, 1).reshape(n, d) @ p["W_O"]
        between = (normed if from_norm else X) + attended
        normed = norm(between, p["gain_2"])
        fed = gate(normed @ p["W_1"], normed @ p["W_3"]) @ p["W_2"]
        return ((normed if from_norm else between) + fed).numpy()

    inputs("modern", positions=np.arange(n), **given)
    for mistake, output in {
        "modern.mean_taken_off": block(norm=lambda x, g: x / x.var(-1, unbiased=False, keepdim=True).add(1e-5).sqrt() * g),
        "modern.no_root": block(norm=lambda x, g: x / (x ** 2).mean(-1, keepdim=True).add(1e-5) * g),
        "modern.sum_for_mean": block(norm=lambda x, g: x / (x ** 2).sum(-1, keepdim=True).add(1e-5).sqrt() * g),
        "modern.no_gate": block(gate=lambda a, b: silu(a)),
        "modern.gate_added": block(gate=lambda a, b: silu(a) + b),
        "modern.other_branch": block(gate=lambda a, b: a * silu(b)),
        "modern.sigmoid": block(gate=lambda a, b: torch.sigmoid(a) * b),
        "modern.groups_tiled": block(repeat=lambda t: t.repeat(group, 1, 1)),
        "modern.values_turned": block(values=turn),
        "modern.residual_normed": block(from_norm=True),
    }.items():
        keep("modern", mistake, output=output)
    inputs("windowed", positions=np.arange(n), **given)
    keep("windowed", "modern.window_wider", output=block(window=3))


for part in (embed, block, standard_block, training_block, prediction_block, loss, square, cache, choice, params,
             bpe, rope, modern):
    part()
np.savez_compressed(FILE, **arrays)
print(f"{FILE}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")
