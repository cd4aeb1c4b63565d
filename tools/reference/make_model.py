"""Makes data/reference/model/: small encoder-decoders in PyTorch, with every activation of one forward pass.

Run from the root of the repository:  python3 tools/reference/make_model.py
Needs NumPy and PyTorch (the committed files were made by PyTorch 1.13 on x86-64 Linux).

data/reference/interventions/NAME.safetensors, of the models in INTERVENED, holds the log-probabilities of the same run with a part
taken away ("without PART") or with uniform attention ("uniform PART"), the parts named as `tfx model` names them.

NAME.weights.safetensors is the model's state_dict (float32 numbers, so that float and double start equal; one is
also written as .npz, and one of torch.nn.Transformer as two, data/reference/apart), NAME.safetensors the ids and the activations in float64, named as docs/model.md says. The
model is our own, with the parameter names of The Annotated Transformer.
"""

import json
import math
import struct
from pathlib import Path

import numpy as np
import torch
from torch import nn

FOLDER = Path("data/reference/model")
INTERVENTIONS = Path("data/reference/interventions")
APART = Path("data/reference/apart")
MAX_LEN = 8
PAD = 0


def save_safetensors(path, tensors, metadata):
    """Little-endian F32 or F64 tensors in the order of the dict."""
    header, data = {"__metadata__": metadata}, b""
    for name, value in tensors.items():
        value = np.ascontiguousarray(value)
        raw = value.astype(value.dtype.newbyteorder("<")).tobytes()
        header[name] = {"dtype": {"float32": "F32", "float64": "F64", "int64": "I64"}[value.dtype.name],
                        "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


class Norm(nn.Module):
    def __init__(self, d, rule):
        super().__init__()
        self.a_2, self.b_2, self.rule = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d)), rule

    def forward(self, x):
        if self.rule == "standard":
            return nn.functional.layer_norm(x, x.shape[-1:], self.a_2, self.b_2)
        centred = x - x.mean(-1, keepdim=True)
        return self.a_2 * centred / (x.std(-1, keepdim=True) + 1e-6) + self.b_2


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(d, d) for _ in range(4))
        self.heads = heads

    def forward(self, queries, keys, mask, keep):
        def split(layer, x):
            return layer(x).view(*x.shape[:2], self.heads, -1).transpose(1, 2)

        Q, K, V = split(self.linears[0], queries), split(self.linears[1], keys), split(self.linears[2], keys)
        scores = Q @ K.transpose(-2, -1)
        weights = (scores / math.sqrt(Q.shape[-1])).masked_fill(mask == 0, -1e9).softmax(-1)
        output = self.linears[3]((weights @ V).transpose(1, 2).reshape(queries.shape))
        for name, value in dict(Q=Q, K=K, V=V, scores=scores, weights=weights, output=output).items():
            keep(name, value)
        return output


class FeedForward(nn.Module):
    def __init__(self, d, d_ff, activation):
        super().__init__()
        self.w_1, self.w_2, self.activation = nn.Linear(d, d_ff), nn.Linear(d_ff, d), activation

    def forward(self, x, keep):
        act = {"relu": torch.relu, "gelu": nn.functional.gelu}[self.activation]
        hidden = act(self.w_1(x))
        output = self.w_2(hidden)
        keep("hidden", hidden), keep("output", output)
        return output


class Sublayer(nn.Module):
    def __init__(self, d, style):
        super().__init__()
        self.norm, self.first = Norm(d, style["norm"]), style["placement"] == "first"

    def forward(self, x, function, keep):
        if self.first:
            normed = self.norm(x)
            output = x + function(normed)
        else:
            normed = output = self.norm(x + function(x))
        keep("norm", normed), keep("output", output)
        return output


class Layer(nn.Module):
    """Of the encoder, or with `cross` of the decoder."""

    def __init__(self, shape, style, cross):
        super().__init__()
        d = shape["d_model"]
        self.self_attn = Attention(d, shape["heads"])
        if cross:
            self.src_attn = Attention(d, shape["heads"])
        self.feed_forward = FeedForward(d, shape["d_ff"], style["activation"])
        self.sublayer = nn.ModuleList(Sublayer(d, style) for _ in range(3 if cross else 2))

    def forward(self, x, mask, keep, memory=None, src_mask=None):
        def under(part):
            return lambda name, value: keep(f"{part}.{name}", value)

        steps = [lambda y: self.self_attn(y, y, mask, under("self_attn"))]
        if memory is not None:
            steps.append(lambda y: self.src_attn(y, memory, src_mask, under("src_attn")))
        steps.append(lambda y: self.feed_forward(y, under("feed_forward")))
        for i, step in enumerate(steps):
            x = self.sublayer[i](x, step, under(f"sublayer.{i}"))
        return x


class Stack(nn.Module):
    def __init__(self, shape, style, cross):
        super().__init__()
        self.layers = nn.ModuleList(Layer(shape, style, cross) for _ in range(shape["layers"]))
        self.norm = Norm(shape["d_model"], style["norm"])


class Embed(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.lut = nn.Embedding(vocab, d)

    def forward(self, ids):
        return self.lut(ids) * math.sqrt(self.lut.embedding_dim)


class Positions(nn.Module):
    def __init__(self, d):
        super().__init__()
        position = torch.arange(MAX_LEN).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
        pe = torch.zeros(MAX_LEN, d)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * frequency), torch.cos(position * frequency)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.shape[1]]


class Generator(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.proj = nn.Linear(d, vocab)

    def forward(self, x, keep):
        logits = self.proj(x)
        keep("logits", logits), keep("log_probs", logits.log_softmax(-1))


class Model(nn.Module):
    """The stacks are Stack's, or with `torch_stacks` those of torch.nn.Transformer."""

    def __init__(self, shape, style, torch_stacks=False):
        super().__init__()
        d = shape["d_model"]
        if torch_stacks:
            self.transformer = nn.Transformer(d, shape["heads"], shape["layers"], shape["layers"], shape["d_ff"],
                                              dropout=0.0, activation=style["activation"], batch_first=True,
                                              norm_first=style["placement"] == "first")
        else:
            self.encoder, self.decoder = Stack(shape, style, False), Stack(shape, style, True)
        self.src_embed = nn.Sequential(Embed(shape["src_vocab"], d), Positions(d))
        self.tgt_embed = nn.Sequential(Embed(shape["tgt_vocab"], d), Positions(d))
        self.generator = Generator(d, shape["tgt_vocab"])

    def forward(self, src, tgt, keep):
        x, y = self.src_embed(src), self.tgt_embed(tgt)
        keep("src_embed", x)
        memory, output = (self.torch_stacks if hasattr(self, "transformer") else self.own_stacks)(
            src, tgt, x, y, keep)
        keep("memory", memory), keep("decoder.output", output)
        self.generator(output, keep)

    def own_stacks(self, src, tgt, x, y, keep):
        n = tgt.shape[1]
        src_mask = (src != PAD)[:, None, None, :]
        tgt_mask = (tgt != PAD)[:, None, None, :] & torch.ones(n, n).tril().bool()
        for i, layer in enumerate(self.encoder.layers):
            x = layer(x, src_mask, lambda name, value: keep(f"encoder.layers.{i}.{name}", value))
        memory = self.encoder.norm(x)
        keep("tgt_embed", y)
        for i, layer in enumerate(self.decoder.layers):
            y = layer(y, tgt_mask, lambda name, value: keep(f"decoder.layers.{i}.{name}", value), memory, src_mask)
        return memory, self.decoder.norm(y)

    def torch_stacks(self, src, tgt, x, y, keep):
        n, padding = tgt.shape[1], src == PAD
        memory = self.transformer.encoder(x, src_key_padding_mask=padding)
        keep("tgt_embed", y)
        output = self.transformer.decoder(y, memory, tgt_mask=~torch.ones(n, n).tril().bool(),
                                          tgt_key_padding_mask=tgt == PAD, memory_key_padding_mask=padding)
        return memory, output


def draw(module):
    """Parameters around those of a trained model, as float32 numbers in float64: norms and biases not at their
    starting values, which would hide a mistake."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            values = torch.randn(parameter.shape) * (1 / math.sqrt(parameter.shape[-1]) if parameter.dim() > 1 else 0.3)
            if name.endswith("a_2") or ("norm" in name and name.endswith("weight")):
                values += 1
            parameter.copy_(values.float().double())


def ids(rows, length, vocab):
    """Rows of different lengths, padded; the first has full length."""
    table = torch.randint(1, vocab, (rows, length))
    for row in range(1, rows):
        table[row, length - row:] = PAD
    return table


def state_of(module):
    return {name: value.numpy().astype(np.float64 if name.endswith(".pe") else np.float32)
            for name, value in module.state_dict().items()}


def write_case(name, seed, shape, style, sizes, torch_stacks=False):
    """sizes: rows, tokens of the source, tokens of the target."""
    torch.manual_seed(seed)
    model = Model(shape, style, torch_stacks)
    draw(model)
    rows, n_src, n_tgt = sizes
    src, tgt = ids(rows, n_src, shape["src_vocab"]), ids(rows, n_tgt, shape["tgt_vocab"])
    kept = {"src": src.numpy(), "tgt": tgt.numpy()}

    def keep(activation, value):
        value = value.detach().numpy()
        kept[activation] = value[0] if rows == 1 else value

    model(src, tgt, keep)
    metadata = {"heads": str(shape["heads"]), **style}
    save_safetensors(FOLDER / f"{name}.weights.safetensors", state_of(model), metadata)
    save_safetensors(FOLDER / f"{name}.safetensors", kept, metadata)
    if name in INTERVENED:
        write_interventions(name, model, shape, src, tgt)
    return model


def write_apart(name, model):
    """The same weights as somebody saves them who has a torch.nn.Transformer and modules of their own around it: two
    files without metadata."""
    around = {"src_embed": model.src_embed[0].lut, "tgt_embed": model.tgt_embed[0].lut, "generator": model.generator.proj}
    ends = {f"{part}.{key}": value for part, module in around.items() for key, value in state_of(module).items()}
    APART.mkdir(exist_ok=True)
    save_safetensors(APART / f"{name}.layers.safetensors", state_of(model.transformer), {})
    save_safetensors(APART / f"{name}.ends.safetensors", ends, {})


INTERVENED = ("layers-2", "layers-5")  # post-norm and pre-norm, with padding


def nothing(module, inputs, output):
    return torch.zeros_like(output)


def without_columns(columns):
    """A hook on a layer's input: these columns of it are 0."""
    def hook(module, inputs):
        changed = inputs[0].clone()
        changed[..., columns] = 0
        return (changed,)
    return hook


def zero_columns(columns):
    """A hook on a layer's output."""
    def hook(module, inputs, output):
        changed = output.clone()
        changed[..., columns] = 0
        return changed
    return hook


def intervened(model, shape, option, part):
    """Hooks that make the model's run the one that `tfx model --OPTION PART` speaks of. Queries of 0 give scores of
    0, so weights that are alike wherever the mask leaves any."""
    layer, _, head = part.partition(".head.")
    d_k = shape["d_model"] // shape["heads"]
    columns = slice(int(head) * d_k, (int(head) + 1) * d_k) if head else slice(None)
    if part == "memory":
        return [model.encoder.norm.register_forward_hook(nothing)]
    if part.endswith("_embed.pe"):
        return [model.get_submodule(part[:-3])[1].register_forward_hook(lambda module, inputs, output: inputs[0])]
    module = model.get_submodule(layer)
    if option == "uniform":
        return [module.linears[0].register_forward_hook(zero_columns(columns))]
    if head:
        return [module.linears[3].register_forward_pre_hook(without_columns(columns))]
    if isinstance(module, Layer):
        parts = [getattr(module, name) for name in ("self_attn", "src_attn", "feed_forward") if hasattr(module, name)]
        return [one.register_forward_hook(nothing) for one in parts]
    return [module.register_forward_hook(nothing)]


def write_interventions(name, model, shape, src, tgt):
    last = shape["layers"] - 1
    made = [("without", part) for part in (
        "src_embed.pe", "tgt_embed.pe", "memory", "encoder.layers.0", f"decoder.layers.{last}",
        "encoder.layers.0.self_attn", "encoder.layers.0.self_attn.head.1", f"decoder.layers.{last}.self_attn.head.0",
        "decoder.layers.0.src_attn", f"decoder.layers.{last}.src_attn.head.1", "decoder.layers.0.feed_forward")]
    made += [("uniform", part) for part in (
        "encoder.layers.0.self_attn", "encoder.layers.0.self_attn.head.1", "decoder.layers.0.self_attn.head.0",
        f"decoder.layers.{last}.src_attn")]
    kept = {}
    for option, part in made:
        hooks = intervened(model, shape, option, part)
        model(src, tgt, lambda activation, value: kept.__setitem__(f"{option} {part}", value.detach().numpy())
              if activation == "log_probs" else None)
        for hook in hooks:
            hook.remove()
    INTERVENTIONS.mkdir(exist_ok=True)
    save_safetensors(INTERVENTIONS / f"{name}.safetensors", kept, {})


def write_attention(seed, d, heads, n_q, n_k):
    """torch.nn.MultiheadAttention by itself."""
    torch.manual_seed(seed)
    layer = nn.MultiheadAttention(d, heads, batch_first=True)
    draw(layer)
    queries, keys = torch.randn(2, n_q, d), torch.randn(2, n_k, d)
    padding = torch.zeros(2, n_k).bool()
    padding[1, n_k - 2:] = True
    output, weights = layer(queries, keys, keys, key_padding_mask=padding, average_attn_weights=False)
    kept = {"queries": queries, "keys": keys, "valid": (~padding).double(), "weights": weights, "output": output}
    save_safetensors(FOLDER / "attention.weights.safetensors", state_of(layer), {"heads": str(heads)})
    save_safetensors(FOLDER / "attention.safetensors",
                     {name: value.detach().numpy() for name, value in kept.items()}, {"heads": str(heads)})


def main():
    torch.set_default_dtype(torch.float64)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    styles = [dict(norm=norm, placement=placement, activation=activation)
              for norm, placement, activation in [
                  ("annotated", "first", "relu"), ("annotated", "last", "relu"), ("standard", "first", "gelu"),
                  ("standard", "last", "relu"), ("annotated", "first", "relu"), ("standard", "last", "gelu")]]
    for n, style in enumerate(styles, start=1):
        wide = n <= 2
        shape = dict(layers=n, d_model=16 if wide else 8, d_ff=32 if wide else 12, heads=4 if wide else 2,
                     src_vocab=11, tgt_vocab=10 + n)
        sizes = [(3, 5, 4), (2, 4, 6), (1, 5, 3), (3, 4, 3), (2, 3, 4), (2, 3, 3)][n - 1]
        model = write_case(f"layers-{n}", n, shape, style, sizes)
        if n == 1:
            np.savez(FOLDER / "layers-1.weights.npz", **state_of(model))
    shape = dict(layers=2, d_model=8, d_ff=12, heads=2, src_vocab=11, tgt_vocab=12)
    for placement, activation in [("last", "relu"), ("first", "gelu")]:
        style = dict(norm="standard", placement=placement, activation=activation)
        model = write_case(f"torch-{placement}", 7, shape, style, (3, 5, 4), torch_stacks=True)
        if placement == "last":
            write_apart("torch-last", model)
    write_attention(8, 8, 2, 3, 5)
    print(f"{sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes in {FOLDER}")


if __name__ == "__main__":
    main()
