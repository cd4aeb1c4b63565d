"""Makes data/reference/families/: small models under the names of GPT-2 and Llama, as other programs save them.

Run from the root of the repository:  python3 tools/reference/make_families.py [--full FOLDER]
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

  NAME.safetensors   the weights, sorted by name
  NAME.config.json   what its config.json says
  NAME.npz           ids: two rows, every id a token, 0 too; logits: float64, the tokens of both rows one after
                     the other

gpt2 and llama (2 layers, 48 wide) also have in their npz labels, loss (the mean cross-entropy over all labels) and
grads/TENSOR under the file's names and in its orientation; those of more than 3,000 cells are rounded to float32.
The others are 1 layer of 8:
  nanogpt            nn.Linear instead of Conv1D, no biases, exact GELU, lm_head there and equal to the table
  mingpt             nn.Linear, biases, masks, a lm_head of its own
  gpt2-saved         GPT-2's names behind "transformer.", no masks: what save_pretrained writes today
  gpt2-mixed         c_attn in Conv1D's orientation, the feed-forward in nn.Linear's: no program writes that; no npz
  llama-bf16         BF16, one key and value for two heads, another base
  llama-f16          F16, tied: no lm_head; its config leaves out rope_theta and num_key_value_heads
  llama-inv-freq     float32, with the buffers rotary_emb.inv_freq of older files

Computed in float64 on the stored numbers, whole batches at once as those programs do. The script holds that against
parts_model.py, which goes row by row. With --full it instead writes GPT-2's own shapes (124 million random numbers,
548 MB with the masks) and its logits of 16 tokens to FOLDER.
"""

import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import parts_model

FOLDER = Path("data/reference/families")
TOKENS = 10
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}


def save_file(path, state):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(state):
        size = state[name].numel() * state[name].element_size()
        header[name] = {"dtype": DTYPES[state[name].dtype], "shape": list(state[name].shape),
                        "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(state):
            file.write(state[name].contiguous().flatten().view(torch.uint8).numpy().tobytes())


def drawn(shapes):
    """Gains around 1, biases around 0, matrices by the width that they read."""
    state = {}
    for name, (shape, reads) in shapes.items():
        if reads:
            state[name] = torch.randn(shape, dtype=torch.float32) / math.sqrt(reads)
        else:
            state[name] = torch.randn(shape, dtype=torch.float32) * 0.2 + (0 if name.endswith("bias") else 1)
    return state


def causal(n):
    return torch.full((n, n), -math.inf).triu(1)


# ------------------------------------------------------------------------------------------------- GPT-2


def gpt2_config(**changes):
    return dict(activation_function="gelu_new", architectures=["GPT2LMHeadModel"], attn_pdrop=0.1, bos_token_id=0,
                embd_pdrop=0.1, eos_token_id=0, initializer_range=0.02, layer_norm_epsilon=1e-05, model_type="gpt2",
                n_ctx=32, n_embd=48, n_head=4, n_inner=None, n_layer=2, n_positions=32, resid_pdrop=0.1,
                tie_word_embeddings=True, vocab_size=96) | changes


def gpt2_shapes(config):
    d = config["n_embd"]
    shapes = {"wte.weight": ((config["vocab_size"], d), d), "wpe.weight": ((config["n_positions"], d), 4 * d)}
    for i in range(config["n_layer"]):
        for norm in ("ln_1", "ln_2"):
            shapes.update({f"h.{i}.{norm}.weight": ((d,), 0), f"h.{i}.{norm}.bias": ((d,), 0)})
        for part, reads, writes in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d),
                                    ("mlp.c_proj", 4 * d, d)):
            shapes[f"h.{i}.{part}.weight"] = (reads, writes), reads
            shapes[f"h.{i}.{part}.bias"] = (writes,), 0
    shapes.update({"ln_f.weight": ((d,), 0), "ln_f.bias": ((d,), 0)})
    return shapes


def is_conv1d(name):
    return name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight"))


def gpt2_logits(config, get, ids):
    """get: a tensor by GPT-2's name, None where the model has none; matrices in Conv1D's orientation."""
    d, n = config["n_embd"], ids.shape[1]
    gelu = {"gelu_new": lambda x: F.gelu(x, approximate="tanh"), "gelu": F.gelu}[config["activation_function"]]

    def norm(name, x):
        return F.layer_norm(x, (d,), get(f"{name}.weight"), get(f"{name}.bias"), config["layer_norm_epsilon"])

    def conv1d(name, x):
        y, bias = x @ get(f"{name}.weight"), get(f"{name}.bias")
        return y if bias is None else y + bias

    def attention(name, x):
        q, k, v = (t.view(*t.shape[:2], config["n_head"], -1).transpose(1, 2)
                   for t in conv1d(f"{name}.c_attn", x).split(d, 2))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + causal(n)).softmax(-1)
        return conv1d(f"{name}.c_proj", (weights @ v).transpose(1, 2).reshape(x.shape))

    table = get("wte.weight")
    x = table[ids] + get("wpe.weight")[:n]
    for i in range(config["n_layer"]):
        x = x + attention(f"h.{i}.attn", norm(f"h.{i}.ln_1", x))
        x = x + conv1d(f"h.{i}.mlp.c_proj", gelu(conv1d(f"h.{i}.mlp.c_fc", norm(f"h.{i}.ln_2", x))))
    head = get("lm_head.weight")
    return norm("ln_f", x) @ (table if head is None else head).T


def gpt2_parts(config, state):
    """The same model as parts_model.py has it."""
    d, h, tied, biased = config["n_embd"], config["n_head"], "lm_head.weight" not in state, "ln_f.bias" in state
    layer = dict(d_model=d, d_ff=4 * d, heads=h, kv_heads=h, head_width=d // h,
                 norm=dict(kind="layer", epsilon=config["layer_norm_epsilon"], gain=True, shift=biased,
                           placement="pre_norm"),
                 activation={"gelu_new": "gelu_tanh", "gelu": "gelu"}[config["activation_function"]], gated=False,
                 qkv_bias=biased, output_bias=biased, ff_bias=biased, qk_norm=False, window=0)
    spec = dict(layer=layer, encoder_layers=0, decoder_layers=config["n_layer"], src_vocab=0,
                tgt_vocab=config["vocab_size"], max_len=config["n_positions"], positions="learned", pairs="neighbours",
                rope_base=10000.0, scaled_embedding=False, embedding_norm=False, final_norm=True, tied=tied,
                generator_bias=False)
    p = {"tgt_embed.0.lut.weight": state["wte.weight"], "tgt_embed.1.weight": state["wpe.weight"]}
    if not tied:
        p["generator.proj.weight"] = state["lm_head.weight"]
    for theirs, ours in (("weight", "a_2"), ("bias", "b_2"))[:1 + biased]:
        p[f"decoder.norm.{ours}"] = state[f"ln_f.{theirs}"]
        for i in range(config["n_layer"]):
            for j in (0, 1):
                p[f"decoder.layers.{i}.sublayer.{j}.norm.{ours}"] = state[f"h.{i}.ln_{j + 1}.{theirs}"]
    for i in range(config["n_layer"]):
        prefix, h = f"decoder.layers.{i}", f"h.{i}"
        for kind in ("weight", "bias")[:1 + biased]:
            for j, part in enumerate(state[f"{h}.attn.c_attn.{kind}"].split(d, -1)):
                p[f"{prefix}.self_attn.linears.{j}.{kind}"] = part.T if kind == "weight" else part
            for name, theirs in (("self_attn.linears.3", "attn.c_proj"), ("feed_forward.w_1", "mlp.c_fc"),
                                 ("feed_forward.w_2", "mlp.c_proj")):
                part = state[f"{h}.{theirs}.{kind}"]
                p[f"{prefix}.{name}.{kind}"] = part.T if kind == "weight" else part
    return spec, p


def masks(config):
    n = config["n_positions"]
    mask = torch.ones(n, n, dtype=torch.float32).tril().view(1, 1, n, n)
    return {f"h.{i}.attn.bias": mask for i in range(config["n_layer"])}


# ------------------------------------------------------------------------------------------------- Llama


def llama_config(**changes):
    return dict(architectures=["LlamaForCausalLM"], attention_bias=False, bos_token_id=1, eos_token_id=2,
                hidden_act="silu", hidden_size=48, initializer_range=0.02, intermediate_size=128,
                max_position_embeddings=32, model_type="llama", num_attention_heads=4, num_hidden_layers=2,
                num_key_value_heads=2, rms_norm_eps=1e-05, rope_scaling=None, rope_theta=10000.0,
                tie_word_embeddings=False, torch_dtype="float32", use_cache=True, vocab_size=96) | changes


def llama_shapes(config):
    d, d_ff = config["hidden_size"], config["intermediate_size"]
    kv = d // config["num_attention_heads"] * config["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": ((config["vocab_size"], d), d)}
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        for part, writes, reads in (("self_attn.q", d, d), ("self_attn.k", kv, d), ("self_attn.v", kv, d),
                                    ("self_attn.o", d, d), ("mlp.gate", d_ff, d), ("mlp.up", d_ff, d),
                                    ("mlp.down", d, d_ff)):
            shapes[f"{layer}.{part}_proj.weight"] = (writes, reads), reads
        for norm in ("input_layernorm", "post_attention_layernorm"):
            shapes[f"{layer}.{norm}.weight"] = (d,), 0
    shapes["model.norm.weight"] = (d,), 0
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (config["vocab_size"], d), d
    return shapes


def inverse_frequencies(config):
    w = config["hidden_size"] // config["num_attention_heads"]
    return 1 / config.get("rope_theta", 10000.0) ** (torch.arange(0, w, 2) / w)


def llama_logits(config, get, ids):
    h, kv, n = config["num_attention_heads"], config["num_key_value_heads"], ids.shape[1]
    angles = torch.outer(torch.arange(n).double(), inverse_frequencies(config))
    cos, sin = (torch.cat([f, f], -1) for f in (angles.cos(), angles.sin()))

    def norm(name, x):
        return get(f"{name}.weight") * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config["rms_norm_eps"]))

    def turned(x):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def attention(name, x):
        project = lambda part: F.linear(x, get(f"{name}.{part}_proj.weight"))
        split = lambda part, heads: project(part).unflatten(-1, (heads, -1)).transpose(1, 2)
        q, k, v = turned(split("q", h)), turned(split("k", kv)), split("v", kv)
        k, v = (t[:, :, None].expand(-1, -1, h // kv, -1, -1).flatten(1, 2) for t in (k, v))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + causal(n)).softmax(-1)
        return F.linear((weights @ v).transpose(1, 2).flatten(2), get(f"{name}.o_proj.weight"))

    table = get("model.embed_tokens.weight")
    x = table[ids]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        x = x + attention(f"{layer}.self_attn", norm(f"{layer}.input_layernorm", x))
        y = norm(f"{layer}.post_attention_layernorm", x)
        gate, up = (F.linear(y, get(f"{layer}.mlp.{part}_proj.weight")) for part in ("gate", "up"))
        x = x + F.linear(F.silu(gate) * up, get(f"{layer}.mlp.down_proj.weight"))
    return F.linear(norm("model.norm", x), table if config["tie_word_embeddings"] else get("lm_head.weight"))


def llama_parts(config, state):
    d, h, tied = config["hidden_size"], config["num_attention_heads"], config["tie_word_embeddings"]
    layer = dict(d_model=d, d_ff=config["intermediate_size"], heads=h, kv_heads=config["num_key_value_heads"],
                 head_width=d // h, activation="silu", gated=True, qkv_bias=False, output_bias=False, ff_bias=False,
                 qk_norm=False, window=0, norm=dict(kind="rms", epsilon=config["rms_norm_eps"], gain=True, shift=False,
                                                    placement="pre_norm"))
    spec = dict(layer=layer, encoder_layers=0, decoder_layers=config["num_hidden_layers"], src_vocab=0,
                tgt_vocab=config["vocab_size"], max_len=config["max_position_embeddings"], positions="rotary",
                pairs="halves", rope_base=config.get("rope_theta", 10000.0), scaled_embedding=False,
                embedding_norm=False, final_norm=True, tied=tied, generator_bias=False)
    p = {"tgt_embed.0.lut.weight": state["model.embed_tokens.weight"], "decoder.norm.a_2": state["model.norm.weight"]}
    if not tied:
        p["generator.proj.weight"] = state["lm_head.weight"]
    for i in range(config["num_hidden_layers"]):
        names = {f"self_attn.linears.{j}.weight": f"self_attn.{part}_proj" for j, part in enumerate("qkvo")}
        names |= {f"feed_forward.w_{j}.weight": f"mlp.{part}_proj" for j, part in ((1, "gate"), (3, "up"), (2, "down"))}
        names |= {"sublayer.0.norm.a_2": "input_layernorm", "sublayer.1.norm.a_2": "post_attention_layernorm"}
        for ours, theirs in names.items():
            p[f"decoder.layers.{i}.{ours}"] = state[f"model.layers.{i}.{theirs}.weight"]
    return spec, p


# ------------------------------------------------------------------------------------------------- files


def results(family, config, state, gradients):
    """What NAME.npz holds. state: by the family's names, in its orientation, float64."""
    make_logits, make_parts = {"gpt2": (gpt2_logits, gpt2_parts), "llama": (llama_logits, llama_parts)}[family]
    vocab = config["vocab_size"]
    positions = config["n_positions" if family == "gpt2" else "max_position_embeddings"]
    ids = torch.randint(0, vocab, (2, min(TOKENS, positions)))
    ids[0, 2] = ids[1, 0] = 0
    leaves = {name: value.clone().requires_grad_() for name, value in state.items()}
    logits = make_logits(config, leaves.get, ids).reshape(-1, vocab)

    spec, p = make_parts(config, leaves)
    assert {name: tuple(value.shape) for name, value in p.items()} == {
        name: tuple(shape) for name, shape in parts_model.parameters(spec).items()}
    row = parts_model.Row(spec, p, None)
    again = torch.cat([row.logits(None, one) for one in ids.tolist()])
    assert (again - logits).abs().max() <= 1e-12 * logits.abs().max(), family

    kept = dict(ids=ids.numpy(), logits=logits.detach().numpy())
    if gradients:
        labels = torch.randint(0, vocab, ids.shape)
        loss = F.cross_entropy(logits, labels.reshape(-1))
        grads = torch.autograd.grad(loss, list(leaves.values()))
        others = torch.autograd.grad(F.cross_entropy(again, labels.reshape(-1)), list(leaves.values()))
        kept.update(labels=labels.numpy(), loss=loss.detach().numpy().reshape(1))
        for name, grad, other in zip(leaves, grads, others):
            assert (grad - other).abs().max() <= 1e-12, name
            kept[f"grads/{name}"] = (grad.float() if grad.numel() > 3000 else grad).numpy()
    return kept


def write(folder, name, config, stored, kept=None):
    save_file(folder / f"{name}.safetensors", stored)
    (folder / f"{name}.config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    if kept is not None:
        np.savez_compressed(folder / f"{name}.npz", **kept)


def double(state):
    return {name: value.double() for name, value in state.items()}


def as_linear(state):
    """nanoGPT's and minGPT's orientation and prefix."""
    return {name if name.startswith("lm_head") else f"transformer.{name}": value.T if is_conv1d(name) else value
            for name, value in state.items()}


def write_gpt2():
    config = gpt2_config()
    state = drawn(gpt2_shapes(config))
    write(FOLDER, "gpt2", config, state | masks(config), results("gpt2", config, double(state), True))

    tiny = gpt2_config(n_ctx=8, n_embd=8, n_head=2, n_layer=1, n_positions=8, vocab_size=16)
    config = tiny | dict(activation_function="gelu", architectures=["GPT"])
    state = {name: value for name, value in drawn(gpt2_shapes(config)).items() if not name.endswith("bias")}
    head = {"lm_head.weight": state["wte.weight"]}
    write(FOLDER, "nanogpt", config, as_linear(state | head), results("gpt2", config, double(state), False))

    config = tiny | dict(architectures=["GPT"], tie_word_embeddings=False)
    state = drawn(gpt2_shapes(config) | {"lm_head.weight": ((16, 8), 8)})
    write(FOLDER, "mingpt", config, as_linear(state | masks(config)), results("gpt2", config, double(state), False))

    state = drawn(gpt2_shapes(tiny))
    write(FOLDER, "gpt2-saved", tiny, {f"transformer.{name}": value for name, value in state.items()},
          results("gpt2", tiny, double(state), False))
    write(FOLDER, "gpt2-mixed", tiny, {name: value.T if ".mlp." in name and is_conv1d(name) else value
                                       for name, value in state.items()})


def write_llama():
    config = llama_config()
    state = drawn(llama_shapes(config))
    write(FOLDER, "llama", config, state, results("llama", config, double(state), True))

    tiny = llama_config(hidden_size=8, intermediate_size=12, max_position_embeddings=8, num_attention_heads=2,
                        num_hidden_layers=1, num_key_value_heads=1, vocab_size=16)
    config = tiny | dict(torch_dtype="bfloat16", rope_theta=500000.0)
    state = {name: value.bfloat16() for name, value in drawn(llama_shapes(config)).items()}
    write(FOLDER, "llama-bf16", config, state, results("llama", config, double(state), False))

    config = tiny | dict(torch_dtype="float16", tie_word_embeddings=True, num_key_value_heads=2)
    state = {name: value.half() for name, value in drawn(llama_shapes(config)).items()}
    kept = results("llama", config, double(state), False)
    short = {key: value for key, value in config.items() if key not in ("rope_theta", "num_key_value_heads")}
    write(FOLDER, "llama-f16", short, state, kept)

    state = drawn(llama_shapes(tiny))
    buffers = {"model.layers.0.self_attn.rotary_emb.inv_freq": inverse_frequencies(tiny).float()}
    write(FOLDER, "llama-inv-freq", tiny, state | buffers, results("llama", tiny, double(state), False))


def write_full(folder):
    """GPT-2's own shapes. Only one matrix at a time is in double."""
    folder.mkdir(parents=True, exist_ok=True)
    config = gpt2_config(n_ctx=1024, n_embd=768, n_head=12, n_layer=12, n_positions=1024, vocab_size=50257,
                         bos_token_id=50256, eos_token_id=50256)
    state = drawn(gpt2_shapes(config))
    assert sum(value.numel() for value in state.values()) == 124_439_808
    ids = torch.cat([torch.tensor([0, 50256]), torch.randint(0, 50257, (14,))])[None]
    with torch.no_grad():
        logits = gpt2_logits(config, lambda name: state[name].double() if name in state else None, ids)[0]
    write(folder, "gpt2-124m", config, state | masks(config), dict(ids=ids.numpy(), logits=logits.numpy()))
    print(f"{folder}/gpt2-124m.safetensors; its ids, for tfx model --weights: {','.join(map(str, ids[0].tolist()))}")


def main():
    torch.set_default_dtype(torch.float64)  # weights are drawn in float32
    torch.manual_seed(42)
    if sys.argv[1:2] == ["--full"]:
        return write_full(Path(sys.argv[2]))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    write_gpt2()
    write_llama()
    print(f"{sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes in {FOLDER}")


if __name__ == "__main__":
    main()
