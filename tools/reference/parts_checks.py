"""What make_parts.py holds its models against: torch.nn's stacks, the encoder-decoder of make_model.py, the whole batch
at once, and central differences. Each check asserts; p are the parameters, with their gradients."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import make_model
from parts_model import Row, run


TORCH_ACTIVATIONS = {"relu": F.relu, "squared_relu": lambda x: F.relu(x).square(), "gelu": F.gelu, "silu": F.silu,
                     "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}


def close(ours, theirs, what, bound=1e-12):
    worst = ((ours - theirs).abs() / theirs.abs().clamp(min=1)).max().item()
    assert worst <= bound, f"{what}: {worst:g}"


def torch_layer_state(p, prefix, cross):
    """One of our layers under the names of torch.nn.TransformerEncoderLayer or TransformerDecoderLayer."""
    state = {}
    for ours, theirs in [("self_attn", "self_attn")] + [("src_attn", "multihead_attn")] * cross:
        for kind in ("weight", "bias"):
            state[f"{theirs}.in_proj_{kind}"] = torch.cat([p[f"{prefix}.{ours}.linears.{i}.{kind}"] for i in range(3)])
            state[f"{theirs}.out_proj.{kind}"] = p[f"{prefix}.{ours}.linears.3.{kind}"]
    for kind, cell in (("weight", "a_2"), ("bias", "b_2")):
        for i in (1, 2):
            state[f"linear{i}.{kind}"] = p[f"{prefix}.feed_forward.w_{i}.{kind}"]
        for j in range(2 + cross):
            state[f"norm{j + 1}.{kind}"] = p[f"{prefix}.sublayer.{j}.norm.{cell}"]
    return {name: value.detach() for name, value in state.items()}


def torch_stack(spec, p, name, cross):
    layer, d = spec["layer"], spec["layer"]["d_model"]
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    one = kind(d, layer["heads"], layer["d_ff"], dropout=0.0, activation=TORCH_ACTIVATIONS[layer["activation"]],
               batch_first=True, layer_norm_eps=layer["norm"]["epsilon"],
               norm_first=layer["norm"]["placement"] == "pre_norm")
    layers = spec[f"{name}_layers"]
    norm = nn.LayerNorm(d, layer["norm"]["epsilon"]) if spec["final_norm"] else None
    stack = (nn.TransformerDecoder if cross else nn.TransformerEncoder)(one, layers, norm)
    for i in range(layers):
        stack.layers[i].load_state_dict(torch_layer_state(p, f"{name}.layers.{i}", cross))
    if norm:
        stack.norm.load_state_dict({"weight": p[f"{name}.norm.a_2"].detach(), "bias": p[f"{name}.norm.b_2"].detach()})
    return stack.train()  # no fused kernel


def is_torchs(spec):
    layer, norm = spec["layer"], spec["layer"]["norm"]
    return (norm["kind"] == "layer" and norm["gain"] and norm["shift"] and layer["heads"] == layer["kv_heads"]
            and layer["heads"] * layer["head_width"] == layer["d_model"] and layer["d_ff"] and not layer["gated"]
            and layer["qkv_bias"] and layer["output_bias"] and layer["ff_bias"] and not layer["qk_norm"]
            and spec["positions"] != "rotary")


def check_torch(case, p, result):
    """The stacks are torch.nn's; what stands around them is ours."""
    spec, row, at = case["spec"], Row(case["spec"], p, case["padding"]), 0
    encoder = torch_stack(spec, p, "encoder", False) if "src" in case else None
    decoder = torch_stack(spec, p, "decoder", encoder is not None) if "tgt" in case else None
    padded = lambda ids: None if case["padding"] is None else (torch.tensor([ids]) == case["padding"])
    for i in range(len(case.get("tgt", case.get("src")))):
        if encoder:
            src = case["src"][i]
            output = memory = encoder(row.embed("src", src)[None], src_key_padding_mask=padded(src))
        if decoder:
            tgt, window = case["tgt"][i], spec["layer"]["window"] or 99
            hidden = ~(torch.ones(len(tgt), len(tgt)).tril() * torch.ones(len(tgt), len(tgt)).triu(1 - window)).bool()
            y = row.embed("tgt", tgt)[None]
            if encoder:
                output = decoder(y, memory, tgt_mask=hidden, memory_key_padding_mask=padded(src))
            else:
                output = decoder(y, hidden)
            matrix = p["tgt_embed.0.lut.weight" if spec["tied"] else "generator.proj.weight"]
            output = F.linear(output, matrix, p.get("generator.proj.bias"))
        close(result[at:at + output.shape[1]], output[0], f"{case['name']} and torch.nn")
        at += output.shape[1]


def check_annotated(case, p, result):
    """make_model.py's encoder-decoder takes these parameters by their names."""
    spec = case["spec"]
    shape = dict(layers=spec["encoder_layers"], src_vocab=spec["src_vocab"], tgt_vocab=spec["tgt_vocab"],
                 **{size: spec["layer"][size] for size in ("d_model", "d_ff", "heads")})
    model = make_model.Model(shape, dict(norm="annotated", placement="first", activation="relu"))
    assert [name for name, _ in model.named_parameters()] == list(p)
    model.load_state_dict({name: value.detach() for name, value in p.items()}, strict=False)
    kept = {}
    model(torch.tensor(case["src"]), torch.tensor(case["tgt"]), kept.__setitem__)
    close(result, kept["logits"].reshape(result.shape), "make_model.py")
    labels = torch.tensor(case["labels"]).reshape(-1)
    loss = F.cross_entropy(kept["logits"].reshape(len(labels), -1), labels, ignore_index=case["padding"])
    close(run(case, p)[1], loss, "make_model.py's loss")
    loss.backward()
    for name, parameter in model.named_parameters():
        close(p[name].grad, parameter.grad, f"make_model.py's gradient of {name}")


class Batched:
    """Every case once more, all rows and heads at once: rows filled up behind, keys repeated, rotations as products of
    complex numbers, norms by PyTorch's functions, the attention's output as one sum over heads."""

    def __init__(self, case, p):
        self.spec, self.layer, self.p, self.padding = case["spec"], case["spec"]["layer"], p, case["padding"]
        self.rule = self.layer["norm"]

    def linear(self, name, x):
        return F.linear(x, self.p[f"{name}.weight"], self.p.get(f"{name}.bias"))

    def norm(self, name, x):
        gain, shift = self.p.get(f"{name}.a_2"), self.p.get(f"{name}.b_2")
        if self.rule["kind"] == "layer":
            return F.layer_norm(x, x.shape[-1:], gain, shift, self.rule["epsilon"])
        if self.rule["kind"] == "annotated":
            return gain * (x - x.mean(-1, True)) / (x.std(-1, keepdim=True) + self.rule["epsilon"]) + shift
        y = x * torch.rsqrt(x.pow(2).mean(-1, True) + self.rule["epsilon"])
        return y if gain is None else y * gain

    def rotated(self, x):
        """Of rows × heads × tokens × width."""
        n, w = x.shape[-2:]
        frequencies = torch.exp(-math.log(self.spec["rope_base"]) * torch.arange(0, w, 2) / w)
        angles = torch.outer(torch.arange(n).double(), frequencies)
        turn = torch.polar(torch.ones_like(angles), angles)
        if self.spec["pairs"] == "neighbours":
            return torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turn).flatten(-2)
        z = torch.complex(*x.chunk(2, -1)) * turn
        return torch.cat([z.real, z.imag], -1)

    def attend(self, name, y, keys, hidden, turned):
        d, h, w = self.layer["d_model"], self.layer["heads"], self.layer["head_width"]
        Q, K, V = (self.linear(f"{name}.linears.{i}", x).unflatten(-1, (-1, w)).transpose(1, 2)
                   for i, x in enumerate([y, keys, keys]))
        if self.layer["qk_norm"]:
            Q, K = self.norm(f"{name}.q_norm", Q), self.norm(f"{name}.k_norm", K)
        if turned:
            Q, K = self.rotated(Q), self.rotated(K)
        K, V = (t.repeat_interleave(h // self.layer["kv_heads"], 1) for t in (K, V))
        weights = (torch.einsum("bhqw,bhkw->bhqk", Q, K) * w ** -0.5 + hidden).softmax(-1)
        out = self.p[f"{name}.linears.3.weight"].view(d, h, w)
        return torch.einsum("bhqk,bhkw,dhw->bqd", weights, V, out) + self.p.get(f"{name}.linears.3.bias", 0)

    def feed(self, name, y):
        hidden = TORCH_ACTIVATIONS[self.layer["activation"]](self.linear(f"{name}.w_1", y))
        gate = self.linear(f"{name}.w_3", y) if self.layer["gated"] else 1
        return self.linear(f"{name}.w_2", hidden * gate)

    def embed(self, side, ids):
        d, n = self.layer["d_model"], ids.shape[1]
        x = F.embedding(ids, self.p[f"{side}_embed.0.lut.weight"]) * (d ** 0.5 if self.spec["scaled_embedding"] else 1)
        if self.spec["positions"] == "sinusoidal":
            x = make_model.Positions(d)(x)
        if self.spec["positions"] == "learned":
            x = x + self.p[f"{side}_embed.1.weight"][None, :n]
        return self.norm(f"{side}_embed.norm", x) if self.spec["embedding_norm"] else x

    def stack(self, name, x, hidden, memory=None, memory_hidden=None):
        rotary = self.spec["positions"] == "rotary"
        for i in range(self.spec[f"{name}_layers"]):
            prefix = f"{name}.layers.{i}"
            steps = [lambda y: self.attend(f"{prefix}.self_attn", y, y, hidden, rotary)]
            if memory is not None:
                steps.append(lambda y: self.attend(f"{prefix}.src_attn", y, memory, memory_hidden, False))
            if self.layer["d_ff"]:
                steps.append(lambda y: self.feed(f"{prefix}.feed_forward", y))
            for j, step in enumerate(steps):
                before = self.rule["placement"] == "pre_norm"
                norm = lambda y: self.norm(f"{prefix}.sublayer.{j}.norm", y)
                x = x + step(norm(x)) if before else norm(x + step(x))
        return self.norm(f"{name}.norm", x) if self.spec["final_norm"] else x

    def filled(self, rows):
        """Ids rows × tokens, and what hides their keys: what fills up, and padding."""
        n = max(map(len, rows))
        ids = torch.tensor([row + [0] * (n - len(row)) for row in rows])
        hidden = torch.arange(n)[None] >= torch.tensor([[len(row)] for row in rows])
        if self.padding is not None:
            hidden = hidden | (ids == self.padding)
        return ids, torch.where(hidden, -1e30, 0.0)[:, None, None, :]

    def run(self, case):
        """The rows below each other, without what fills them up."""
        memory = []
        if "src" in case:
            ids, hidden = self.filled(case["src"])
            memory = [self.stack("encoder", self.embed("src", ids), hidden), hidden]
        if "tgt" not in case:
            return torch.cat([row[:len(one)] for row, one in zip(memory[0], case["src"])])
        ids, hidden = self.filled(case["tgt"])
        n = ids.shape[1]
        reach = torch.arange(n)[:, None] - torch.arange(n)[None, :]
        hidden = hidden + torch.where((reach >= 0) & (reach < (self.layer["window"] or n)), 0.0, -1e30)
        x = self.stack("decoder", self.embed("tgt", ids), hidden, *memory)
        if self.spec["tied"]:
            logits = F.linear(x, self.p["tgt_embed.0.lut.weight"])
        else:
            logits = self.linear("generator.proj", x)
        return torch.cat([row[:len(one)] for row, one in zip(logits, case["tgt"])])


def check_batched(case, p, result):
    again = Batched(case, p).run(case)
    close(result, again, f"{case['name']} and the whole batch")
    if "tgt" in case:
        labels = torch.tensor([label for one in case["labels"] for label in one])
        ignored = -100 if case["padding"] is None else case["padding"]
        loss = F.cross_entropy(again, labels, ignore_index=ignored)
    else:
        loss = (again * case["d_memory"]).sum()
    for name, grad in zip(p, torch.autograd.grad(loss, list(p.values()))):
        close(p[name].grad, grad, f"{case['name']} and the whole batch: gradient of {name}", 1e-11)


def check_slopes(case, p):
    """Central differences at a few cells of every parameter."""
    random, h = np.random.RandomState(3), 1e-5
    for name, parameter in p.items():
        cells, grad = parameter.data.view(-1), parameter.grad.view(-1)
        for cell in random.randint(0, len(cells), 4):
            value, losses = cells[cell].item(), []
            for moved in (value + h, value - h):
                cells[cell] = moved
                losses.append(run(case, p)[1].item())
            cells[cell] = value
            slope, claimed = (losses[0] - losses[1]) / (2 * h), grad[cell].item()
            assert abs(slope - claimed) <= 1e-8 * max(1, abs(slope)), f"{case['name']}: {name}[{cell}] {slope} {claimed}"
