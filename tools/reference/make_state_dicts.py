"""Makes data/reference/state_dicts/: modules as other programs save them, and what they compute.

Run from the root of the repository:  /usr/bin/python3 tools/reference/make_state_dicts.py [FOLDER [--both]]
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux). With --both every
file is written as npz and as safetensors; else as the one of the two that its row names.

  x.npy, k.npy, v.npy, mask.npy   inputs: 5 tokens of 8 numbers; 6 keys of 5, 6 values of 3; who may be seen, as bool
  NAME.npz, NAME.safetensors      a state_dict, in float32 as PyTorch has it
  NAME.output.npy                 what the module computes on them (absent for whole models, which no lesson takes)
"""

import json
import math
import os
import struct
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "data/reference/state_dicts"
BOTH = "--both" in sys.argv
D, HEADS, D_FF, VOCAB = 8, 2, 12, 11
DTYPES = {"float32": "F32", "float64": "F64", "float16": "F16", "int64": "I64", "bool": "BOOL", "int8": "I8"}


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, value in arrays.items():
        bytes_ = np.ascontiguousarray(value).tobytes()
        header[name] = {"dtype": DTYPES[str(value.dtype)], "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def save(name, form, state, output=None):
    arrays = {key: value.detach().numpy() if torch.is_tensor(value) else value for key, value in state.items()}
    if BOTH or form == "npz":
        np.savez(f"{FOLDER}/{name}.npz", **arrays)
    if BOTH or form == "safetensors":
        write_safetensors(f"{FOLDER}/{name}.safetensors", arrays)
    if output is not None:
        np.save(f"{FOLDER}/{name}.output.npy", output.detach().numpy())


def draw(module):
    """Biases and norms differ from 0 and 1, as after a training."""
    for parameter in module.parameters():
        parameter.data.normal_(0, 0.5)
    return module.eval()


def attend(q, k, v, heads=HEADS, causal=False):
    split = lambda t: t.view(len(t), heads, -1).transpose(0, 1)
    scores = split(q) @ split(k).transpose(1, 2) / math.sqrt(q.shape[-1] // heads)
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -math.inf)
    return (scores.softmax(-1) @ split(v)).transpose(0, 1).reshape(len(q), -1)


class Projections(nn.Module):
    """Four nn.Linear under given names."""

    def __init__(self, names, biases=(True, True, True, True)):
        super().__init__()
        self.names = names
        for name, bias in zip(names, biases):
            setattr(self, name, nn.Linear(D, D, bias=bias))

    def forward(self, x, causal=False):
        q, k, v = (getattr(self, name)(x) for name in self.names[:3])
        mixed = attend(q, k, v, HEADS if len(self.names) == 4 else 1, causal)
        return getattr(self, self.names[3])(mixed) if len(self.names) == 4 else mixed


class Norm(nn.Module):
    def __init__(self, width=D):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))


def tree(shapes):
    """A state_dict of these shapes: whole models of other programs, by the names of their tensors."""
    return {name: torch.randn(*shape) * 0.5 for name, shape in shapes.items()}


def gpt2(layers=2):
    state = tree({"transformer.wte.weight": (VOCAB, D), "transformer.wpe.weight": (6, D)})
    for i in range(layers):
        h = f"transformer.h.{i}."
        state[h + "attn.bias"] = torch.ones(6, 6).tril().bool().view(1, 1, 6, 6)
        state.update(tree({h + "ln_1.weight": (D,), h + "ln_1.bias": (D,), h + "attn.c_attn.weight": (D, 3 * D),
                           h + "attn.c_attn.bias": (3 * D,), h + "attn.c_proj.weight": (D, D),
                           h + "attn.c_proj.bias": (D,), h + "ln_2.weight": (D,), h + "ln_2.bias": (D,),
                           h + "mlp.c_fc.weight": (D, 4 * D), h + "mlp.c_fc.bias": (4 * D,),
                           h + "mlp.c_proj.weight": (4 * D, D), h + "mlp.c_proj.bias": (D,)}))
    state.update(tree({"transformer.ln_f.weight": (D,), "transformer.ln_f.bias": (D,)}))
    state["lm_head.weight"] = state["transformer.wte.weight"]
    return state


def llama(layers=1):
    state = tree({"model.embed_tokens.weight": (VOCAB, D)})
    for i in range(layers):
        l = f"model.layers.{i}."
        state.update(tree({l + f"self_attn.{p}_proj.weight": (D if p in "qo" else D // 2, D) for p in "qkvo"}))
        state.update(tree({l + "mlp.gate_proj.weight": (D_FF, D), l + "mlp.up_proj.weight": (D_FF, D),
                           l + "mlp.down_proj.weight": (D, D_FF), l + "input_layernorm.weight": (D,),
                           l + "post_attention_layernorm.weight": (D,)}))
    state.update(tree({"model.norm.weight": (D,), "lm_head.weight": (VOCAB, D)}))
    return state


def bert():
    e, l = "bert.embeddings.", "bert.encoder.layer.0."
    shapes = {e + "word_embeddings.weight": (VOCAB, D), e + "position_embeddings.weight": (6, D),
              e + "token_type_embeddings.weight": (2, D), e + "LayerNorm.weight": (D,), e + "LayerNorm.bias": (D,)}
    for part, out, into in (("attention.self.query", D, D), ("attention.self.key", D, D), ("attention.self.value", D, D),
                            ("attention.output.dense", D, D), ("intermediate.dense", D_FF, D), ("output.dense", D, D_FF)):
        shapes.update({l + part + ".weight": (out, into), l + part + ".bias": (out,)})
    for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
        shapes.update({l + norm + ".weight": (D,), l + norm + ".bias": (D,)})
    return tree(shapes)


def t5():
    shapes = {"shared.weight": (VOCAB, D), "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": (4, HEADS)}
    for stack, inner in (("encoder", ("SelfAttention",)), ("decoder", ("SelfAttention", "EncDecAttention"))):
        for j, attention in enumerate(inner):
            shapes.update({f"{stack}.block.0.layer.{j}.{attention}.{p}.weight": (D, D) for p in "qkvo"})
    state = tree(shapes)
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"):
        state[name] = state["shared.weight"]
    return state


def modules(x, k, v):
    mha = draw(nn.MultiheadAttention(D, HEADS, batch_first=True))
    run = lambda module, *args: module(*(t[None] for t in args), need_weights=False)[0][0]
    save("mha", "npz", mha.state_dict(), run(mha, x, x, x))
    save("mha_parallel", "safetensors", {"module._orig_mod." + n: t for n, t in mha.state_dict().items()}, run(mha, x, x, x))
    plain = draw(nn.MultiheadAttention(D, HEADS, bias=False, batch_first=True))
    save("mha_no_bias", "npz", plain.state_dict(), run(plain, x, x, x))
    widths = draw(nn.MultiheadAttention(D, HEADS, kdim=5, vdim=3, batch_first=True))
    save("mha_kdim", "safetensors", widths.state_dict(), run(widths, x, k, v))
    extra = draw(nn.MultiheadAttention(D, HEADS, add_bias_kv=True, batch_first=True))
    save("mha_bias_kv", "npz", extra.state_dict(), run(extra, x, x, x))
    opt = draw(Projections(("q_proj", "k_proj", "v_proj", "out_proj")))
    save("opt", "safetensors", {"self_attn." + n: t for n, t in opt.state_dict().items()}, opt(x))
    scratch = draw(Projections(("W_query", "W_key", "W_value", "out_proj"), (False, False, False, True)))
    state = {**scratch.state_dict(), "mask": torch.ones(16, 16).triu(1)}
    save("scratch", "npz", state, scratch(x, causal=True))
    bert_self = draw(Projections(("query", "key", "value")))
    save("bert_self", "safetensors", bert_self.state_dict(), bert_self(x))
    happy = draw(Projections(("wq", "wk", "wv", "wo"), (False,) * 4))
    save("happy", "npz", {"attention." + n: t for n, t in happy.state_dict().items()}, happy(x))
    bare = {name: torch.randn(D, D) * 0.5 for name in ("W_query", "W_key", "W_value")}
    save("bare", "npz", bare, attend(*(x @ bare[name] for name in bare), heads=1))


def stacks(x):
    layer = nn.TransformerEncoderLayer(D, HEADS, D_FF, dropout=0.0, batch_first=True)
    one = draw(nn.TransformerEncoder(layer, 1)).train()  # no fused kernel
    save("encoder_of_one", "safetensors", one.state_dict(), one(x[None])[0])
    save("encoder", "npz", draw(nn.TransformerEncoder(layer, 2)).state_dict())
    decoder_layer = nn.TransformerDecoderLayer(D, HEADS, D_FF, batch_first=True)
    save("decoder", "npz", draw(nn.TransformerDecoder(decoder_layer, 2)).state_dict())


class Whole(nn.Module):
    """nn.Transformer with embeddings and a generator that shares the target's table."""

    def __init__(self, **options):
        super().__init__()
        self.transformer = nn.Transformer(D, HEADS, 2, 2, D_FF, dropout=0.0, batch_first=True, **options)
        self.src_embed, self.tgt_embed = nn.Embedding(VOCAB, D), nn.Embedding(VOCAB, D)
        self.generator = nn.Linear(D, VOCAB)
        self.generator.weight = self.tgt_embed.weight

    def forward(self, src, tgt):
        positions = torch.arange(32)[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
        pe = torch.stack((positions.sin(), positions.cos()), -1).reshape(32, D)
        embed = lambda table, ids: table(ids) * math.sqrt(D) + pe[:len(ids)]
        mask = torch.ones(len(tgt), len(tgt)).triu(1).bool()
        y = self.transformer(embed(self.src_embed, src)[None], embed(self.tgt_embed, tgt)[None], tgt_mask=mask)
        return self.generator(y[0]).log_softmax(-1)


def named_for_tfx(state):
    ends = {"src_embed.weight": "src_embed.0.lut.weight", "tgt_embed.weight": "tgt_embed.0.lut.weight",
            "generator.weight": "generator.proj.weight", "generator.bias": "generator.proj.bias"}
    return {ends.get(name, name): value for name, value in state.items()}


def models():
    src, tgt = torch.tensor([1, 2, 3, 4]), torch.tensor([1, 5, 6])
    whole = draw(Whole()).train()
    save("transformer_tied", "safetensors", {"module." + n: t for n, t in named_for_tfx(whole.state_dict()).items()},
         whole(src, tgt))
    for name, parameter in whole.transformer.named_parameters():
        if name.endswith("bias"):
            parameter.data.zero_()
    biased = lambda name: name.startswith("transformer.") and name.endswith("bias")
    save("transformer_no_bias", "npz",
         {n: t for n, t in named_for_tfx(whole.state_dict()).items() if not biased(n)}, whole(src, tgt))
    state = named_for_tfx(whole.state_dict())
    save("transformer_no_norm", "npz", {n: t for n, t in state.items() if "coder.norm." not in n})
    save("transformer_cut", "npz", {n: t for n, t in state.items() if not n.endswith("decoder.layers.1.linear2.bias")})
    for name, form, make in (("gpt2", "safetensors", gpt2), ("llama", "npz", llama), ("bert", "npz", bert), ("t5", "safetensors", t5)):
        save(name, form, make())


def main():
    torch.manual_seed(7)
    os.makedirs(FOLDER, exist_ok=True)
    x, k, v = torch.randn(5, D), torch.randn(6, 5), torch.randn(6, 3)
    for name, value in (("x", x), ("k", k), ("v", v)):
        np.save(f"{FOLDER}/{name}.npy", value.numpy())
    seen = np.tril(np.ones((5, 5), bool))
    np.save(f"{FOLDER}/mask.npy", seen)
    write_safetensors(f"{FOLDER}/mask.safetensors", {"mask": seen})
    modules(x, k, v)
    stacks(x)
    models()


if __name__ == "__main__":
    main()
