#!/usr/bin/python3
"""make_inputs.py DIR [CONFIG...]: the weights and ids that every side uses, and what has to come out.

DIR/CONFIG.npz            attention: te, pe, wq, wk, wv, wo (y = x @ w), ids;
                          model: the names of The Annotated Transformer's state_dict (docs/model.md), src, tgt
DIR/CONFIG.reference.npy  the output in double precision by reference.py; of C the loss without dropout, of D the tokens
"""
import os
import sys

import numpy as np

from configurations import CONFIGURATIONS, D_FF, D_MODEL, START, Attention
from reference import reference


def attention_inputs(work, random):
    def normal(*shape, scale=1.0):
        return random.standard_normal(shape, dtype=np.float32) * np.float32(scale)

    width, xavier = work.width, np.sqrt(2 / (2 * work.width))
    weights = {name: normal(width, width, scale=xavier) for name in ("wq", "wk", "wv", "wo")}
    return {"te": normal(work.vocabulary, width), "pe": normal(work.tokens, width), **weights,
            "ids": random.integers(0, work.vocabulary, (work.batch, work.tokens))}


def parameters(work, random):
    """As make_model starts: Xavier's uniform weights; biases as nn.Linear draws them."""
    found = {}

    def uniform(name, limit, *shape):
        found[name] = random.uniform(-limit, limit, shape).astype(np.float32)

    def linear(name, n_in, n_out):
        uniform(name + ".weight", np.sqrt(6 / (n_in + n_out)), n_out, n_in)
        uniform(name + ".bias", 1 / np.sqrt(n_in), n_out)

    def norm(name):
        found[name + ".a_2"] = np.ones(D_MODEL, np.float32)
        found[name + ".b_2"] = np.zeros(D_MODEL, np.float32)

    for side in ("src", "tgt"):
        uniform(f"{side}_embed.0.lut.weight", np.sqrt(6 / (work.vocabulary + D_MODEL)), work.vocabulary, D_MODEL)
    for tower, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "src_attn"])):
        for i in range(work.layers):
            layer = f"{tower}.layers.{i}"
            for attention in attentions:
                for j in range(4):
                    linear(f"{layer}.{attention}.linears.{j}", D_MODEL, D_MODEL)
            linear(f"{layer}.feed_forward.w_1", D_MODEL, D_FF)
            linear(f"{layer}.feed_forward.w_2", D_FF, D_MODEL)
            for j in range(len(attentions) + 1):
                norm(f"{layer}.sublayer.{j}.norm")
        norm(f"{tower}.norm")
    linear("generator.proj", D_MODEL, work.vocabulary)
    return found


def model_inputs(work, random):
    found = parameters(work, random)
    src = random.integers(1, work.vocabulary, (work.batch, work.source))
    if work.kind == "step":  # the copy task: the target is the source; its last token is only a label
        src[:, 0] = START
        return {**found, "src": src, "tgt": src.copy()}
    if work.kind == "decode":
        return {**found, "src": src, "tgt": np.full((1, 1), START)}
    return {**found, "src": src, "tgt": random.integers(1, work.vocabulary, (work.batch, work.target))}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, names = sys.argv[1], sys.argv[2:] or list(CONFIGURATIONS)
    os.makedirs(folder, exist_ok=True)
    for name in names:
        work, random = CONFIGURATIONS[name], np.random.default_rng(42)
        is_attention = isinstance(work, Attention)
        inputs = attention_inputs(work, random) if is_attention else model_inputs(work, random)
        np.savez(os.path.join(folder, name + ".npz"), **inputs)
        np.save(os.path.join(folder, name + ".reference.npy"), reference(name, inputs))
        print(name, flush=True)


if __name__ == "__main__":
    main()
