#!/usr/bin/python3
"""NumPy as a side of the comparison. Attention: published, as the tutorial writes it (einsum, where, whole softmax);
best, one product for Q, K and V, np.matmul over the heads, softmax in place; tiled, as best but 256 queries of a head
at a time and only the keys they may see. The model: best; decoding: cached, with keys and values of earlier steps."""
import numpy as np

from configurations import CONFIGURATIONS, D_MODEL, HEADS, START, Attention, load
from worker import serve

F = np.float32


def softmax_in_place(x):
    x -= x.max(-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(-1, keepdims=True)
    return x


def causal_mask(n):
    return np.triu(np.full((n, n), -1e9, F), k=1)


def published_attention(work, w):
    b, n, width, h = work.batch, work.tokens, work.width, work.heads

    def split(x):
        return x.reshape(b, -1, h, width // h).transpose(0, 2, 1, 3)

    def run():
        x = w["te"][w["ids"]] + w["pe"]
        q, k, v = (split(x @ w[name]) for name in ("wq", "wk", "wv"))
        scores = np.einsum("bhnd,bhmd->bhnm", q, k) / np.sqrt(width // h)
        scores = np.where(np.triu(np.ones((n, n), dtype=bool), k=1), -1e9, scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = weights / weights.sum(-1, keepdims=True)
        context = np.einsum("bhnm,bhmd->bhnd", weights, v).transpose(0, 2, 1, 3)
        return context.reshape(b, n, width) @ w["wo"]

    return run


def fast_attention(work, w, tile):
    """tile: queries at a time, or None for all queries of all heads at once."""
    b, n, width, h = work.batch, work.tokens, work.width, work.heads
    d = width // h
    together = np.concatenate([w["wq"] * F(1 / np.sqrt(d)), w["wk"], w["wv"]], axis=1)
    mask, ids = causal_mask(tile or n), w["ids"].reshape(-1)

    def whole(qkv, context):
        q, k, v = (qkv[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        scores = q @ k.transpose(0, 1, 3, 2)
        scores += mask
        context.transpose(0, 2, 1, 3)[:] = softmax_in_place(scores) @ v

    def tiled(qkv, context):
        for i, j in np.ndindex(b, h):
            q, k, v = (qkv[i, :, part, j] for part in range(3))
            for begin in range(0, n, tile):
                end = min(begin + tile, n)
                scores = q[begin:end] @ k[:end].T
                scores[:, begin:end] += mask[: end - begin, : end - begin]
                context[i, begin:end, j] = softmax_in_place(scores) @ v[:end]

    def run():
        x = w["te"][ids]
        x.reshape(b, n, width)[:] += w["pe"]
        context = np.empty((b, n, h, d), F)
        (tiled if tile else whole)((x @ together).reshape(b, n, 3, h, d), context)
        return (context.reshape(b * n, width) @ w["wo"]).reshape(b, n, width)

    return run


class FastModel:
    """All sequences in one matrix, a token a row; the projections of one input as one product."""

    def __init__(self, parameters, layers, tokens):
        self.p, self.layers = parameters, range(layers)
        self.joint = {}
        position = np.arange(tokens)[:, None]
        rate = np.exp(np.arange(0, D_MODEL, 2) * -(np.log(10000.0) / D_MODEL))
        self.positions = np.empty((tokens, D_MODEL), F)
        self.positions[:, 0::2], self.positions[:, 1::2] = np.sin(position * rate), np.cos(position * rate)

    def linear(self, x, *names):
        """The layers of these names side by side: weights transposed and joined once."""
        if names not in self.joint:
            weight = np.concatenate([self.p[name + ".weight"] for name in names]).T
            self.joint[names] = np.ascontiguousarray(weight), np.concatenate([self.p[name + ".bias"] for name in names])
        weight, bias = self.joint[names]
        y = x @ weight
        y += bias
        return y

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= (np.sqrt(np.einsum("ij,ij->i", x, x) / F(D_MODEL - 1)) + F(1e-6))[:, None]
        x *= self.p[name + ".a_2"]
        x += self.p[name + ".b_2"]
        return x

    def projections(self, x, attention, which, batch):
        """(projection, batch, head, token, cell)"""
        y = self.linear(x, *(f"{attention}.linears.{i}" for i in which))
        return y.reshape(batch, -1, len(which), HEADS, D_MODEL // HEADS).transpose(2, 0, 3, 1, 4)

    def attend(self, q, k, v, attention, mask=None):
        scores = q @ k.transpose(0, 1, 3, 2)
        scores *= F(1 / np.sqrt(D_MODEL // HEADS))
        if mask is not None:
            scores += mask
        context = np.empty((q.shape[0], q.shape[2], HEADS, D_MODEL // HEADS), F)
        context.transpose(0, 2, 1, 3)[:] = softmax_in_place(scores) @ v
        return self.linear(context.reshape(-1, D_MODEL), attention + ".linears.3")

    def feed_forward(self, x, layer):
        hidden = self.linear(x, layer + ".feed_forward.w_1")
        np.maximum(hidden, 0, out=hidden)
        return self.linear(hidden, layer + ".feed_forward.w_2")

    def embed(self, side, ids, first=0):
        x = self.p[f"{side}_embed.0.lut.weight"][ids.reshape(-1)] * F(np.sqrt(D_MODEL))
        x.reshape(*ids.shape, D_MODEL)[:] += self.positions[first : first + ids.shape[1]]
        return x

    def encode(self, src):
        x = self.embed("src", src)
        for layer in (f"encoder.layers.{i}" for i in self.layers):
            y = self.norm(x, layer + ".sublayer.0.norm")
            q, k, v = self.projections(y, layer + ".self_attn", (0, 1, 2), len(src))
            x += self.attend(q, k, v, layer + ".self_attn")
            x += self.feed_forward(self.norm(x, layer + ".sublayer.1.norm"), layer)
        return self.norm(x, "encoder.norm")

    def memory_projections(self, memory, batch):
        return [self.projections(memory, f"decoder.layers.{i}.src_attn", (1, 2), batch) for i in self.layers]

    def decoder(self, x, keep, cross, batch, mask=None):
        """keep(i, k, v): the keys and values that layer i attends to."""
        for i, (cross_k, cross_v) in enumerate(cross):
            layer = f"decoder.layers.{i}"
            y = self.norm(x, layer + ".sublayer.0.norm")
            q, k, v = self.projections(y, layer + ".self_attn", (0, 1, 2), batch)
            x += self.attend(q, *keep(i, k, v), layer + ".self_attn", mask)
            (q,) = self.projections(self.norm(x, layer + ".sublayer.1.norm"), layer + ".src_attn", (0,), batch)
            x += self.attend(q, cross_k, cross_v, layer + ".src_attn")
            x += self.feed_forward(self.norm(x, layer + ".sublayer.2.norm"), layer)
        return self.linear(self.norm(x, "decoder.norm"), "generator.proj")

    def forward(self, src, tgt):
        batch, tokens = tgt.shape
        cross = self.memory_projections(self.encode(src), batch)
        y = self.decoder(self.embed("tgt", tgt), lambda i, k, v: (k, v), cross, batch, causal_mask(tokens))
        y -= y.max(-1, keepdims=True)
        y -= np.log(np.exp(y).sum(-1, keepdims=True))
        return y.reshape(batch, tokens, -1)

    def greedy(self, src, tokens):
        cross, written = self.memory_projections(self.encode(src), 1), [START]
        keys = np.empty((len(self.layers), 1, HEADS, tokens, D_MODEL // HEADS), F)
        values = np.empty_like(keys)
        for t in range(tokens):
            def keep(i, k, v):
                keys[i, :, :, t], values[i, :, :, t] = k[:, :, 0], v[:, :, 0]
                return keys[i, :, :, : t + 1], values[i, :, :, : t + 1]

            x = self.embed("tgt", np.array([[written[-1]]]), first=t)
            written.append(int(self.decoder(x, keep, cross, 1).argmax()))
        return written[1:]


def make(variant, name, folder):
    work, inputs = CONFIGURATIONS[name], load(folder, name)
    if isinstance(work, Attention):
        if variant == "published":
            return published_attention(work, inputs)
        return fast_attention(work, inputs, {"best": None, "tiled": 256}[variant])
    model, src, tgt = FastModel(inputs, work.layers, 64), inputs["src"], inputs["tgt"]
    if (variant, work.kind) == ("best", "forward"):
        return lambda: model.forward(src, tgt)
    if (variant, work.kind) == ("cached", "decode"):
        return lambda: model.greedy(src, work.target)
    raise ValueError(f"no variant {variant} of {name}")


if __name__ == "__main__":
    serve(make)
