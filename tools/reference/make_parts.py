"""Makes data/reference/parts/: small models of every choice that the engine offers, in PyTorch from the formulas.

Run from the root of the repository:  python3 tools/reference/make_parts.py
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

cases.json is a list. Each case has its name, why it is there, the ModelSpec with its fields by their names in
src/core/architecture.hpp and src/model, the rows of ids (src, tgt; absent where the model has no such side), the labels
(absent where there is no decoder) and padding: the id that no query may see as a key and no loss counts as a label, or
null: then every id is a token, 0 too. Rows have different lengths; where there is a padding id they are filled up.

NAME.safetensors holds
  params/PARAMETER   every parameter in the order of the checkpoint, as float32 numbers, so that float and double start
                     from the same model
  logits, memory     float64, the tokens of all rows one after the other: logits of the decoder, tokens × tgt_vocab;
                     where there is no decoder, the memory, tokens × d_model
  loss               float64, 1 number: the mean cross-entropy of the labels; where there is no decoder, the sum of
                     memory * d_memory
  d_memory           float64, drawn, where there is no decoder
  grads/PARAMETER    float64, by autograd, of the loss (0 but for rounding for a bias of keys that are not rotated: it
                     adds the same to all scores of a query)

parts_model.py computes it. parts_checks.py then holds it against torch.nn's stacks, against the encoder-decoder of
make_model.py, against the whole batch at once with complex rotations, and some gradients against central differences.
"""

import copy
import json
import math
import zlib
from pathlib import Path

import numpy as np
import torch

import parts_checks
from make_model import save_safetensors
from parts_model import draw, run

FOLDER = Path("data/reference/parts")
VOCAB, SRC_VOCAB, MAX_LEN = 11, 9, 8

NORM = dict(kind="layer", epsilon=1e-5, gain=True, shift=True, placement="pre_norm")
LAYER = dict(d_model=8, d_ff=10, heads=2, kv_heads=2, head_width=4, norm=NORM, activation="relu", gated=False,
             qkv_bias=True, output_bias=True, ff_bias=True, qk_norm=False, window=0)
BASE = dict(layer=LAYER, encoder_layers=0, decoder_layers=2, src_vocab=0, tgt_vocab=VOCAB, max_len=MAX_LEN,
            positions="sinusoidal", pairs="neighbours", rope_base=10000.0, scaled_embedding=True, embedding_norm=False,
            final_norm=True, tied=False, generator_bias=True)

FAMILIES = {
    "decoder": {},
    "encoder": dict(encoder_layers=2, decoder_layers=0, src_vocab=SRC_VOCAB, tgt_vocab=0),
    "encoder-decoder": dict(encoder_layers=2, src_vocab=SRC_VOCAB),
}
ROWS = {"decoder": (None, (7, 4)), "encoder": ((6, 3), None), "encoder-decoder": ((5, 3), (4, 6))}
CASES = []


def add(name, why, family="decoder", padding=None, table_scale=None, **changes):
    """Fields by their names, wherever in the spec they stand (`kind`, `epsilon` … are the norm's)."""
    spec = copy.deepcopy(BASE)
    if "heads" in changes and "head_width" not in changes:
        changes["head_width"] = changes.get("d_model", LAYER["d_model"]) // changes["heads"]
    if "heads" in changes and "kv_heads" not in changes:
        changes["kv_heads"] = changes["heads"]
    for field, value in {**FAMILIES[family], **changes}.items():
        homes = [part for part in (spec, spec["layer"], spec["layer"]["norm"]) if field in part]
        assert len(homes) == 1, field
        homes[0][field] = value
    CASES.append(dict(name=name, why=why, spec=spec, family=family, padding=padding, table_scale=table_scale))


RMS = dict(kind="rms", shift=False)
NO_BIASES = dict(qkv_bias=False, output_bias=False, ff_bias=False, generator_bias=False)
LLAMA = dict(**RMS, **NO_BIASES, positions="rotary", pairs="halves", activation="silu", gated=True,
             scaled_embedding=False)
GPT = dict(positions="learned", activation="gelu_tanh", tied=True, generator_bias=False, scaled_embedding=False)
SMALL = dict(positions="none", scaled_embedding=False)


def add_cases():
    add("base", "what the others change in one thing: pre-norm, layer norm, sinusoidal, ReLU, biases")
    add("rms", "RMSNorm with a gain", **RMS, epsilon=1e-3)
    add("rms-no-gain", "RMSNorm without parameters", **RMS, gain=False)
    add("layer-epsilon-1e-12", "an epsilon below float's resolution, on rows of variance 1e-6", epsilon=1e-12,
        table_scale=1e-3, **SMALL)
    add("layer-epsilon-1e-3", "an epsilon as large as the variance of the rows", epsilon=1e-3, table_scale=0.03,
        **SMALL)
    add("layer-no-shift", "layer norm with a gain alone", shift=False)
    add("annotated", "the norm of The Annotated Transformer in a decoder alone", kind="annotated", epsilon=1e-2)
    add("post-norm", "the norm after the sum, and none at the end", placement="post_norm", final_norm=False)
    add("embedding-norm", "a norm after the embedding", embedding_norm=True)

    add("positions-none", "no positions", positions="none")
    add("positions-learned", "a trained row for each position; those that no token has get a gradient of 0",
        positions="learned")
    add("rotary-neighbours", "rotary positions on cells 2i and 2i + 1", positions="rotary")
    add("rotary-halves", "rotary positions on cells i and i + w/2", positions="rotary", pairs="halves")
    add("rotary-base-100", "another base", positions="rotary", rope_base=100.0)
    for pairs in ("neighbours", "halves"):
        add(f"encoder-decoder-rotary-{pairs}", "rotary in both self-attentions, none in the cross-attention",
            "encoder-decoder", positions="rotary", pairs=pairs)

    for activation in ("squared_relu", "gelu", "gelu_tanh", "silu"):
        add(activation.replace("_", "-"), "another activation", activation=activation)
    add("gated-silu", "a gated feed-forward, with biases", activation="silu", gated=True)
    add("gated-gelu-tanh", "a gated feed-forward with the approximate GELU", activation="gelu_tanh", gated=True)
    add("attention-only", "no feed-forward sublayer: one norm a layer", d_ff=0)

    add("kv-heads-1", "all heads read one head of keys and values", heads=4, kv_heads=1)
    add("kv-heads-2", "heads 0 and 1 read the first, 2 and 3 the second", heads=4, kv_heads=2)
    add("head-width-6", "heads wider together than d_model", head_width=6)
    add("head-width-3", "heads narrower together than d_model, and odd", head_width=3)
    add("qk-norm-rms", "RMSNorm on the queries and keys of each head", **RMS, qk_norm=True)
    add("qk-norm-layer", "layer norm on the queries and keys of each head, with shifts", qk_norm=True)
    for window in (1, 2, 3):
        add(f"window-{window}", "a query sees itself and the window − 1 keys before it", window=window)

    add("no-qkv-bias", "no biases of Q, K, V", qkv_bias=False)
    add("no-output-bias", "no bias of the attention's output", output_bias=False)
    add("no-ff-bias", "no biases of the feed-forward", ff_bias=False)
    add("no-generator-bias", "no bias of the logits", generator_bias=False)
    add("tied", "the table of the tokens is the matrix of the logits, unscaled there", tied=True, generator_bias=False)
    add("unscaled-embedding", "the embedding as it stands in the table", scaled_embedding=False)

    add("encoder", "an encoder alone: every token sees every other", "encoder")
    add("encoder-padding", "a padded key is seen by nobody, within a row too; a padded query is computed", "encoder",
        padding=7)
    add("encoder-decoder-rms-gated-grouped", "the choices of newer decoders in both stacks and the cross-attention",
        "encoder-decoder", **RMS, heads=4, kv_heads=2, activation="silu", gated=True)
    add("encoder-decoder-named", "every parameter that an encoder-decoder may have by name, tied to the target's table",
        "encoder-decoder", positions="learned", embedding_norm=True, qk_norm=True, tied=True, generator_bias=False)
    add("encoder-decoder-annotated", "The Annotated Transformer itself, padded with 0", "encoder-decoder", padding=0,
        kind="annotated", epsilon=1e-6)

    add("gpt1", "GPT: post-norm, no norm at the end", **GPT, placement="post_norm", final_norm=False)
    add("gpt2", "GPT-2", **GPT)
    add("nanogpt", "nanoGPT without biases: layer norm with a gain alone", **{**GPT, **NO_BIASES, "activation": "gelu"},
        shift=False)
    add("llama", "Llama: two keys and values for four heads", **LLAMA, d_model=12, heads=4, kv_heads=2, head_width=4)
    add("mistral", "Mistral: Llama with a window", **LLAMA, kv_heads=1, window=3)
    add("qwen2", "Qwen2: biases of Q, K, V alone, tied", **{**LLAMA, "qkv_bias": True}, kv_heads=1, epsilon=1e-6,
        rope_base=1e6, tied=True)
    add("qwen3", "Qwen3: norms on queries and keys, heads of a width of their own", **LLAMA, heads=4, kv_heads=2,
        head_width=4, qk_norm=True, epsilon=1e-6, rope_base=1e6, tied=True)
    add("gemma", "Gemma: gated GELU, scaled embedding, wide heads, one key and value",
        **{**LLAMA, "activation": "gelu_tanh", "scaled_embedding": True}, kv_heads=1, head_width=8, epsilon=1e-6,
        tied=True)
    add("bert", "BERT: post-norm, a norm after the embedding", "encoder", placement="post_norm", final_norm=False,
        embedding_norm=True, positions="learned", activation="gelu", epsilon=1e-12, scaled_embedding=False)
    add("microgpt", "microgpt: norms without parameters, one after the embedding, none at the end", **RMS, gain=False,
        **NO_BIASES, embedding_norm=True, final_norm=False, positions="learned", scaled_embedding=False)
    add("modded-nanogpt", "modded-nanogpt: norms without parameters on queries and keys too, squared ReLU",
        **{**LLAMA, "activation": "squared_relu", "gated": False}, gain=False, qk_norm=True, embedding_norm=True,
        epsilon=2.0 ** -23)


def draw_ids(lengths, vocab, padding):
    """Rows with id 0 among them; where there is a padding id, filled up with it."""
    rows = [torch.randint(0, vocab, (n,)).tolist() for n in lengths]
    if padding is None:
        rows[0][1] = 0
        return rows
    rows = [[one if one != padding else (one + 1) % vocab for one in row] for row in rows]
    return [row + [padding] * (max(lengths) - len(row)) for row in rows]


def finish(case):
    """Ids, labels and parameters."""
    spec, padding = case["spec"], case["padding"]
    src, tgt = ROWS[case.pop("family")]
    if src:
        case["src"] = draw_ids(src, spec["src_vocab"], padding)
        if not tgt and padding is not None:
            case["src"][0][2] = padding
    if tgt:
        case["tgt"] = draw_ids(tgt, VOCAB, padding)
        case["labels"] = draw_ids(tgt, VOCAB, padding)
    else:
        case["d_memory"] = torch.randn(sum(map(len, case["src"])), spec["layer"]["d_model"])
    scale = case.pop("table_scale")
    return draw(spec, scale or 1 / math.sqrt(spec["layer"]["d_model"]))


def write(case):
    p = finish(case)
    result, loss = run(case, p)
    loss.backward()
    if parts_checks.is_torchs(case["spec"]):
        parts_checks.check_torch(case, p, result)
    parts_checks.check_batched(case, p, result)
    if case["name"] == "encoder-decoder-annotated":
        parts_checks.check_annotated(case, p, result)
    if case["name"] in ("qwen3", "encoder-decoder-named", "encoder-decoder-rms-gated-grouped", "encoder-padding"):
        parts_checks.check_slopes(case, p)
    kept = {f"params/{name}": value.detach().numpy().astype(np.float32) for name, value in p.items()}
    kept["logits" if "tgt" in case else "memory"] = result.detach().numpy()
    kept["loss"] = loss.detach().numpy().reshape(1)
    if "d_memory" in case:
        kept["d_memory"] = case.pop("d_memory").numpy()
    kept.update({f"grads/{name}": value.grad.numpy() for name, value in p.items()})
    save_safetensors(FOLDER / f"{case['name']}.safetensors", kept, {})


def main():
    torch.set_default_dtype(torch.float64)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    add_cases()
    for case in CASES:
        torch.manual_seed(zlib.crc32(case["name"].encode()))  # a case added changes no other
        write(case)
    (FOLDER / "cases.json").write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
    print(f"{len(CASES)} cases, {sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes in {FOLDER}")


if __name__ == "__main__":
    main()
