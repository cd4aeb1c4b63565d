"""A GPT in PyTorch with GPT-2's parts, by the names that tfx gives them: pre-norm, biases in the layers, GELU by tanh,
learned positions, an output layer that is the table of the embeddings or has weights of its own. Dropout stands where
tfx has it: behind the embeddings, on attention's weights, on the hidden cells, behind both parts of a layer."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, work):
        super().__init__()
        width, self.heads, self.scale = work.width, work.heads, 1 / math.sqrt(work.width // work.heads)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, work.hidden), nn.Linear(work.hidden, width)
        self.dropout = nn.Dropout(work.dropout)

    def split(self, x):
        """Q, K and V of every head: (batch · heads, tokens, width)."""
        batch, tokens, width = x.shape
        heads = self.qkv(x).view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        return heads.reshape(3, batch * self.heads, tokens, width // self.heads)

    def join(self, x, context):
        """x and what attention adds; context (batch · heads, tokens, width)."""
        batch, tokens, width = x.shape
        context = context.view(batch, self.heads, tokens, width // self.heads).transpose(1, 2).reshape(x.shape)
        return x + self.dropout(self.out(context))

    def feed_forward(self, x):
        hidden = self.dropout(F.gelu(self.up(self.norms[1](x)), approximate="tanh"))
        return x + self.dropout(self.down(hidden))

    def forward(self, x, added, fused):
        """added: 0 where a query may see a key, minus infinity elsewhere."""
        q, k, v = self.split(self.norms[0](x))
        if fused:
            scores = torch.baddbmm(added.expand(len(q), *added.shape), q, k.transpose(1, 2), alpha=self.scale)
        else:
            scores = q @ k.transpose(1, 2) * self.scale + added
        return self.feed_forward(self.join(x, torch.bmm(self.dropout(scores.softmax(-1)), v)))


class Gpt(nn.Module):
    def __init__(self, work, fused):
        super().__init__()
        width = work.width
        self.table, self.positions = nn.Embedding(work.vocabulary, width), nn.Embedding(work.context, width)
        self.layers = nn.ModuleList([Layer(work) for _ in range(work.layers)])
        self.norm, self.dropout, self.fused = nn.LayerNorm(width), nn.Dropout(work.dropout), fused
        self.output = nn.Linear(width, work.vocabulary, bias=not work.tied)
        if work.tied:
            self.output.weight = self.table.weight
        mask = torch.full((work.context, work.context), float("-inf")).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def embed(self, ids, first=0):
        return self.dropout(self.table(ids) + self.positions.weight[first : first + ids.shape[1]])

    def logits(self, x):
        return self.output(self.norm(x))

    def hidden(self, ids):
        x, n = self.embed(ids), ids.shape[1]
        for layer in self.layers:
            x = layer(x, self.mask[:n, :n], self.fused)
        return x

    def forward(self, ids):
        return F.log_softmax(self.logits(self.hidden(ids)), -1)

    def greedy(self, prompt, tokens):
        """Keys and values of earlier tokens are kept; the prompt goes through in one pass."""
        n, end = prompt.shape[1], prompt.shape[1] + tokens - 1
        x = self.embed(prompt)
        heads = self.layers[0].heads
        width = x.shape[-1] // heads
        keys = [torch.empty(heads, width, end) for _ in self.layers]
        values = [torch.empty(heads, end, width) for _ in self.layers]
        for i, layer in enumerate(self.layers):
            q, k, v = layer.split(layer.norms[0](x))
            keys[i][:, :, :n], values[i][:, :n] = k.transpose(1, 2), v
            added = self.mask[:n, :n].expand(heads, n, n)
            scores = torch.baddbmm(added, q, k.transpose(1, 2), alpha=layer.scale)
            x = layer.feed_forward(layer.join(x, torch.bmm(scores.softmax(-1), v)))
        written = [int(self.logits(x[:, -1:]).argmax())]
        for t in range(n, end):
            x = self.embed(torch.tensor([[written[-1]]]), t)
            for i, layer in enumerate(self.layers):
                q, keys[i][:, :, t : t + 1], values[i][:, t : t + 1] = self.one(layer, x)
                weights = (torch.bmm(q, keys[i][:, :, : t + 1]) * layer.scale).softmax(-1)
                x = layer.feed_forward(layer.join(x, torch.bmm(weights, values[i][:, : t + 1])))
            written.append(int(self.logits(x).argmax()))
        return written

    @staticmethod
    def one(layer, x):
        q, k, v = layer.split(layer.norms[0](x))
        return q, k.transpose(1, 2), v


def make_gpt(work, parameters, fused):
    """The model with these parameters: tfx's names to NumPy arrays."""
    model = Gpt(work, fused)
    found = {"table.weight": parameters["tgt_embed.0.lut.weight"], "positions.weight": parameters["tgt_embed.1.weight"],
             "norm.weight": parameters["decoder.norm.a_2"], "norm.bias": parameters["decoder.norm.b_2"]}
    found["output.weight"] = parameters["tgt_embed.0.lut.weight" if work.tied else "generator.proj.weight"]
    if not work.tied:
        found["output.bias"] = parameters["generator.proj.bias"]
    for i in range(work.layers):
        ours, theirs = f"decoder.layers.{i}", f"layers.{i}"
        for kind in ("weight", "bias"):
            linears = [parameters[f"{ours}.self_attn.linears.{j}.{kind}"] for j in range(4)]
            found[f"{theirs}.qkv.{kind}"] = torch.cat([torch.from_numpy(one) for one in linears[:3]])
            found[f"{theirs}.out.{kind}"] = linears[3]
            found[f"{theirs}.up.{kind}"] = parameters[f"{ours}.feed_forward.w_1.{kind}"]
            found[f"{theirs}.down.{kind}"] = parameters[f"{ours}.feed_forward.w_2.{kind}"]
        for j in range(2):
            norm = f"{ours}.sublayer.{j}.norm"
            found[f"{theirs}.norms.{j}.weight"] = parameters[norm + ".a_2"]
            found[f"{theirs}.norms.{j}.bias"] = parameters[norm + ".b_2"]
    model.load_state_dict({name: torch.as_tensor(array) for name, array in found.items()})
    return model
