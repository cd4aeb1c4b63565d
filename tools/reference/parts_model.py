"""A model of any choice that the engine offers, in PyTorch as the formulas are: row by row, head by head.

make_parts.py writes what it computes. A spec is a dict with the fields of ModelSpec by their names, in it those of
LayerSpec ("layer") and of NormSpec ("norm"); parameters are a dict by the names of a checkpoint.
"""

import math

import torch

def parameters(spec):
    """Name → shape, in the order of the checkpoint."""
    layer, shapes = spec["layer"], {}
    d, w = layer["d_model"], layer["head_width"]
    q, kv = layer["heads"] * w, layer["kv_heads"] * w

    def linear(name, rows, columns, bias):
        shapes[f"{name}.weight"] = (rows, columns)
        if bias:
            shapes[f"{name}.bias"] = (rows,)

    def norm(name, width):
        if layer["norm"]["gain"]:
            shapes[f"{name}.a_2"] = (width,)
        if layer["norm"]["shift"]:
            shapes[f"{name}.b_2"] = (width,)

    def attention(name):
        for i, (rows, columns) in enumerate([(q, d), (kv, d), (kv, d), (d, q)]):
            linear(f"{name}.linears.{i}", rows, columns, layer["output_bias" if i == 3 else "qkv_bias"])
        if layer["qk_norm"]:
            norm(f"{name}.q_norm", w), norm(f"{name}.k_norm", w)

    def stack(name, layers, cross):
        for i in range(layers):
            prefix = f"{name}.layers.{i}"
            attention(f"{prefix}.self_attn")
            if cross:
                attention(f"{prefix}.src_attn")
            if layer["d_ff"]:
                linear(f"{prefix}.feed_forward.w_1", layer["d_ff"], d, layer["ff_bias"])
                linear(f"{prefix}.feed_forward.w_2", d, layer["d_ff"], layer["ff_bias"])
                if layer["gated"]:
                    linear(f"{prefix}.feed_forward.w_3", layer["d_ff"], d, layer["ff_bias"])
            for j in range(1 + cross + (layer["d_ff"] > 0)):
                norm(f"{prefix}.sublayer.{j}.norm", d)
        if layers and spec["final_norm"]:
            norm(f"{name}.norm", d)

    stack("encoder", spec["encoder_layers"], False)
    stack("decoder", spec["decoder_layers"], spec["encoder_layers"] > 0)
    for side, layers, vocab in (("src", spec["encoder_layers"], spec["src_vocab"]),
                                ("tgt", spec["decoder_layers"], spec["tgt_vocab"])):
        if layers:
            shapes[f"{side}_embed.0.lut.weight"] = (vocab, d)
            if spec["positions"] == "learned":
                shapes[f"{side}_embed.1.weight"] = (spec["max_len"], d)
            if spec["embedding_norm"]:
                norm(f"{side}_embed.norm", d)
    if spec["decoder_layers"] and not spec["tied"]:
        linear("generator.proj", spec["tgt_vocab"], d, spec["generator_bias"])
    return shapes


def draw(spec, table_scale):
    """float32 numbers, in double: gains around 1 and everything else around 0, as after a training."""
    drawn = {}
    for name, shape in parameters(spec).items():
        values = torch.randn(shape)
        if len(shape) == 1:
            values = values * 0.3 + (1 if name.endswith("a_2") else 0)
        elif "embed" in name:
            values = values * (table_scale if "lut" in name else 0.5)
        else:
            values = values / math.sqrt(shape[1])
        drawn[name] = values.float().double().requires_grad_()
    return drawn


ACTIVATIONS = {
    "relu": lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    "squared_relu": lambda x: torch.where(x > 0, x * x, torch.zeros_like(x)),
    "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) / 2,
    "silu": lambda x: x / (1 + torch.exp(-x)),
}


class Row:
    """One sentence, or one pair of sentences, through the model."""

    def __init__(self, spec, p, padding):
        self.spec, self.layer, self.p, self.padding = spec, spec["layer"], p, padding

    def linear(self, name, x):
        y = x @ self.p[f"{name}.weight"].T
        return y + self.p[f"{name}.bias"] if f"{name}.bias" in self.p else y

    def norm(self, name, x):
        rule = self.layer["norm"]
        if rule["kind"] == "rms":
            y = x / torch.sqrt((x ** 2).mean(-1, keepdim=True) + rule["epsilon"])
        else:
            centred = x - x.mean(-1, keepdim=True)
            squares = (centred ** 2).sum(-1, keepdim=True)
            if rule["kind"] == "annotated":
                y = centred / (torch.sqrt(squares / (x.shape[-1] - 1)) + rule["epsilon"])
            else:
                y = centred / torch.sqrt(squares / x.shape[-1] + rule["epsilon"])
        if rule["gain"]:
            y = y * self.p[f"{name}.a_2"]
        return y + self.p[f"{name}.b_2"] if rule["shift"] else y

    def rotate(self, x):
        """Every pair of cells of the token at position p by its angle."""
        n, w = x.shape
        cells = [None] * w
        for i in range(w // 2):
            first, second = (2 * i, 2 * i + 1) if self.spec["pairs"] == "neighbours" else (i, i + w // 2)
            angle = torch.arange(n) * self.spec["rope_base"] ** (-2 * i / w)
            a, b = x[:, first], x[:, second]
            cells[first] = a * angle.cos() - b * angle.sin()
            cells[second] = a * angle.sin() + b * angle.cos()
        return torch.stack(cells, 1)

    def attention(self, name, queries, keys, seen):
        """seen: queries × keys. Rotary positions turn where a sentence looks at itself."""
        layer, w = self.layer, self.layer["head_width"]
        Q, K, V = (self.linear(f"{name}.linears.{i}", x) for i, x in enumerate([queries, keys, keys]))
        outputs = []
        for head in range(layer["heads"]):
            group = head // (layer["heads"] // layer["kv_heads"])
            q, k, v = Q[:, head * w:(head + 1) * w], K[:, group * w:(group + 1) * w], V[:, group * w:(group + 1) * w]
            if layer["qk_norm"]:
                q, k = self.norm(f"{name}.q_norm", q), self.norm(f"{name}.k_norm", k)
            if self.spec["positions"] == "rotary" and name.endswith("self_attn"):
                q, k = self.rotate(q), self.rotate(k)
            scores = (q @ k.T / math.sqrt(w)).masked_fill(~seen, -math.inf)
            outputs.append(scores.softmax(-1) @ v)
        return self.linear(f"{name}.linears.3", torch.cat(outputs, 1))

    def feed_forward(self, name, x):
        hidden = ACTIVATIONS[self.layer["activation"]](self.linear(f"{name}.w_1", x))
        if self.layer["gated"]:
            hidden = hidden * self.linear(f"{name}.w_3", x)
        return self.linear(f"{name}.w_2", hidden)

    def stack(self, name, layers, x, seen, memory=None, memory_seen=None):
        for i in range(layers):
            prefix = f"{name}.layers.{i}"
            steps = [lambda y: self.attention(f"{prefix}.self_attn", y, y, seen)]
            if memory is not None:
                steps.append(lambda y: self.attention(f"{prefix}.src_attn", y, memory, memory_seen))
            if self.layer["d_ff"]:
                steps.append(lambda y: self.feed_forward(f"{prefix}.feed_forward", y))
            for j, step in enumerate(steps):
                norm = f"{prefix}.sublayer.{j}.norm"
                if self.layer["norm"]["placement"] == "pre_norm":
                    x = x + step(self.norm(norm, x))
                else:
                    x = self.norm(norm, x + step(x))
        return self.norm(f"{name}.norm", x) if self.spec["final_norm"] else x

    def embed(self, side, ids):
        d = self.layer["d_model"]
        x = self.p[f"{side}_embed.0.lut.weight"][ids]
        if self.spec["scaled_embedding"]:
            x = x * math.sqrt(d)
        if self.spec["positions"] == "sinusoidal":
            angles = torch.arange(len(ids))[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
            x = x + torch.stack([angles.sin(), angles.cos()], -1).reshape(len(ids), -1)[:, :d]
        if self.spec["positions"] == "learned":
            x = x + self.p[f"{side}_embed.1.weight"][:len(ids)]
        return self.norm(f"{side}_embed.norm", x) if self.spec["embedding_norm"] else x

    def keys_seen(self, queries, ids):
        """No query sees padding."""
        real = torch.tensor([self.padding is None or one != self.padding for one in ids])
        return real[None, :].expand(queries, len(ids))

    def memory(self, src):
        seen = self.keys_seen(len(src), src)
        return self.stack("encoder", self.spec["encoder_layers"], self.embed("src", src), seen)

    def logits(self, src, tgt):
        n, window = len(tgt), self.layer["window"]
        seen = torch.tensor([[j <= i and (window == 0 or j > i - window) for j in range(n)] for i in range(n)])
        seen = seen & self.keys_seen(n, tgt)
        memory = [] if src is None else [self.memory(src), self.keys_seen(n, src)]
        output = self.stack("decoder", self.spec["decoder_layers"], self.embed("tgt", tgt), seen, *memory)
        if self.spec["tied"]:
            return output @ self.p["tgt_embed.0.lut.weight"].T
        return self.linear("generator.proj", output)


def run(case, p):
    """Logits or memory of all rows below each other, and the loss."""
    row = Row(case["spec"], p, case["padding"])
    if "tgt" not in case:
        memory = torch.cat([row.memory(src) for src in case["src"]])
        return memory, (memory * case["d_memory"]).sum()
    sources = case.get("src", [None] * len(case["tgt"]))
    logits = torch.cat([row.logits(src, tgt) for src, tgt in zip(sources, case["tgt"])])
    labels = [label for one in case["labels"] for label in one]
    losses = [logits[i].logsumexp(0) - logits[i, label] for i, label in enumerate(labels) if label != case["padding"]]
    return logits, torch.stack(losses).mean()
