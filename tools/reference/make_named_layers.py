"""Makes state_dicts under the names of two repositories, and what their encoder layers compute, in NumPy.

Run from the root of the repository:  /usr/bin/python3 tools/reference/make_named_layers.py
Into data/reference/state_dicts/, beside what make_state_dicts.py makes there by PyTorch:

  hyunwoongko.npz, hyunwoongko.output.npy   an EncoderLayer of github.com/hyunwoongko/transformer
  jadore.npz, jadore.output.npy             one of github.com/jadore801120/attention-is-all-you-need-pytorch
  hyunwoongko_model.npz, jadore_model.npz   whole models, of which only the names matter

Each forward pass is written after the text of its repository: the norm behind the residual, over d_model, ε inside the
root, 1e-12 and 1e-6.
"""

import math

import numpy as np

FOLDER = "data/reference/state_dicts"
D, HEADS, D_FF, VOCABULARY = 8, 2, 12, 11


def linear(x, p, name):
    return x @ p[f"{name}.weight"].T + p.get(f"{name}.bias", 0)


def layer_norm(x, gain, shift, eps):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * gain + shift


def attend(q, k, v):
    mixed = []
    for head in range(HEADS):
        columns = slice(head * D // HEADS, (head + 1) * D // HEADS)
        scores = q[:, columns] @ k[:, columns].T / math.sqrt(D // HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed.append(weights / weights.sum(-1, keepdims=True) @ v[:, columns])
    return np.hstack(mixed)


def hyunwoongko(x, p):
    mixed = attend(*(linear(x, p, f"attention.w_{letter}") for letter in "qkv"))
    x = layer_norm(linear(mixed, p, "attention.w_concat") + x, p["norm1.gamma"], p["norm1.beta"], 1e-12)
    fed = linear(np.maximum(linear(x, p, "ffn.linear1"), 0), p, "ffn.linear2")
    return layer_norm(fed + x, p["norm2.gamma"], p["norm2.beta"], 1e-12)


def jadore(x, p):
    mixed = attend(*(linear(x, p, f"slf_attn.w_{letter}s") for letter in "qkv"))
    norm = "slf_attn.layer_norm"
    x = layer_norm(linear(mixed, p, "slf_attn.fc") + x, p[f"{norm}.weight"], p[f"{norm}.bias"], 1e-6)
    fed = linear(np.maximum(linear(x, p, "pos_ffn.w_1"), 0), p, "pos_ffn.w_2")
    norm = "pos_ffn.layer_norm"
    return layer_norm(fed + x, p[f"{norm}.weight"], p[f"{norm}.bias"], 1e-6)


def of_linear(name, d_in, d_out, bias=True):
    return {f"{name}.weight": (d_out, d_in), **({f"{name}.bias": (d_out,)} if bias else {})}


def of_hyunwoongko(attentions, norms):
    shapes = {}
    for attention in attentions:
        for part in ["w_q", "w_k", "w_v", "w_concat"]:
            shapes.update(of_linear(f"{attention}.{part}", D, D))
    for i in range(1, norms + 1):
        shapes.update({f"norm{i}.gamma": (D,), f"norm{i}.beta": (D,)})
    return {**shapes, **of_linear("ffn.linear1", D, D_FF), **of_linear("ffn.linear2", D_FF, D)}


def of_jadore(attentions):
    shapes = {}
    for attention in attentions:
        for part in ["w_qs", "w_ks", "w_vs", "fc"]:
            shapes.update(of_linear(f"{attention}.{part}", D, D, bias=False))
        shapes.update({f"{attention}.layer_norm.weight": (D,), f"{attention}.layer_norm.bias": (D,)})
    shapes.update({**of_linear("pos_ffn.w_1", D, D_FF), **of_linear("pos_ffn.w_2", D_FF, D)})
    return {**shapes, "pos_ffn.layer_norm.weight": (D,), "pos_ffn.layer_norm.bias": (D,)}


def under(prefix, shapes):
    return {f"{prefix}.{name}": shape for name, shape in shapes.items()}


def save(name, shapes, forward=None):
    random = np.random.RandomState(len(name))
    state = {key: (random.randn(*shape) / 2).astype(np.float32) for key, shape in shapes.items()}
    np.savez(f"{FOLDER}/{name}.npz", **state)
    if forward:
        x = np.load(f"{FOLDER}/x.npy").astype(np.float64)
        np.save(f"{FOLDER}/{name}.output.npy", forward(x, {key: np.float64(value) for key, value in state.items()}))


save("hyunwoongko", of_hyunwoongko(["attention"], 2), hyunwoongko)
save("jadore", of_jadore(["slf_attn"]), jadore)
save("hyunwoongko_model", {
    "encoder.emb.tok_emb.weight": (VOCABULARY, D), "decoder.emb.tok_emb.weight": (VOCABULARY, D),
    **under("encoder.layers.0", of_hyunwoongko(["attention"], 2)),
    **under("decoder.layers.0", of_hyunwoongko(["self_attention", "enc_dec_attention"], 3)),
    **of_linear("decoder.linear", D, VOCABULARY)})
save("jadore_model", {
    "encoder.src_word_emb.weight": (VOCABULARY, D), "encoder.position_enc.pos_table": (1, 20, D),
    **under("encoder.layer_stack.0", of_jadore(["slf_attn"])),
    "encoder.layer_norm.weight": (D,), "encoder.layer_norm.bias": (D,),
    "decoder.trg_word_emb.weight": (VOCABULARY, D), "decoder.position_enc.pos_table": (1, 20, D),
    **under("decoder.layer_stack.0", of_jadore(["slf_attn", "enc_attn"])),
    "decoder.layer_norm.weight": (D,), "decoder.layer_norm.bias": (D,), "trg_word_prj.weight": (VOCABULARY, D)})
