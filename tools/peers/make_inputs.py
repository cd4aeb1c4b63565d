#!/usr/bin/python3
"""make_inputs.py DIR [CONFIG...]: the weights and ids that every side uses, and what has to come out.

DIR/CONFIG.npz            attention: te, pe, wq, wk, wv, wo (y = x @ w), ids;
                          model: the names of The Annotated Transformer's state_dict (docs/model.md), src, tgt
                          a decoder alone: the names that tfx gives its parameters, tgt (of G the prompt)
DIR/CONFIG.reference.npy  the output in double precision by reference.py; of C, F and H the loss without dropout, of D
                          and G the tokens
"""
import os
import sys

import numpy as np

from configurations import CONFIGURATIONS, D_FF, D_MODEL, START, Attention, Gpt
from reference import reference


def attention_inputs(work, random):
    def normal(*shape, scale=1.0):
        return random.standard_normal(shape, dtype=np.float32) * np.float32(scale)

    width, xavier = work.width, np.sqrt(2 / (2 * work.width))
    weights = {name: normal(width, width, scale=xavier) for name in ("wq", "wk", "wv", "wo")}
    return {"te": normal(work.vocabulary, width), "pe": normal(work.tokens, width), **weights,
            "ids": random.integers(0, work.vocabulary, (work.batch, work.tokens))}


class Drawn(dict):
    """Parameters as make_model starts: Xavier's uniform weights; biases as nn.Linear draws them."""

    def __init__(self, random, width=D_MODEL, hidden=D_FF):
        super().__init__()
        self.random, self.width, self.hidden = random, width, hidden

    def uniform(self, name, limit, *shape):
        self[name] = self.random.uniform(-limit, limit, shape).astype(np.float32)

    def linear(self, name, n_in, n_out):
        self.uniform(name + ".weight", np.sqrt(6 / (n_in + n_out)), n_out, n_in)
        self.uniform(name + ".bias", 1 / np.sqrt(n_in), n_out)

    def norm(self, name):
        self[name + ".a_2"] = np.ones(self.width, np.float32)
        self[name + ".b_2"] = np.zeros(self.width, np.float32)

    def tower(self, tower, layers, attentions):
        for i in range(layers):
            layer = f"{tower}.layers.{i}"
            for attention in attentions:
                for j in range(4):
                    self.linear(f"{layer}.{attention}.linears.{j}", self.width, self.width)
            self.linear(f"{layer}.feed_forward.w_1", self.width, self.hidden)
            self.linear(f"{layer}.feed_forward.w_2", self.hidden, self.width)
            for j in range(len(attentions) + 1):
                self.norm(f"{layer}.sublayer.{j}.norm")
        self.norm(f"{tower}.norm")


def parameters(work, random):
    found = Drawn(random)
    for side in ("src", "tgt"):
        limit = np.sqrt(6 / (work.vocabulary + D_MODEL))
        found.uniform(f"{side}_embed.0.lut.weight", limit, work.vocabulary, D_MODEL)
    for tower, attentions in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "src_attn"])):
        found.tower(tower, work.layers, attentions)
    found.linear("generator.proj", D_MODEL, work.vocabulary)
    return found


def gpt_inputs(work, random):
    found = Drawn(random, work.width, work.hidden)
    for name, rows in (("0.lut", work.vocabulary), ("1", work.context)):
        found.uniform(f"tgt_embed.{name}.weight", 0.035, rows, work.width)  # as wide as GPT-2's normal of 0.02
    found.tower("decoder", work.layers, ["self_attn"])
    if not work.tied:
        found.linear("generator.proj", work.width, work.vocabulary)
    tokens = work.tokens + (work.kind == "step")
    return {**found, "tgt": random.integers(1, work.vocabulary, (work.batch, tokens))}


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
        makers = {Attention: attention_inputs, Gpt: gpt_inputs}
        inputs = makers.get(type(work), model_inputs)(work, random)
        np.savez(os.path.join(folder, name + ".npz"), **inputs)
        np.save(os.path.join(folder, name + ".reference.npy"), reference(name, inputs))
        print(name, flush=True)


if __name__ == "__main__":
    main()
