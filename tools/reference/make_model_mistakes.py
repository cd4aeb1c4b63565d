"""Makes data/reference/model_mistakes.npz: what NumPy gives where a learner wires the encoder-decoder wrongly.

Run from the root of the repository:  python3 tools/reference/make_model_mistakes.py
Needs NumPy (the committed file was made by NumPy 1.24 on x86-64 Linux).

The model is written out here, each mistake as a learner writes it. Names in the file: RUN.in.TENSOR for ids and
parameters, under the names of The Annotated Transformer's state_dict; RUN.MISTAKE.TENSOR for what comes out.
"""

from pathlib import Path

import numpy as np

FILE = Path("data/reference/model_mistakes.npz")
D, D_FF, HEADS, VOCAB, LAYERS = 6, 5, 2, 8, 2
MISTAKES = ["kv_from_decoder", "memory_exchanged", "memory_of_layer", "memory_before_norm", "no_causal_mask",
            "source_mask_for_target", "no_source_mask", "causal_encoder", "generator_before_norm", "tied_to_source",
            "no_scale", "no_target_positions", "shared_layers", "no_residual"]


def draw(r):
    p = {}

    def linear(name, out, into):
        p[name + ".weight"], p[name + ".bias"] = r.randn(out, into) / np.sqrt(into), 0.3 * r.randn(out)

    def norm(name):
        p[name + ".a_2"], p[name + ".b_2"] = 1 + 0.3 * r.randn(D), 0.3 * r.randn(D)

    for side, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "src_attn"])):
        for i in range(LAYERS):
            layer = f"{side}.layers.{i}"
            for attention in attentions:
                for part in range(4):
                    linear(f"{layer}.{attention}.linears.{part}", D, D)
            linear(f"{layer}.feed_forward.w_1", D_FF, D), linear(f"{layer}.feed_forward.w_2", D, D_FF)
            for part in range(len(attentions) + 1):
                norm(f"{layer}.sublayer.{part}.norm")
        norm(f"{side}.norm")
    for side in ("src_embed", "tgt_embed"):
        p[f"{side}.0.lut.weight"] = r.randn(VOCAB, D) / np.sqrt(D)
    linear("generator.proj", VOCAB, D)
    return p


def model(p, src, tgt, norm_first, wrong=None):
    def linear(name, x):
        if wrong == "shared_layers" and ".layers." in name:  # [layer] * N
            head, tail = name.split(".layers.")
            name = head + ".layers.0." + tail.split(".", 1)[1]
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    def norm(name, x):
        return p[name + ".a_2"] * (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True, ddof=1) + 1e-6) \
            + p[name + ".b_2"]

    def embed(side, ids):
        x = p[f"{side}_embed.0.lut.weight"][ids] * (1 if wrong == "no_scale" else np.sqrt(D))
        angles = np.arange(len(ids))[:, None] / 10000 ** (2 * (np.arange(D) // 2) / D)
        pe = np.where(np.arange(D) % 2 == 0, np.sin(angles), np.cos(angles))
        return x if wrong == "no_target_positions" and side == "tgt" else x + pe

    def attention(name, x, memory, mask, queries=None):
        split = lambda y: y.reshape(len(y), HEADS, -1).transpose(1, 0, 2)
        Q, K, V = (split(linear(f"{name}.linears.{i}", y))
                   for i, y in enumerate((x if queries is None else queries, memory, memory)))
        scores = np.where(mask, Q @ K.transpose(0, 2, 1) / np.sqrt(D // HEADS), -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return linear(f"{name}.linears.3", (weights @ V).transpose(1, 0, 2).reshape(len(Q[0]), D))

    def sublayer(name, x, f):
        keep = 0 if wrong == "no_residual" else x
        return keep + f(norm(name + ".norm", x)) if norm_first else norm(name + ".norm", keep + f(x))

    def feed_forward(name):
        return lambda x: linear(name + ".w_2", np.maximum(linear(name + ".w_1", x), 0))

    n, m = len(src), len(tgt)
    src_mask, causal = np.broadcast_to(src != 0, (n, n)), np.tril(np.ones((m, m))) > 0
    tgt_mask = causal & (tgt != 0)
    if wrong == "no_causal_mask":
        tgt_mask = np.broadcast_to(tgt != 0, (m, m))
    if wrong == "source_mask_for_target":
        tgt_mask = src_mask
    if wrong == "causal_encoder":
        src_mask = src_mask & np.tril(np.ones((n, n))).astype(bool)
    cross_mask = np.broadcast_to((src != 0) | (wrong == "no_source_mask"), (m, n))
    x, outputs = embed("src", src), []
    for i in range(LAYERS):
        layer = f"encoder.layers.{i}"
        x = sublayer(layer + ".sublayer.0", x, lambda y: attention(layer + ".self_attn", y, y, src_mask))
        x = sublayer(layer + ".sublayer.1", x, feed_forward(layer + ".feed_forward"))
        outputs.append(x)
    memory = x if wrong == "memory_before_norm" else norm("encoder.norm", x)
    x = embed("tgt", tgt)
    for i in range(LAYERS):
        layer = f"decoder.layers.{i}"

        def cross(y):
            seen = {"kv_from_decoder": y, "memory_exchanged": y, "memory_of_layer": outputs[i]}.get(wrong, memory)
            asks = memory if wrong == "memory_exchanged" else None
            return attention(layer + ".src_attn", y, seen, cross_mask, asks)

        x = sublayer(layer + ".sublayer.0", x, lambda y: attention(layer + ".self_attn", y, y, tgt_mask))
        x = sublayer(layer + ".sublayer.1", x, cross)
        x = sublayer(layer + ".sublayer.2", x, feed_forward(layer + ".feed_forward"))
    if wrong != "generator_before_norm":
        x = norm("decoder.norm", x)
    W = p["src_embed.0.lut.weight"] if wrong == "tied_to_source" else p["generator.proj.weight"]
    logits = x @ W.T + p["generator.proj.bias"]
    top = logits.max(-1, keepdims=True)
    return dict(memory=memory, log_probs=logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True)))


def main():
    r, arrays = np.random.RandomState(42), {}
    for run, norm_first in (("first", True), ("last", False)):
        p = draw(r)
        src, tgt = np.array([1, 2, 3, 4, 0, 0]), np.array([7, 5, 6, 2, 1, 0])
        arrays |= {f"{run}.in.{name}": np.asarray(value, dtype=np.float64)
                   for name, value in (p | dict(src=src, tgt=tgt)).items()}
        right = model(p, src, tgt, norm_first)
        for mistake in MISTAKES:
            wrong = model(p, src, tgt, norm_first, mistake)
            assert not np.allclose(wrong["log_probs"], right["log_probs"]), mistake
            arrays |= {f"{run}.model.{mistake}.{name}": value for name, value in wrong.items()}
    np.savez_compressed(FILE, **arrays)
    print(f"{FILE}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
