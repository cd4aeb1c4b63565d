"""A GPT in PyTorch with GPT-2's parts, by the names that tfx gives them: pre-norm, biases in the layers, GELU by tanh,
learned positions, an output layer that is the table of the embeddings. Dropout stands where tfx has it: behind the
embeddings, on attention's weights, on the hidden cells, behind both parts of a layer."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from annotated import DROPOUT
from configurations import D_FF, D_MODEL, HEADS, LAYERS

WIDTH = D_MODEL // HEADS


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(D_MODEL) for _ in range(2)])
        self.qkv, self.out = nn.Linear(D_MODEL, 3 * D_MODEL), nn.Linear(D_MODEL, D_MODEL)
        self.up, self.down = nn.Linear(D_MODEL, D_FF), nn.Linear(D_FF, D_MODEL)
        self.dropout = nn.Dropout(DROPOUT)

    def split(self, x):
        """Q, K and V of every head: (batch · heads, tokens, width)."""
        batch, tokens, _ = x.shape
        heads = self.qkv(x).view(batch, tokens, 3, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
        return heads.reshape(3, batch * HEADS, tokens, WIDTH)

    def join(self, x, context):
        """x and what attention adds; context (batch · heads, tokens, width)."""
        batch, tokens, _ = x.shape
        context = context.view(batch, HEADS, tokens, WIDTH).transpose(1, 2).reshape(batch, tokens, D_MODEL)
        return x + self.dropout(self.out(context))

    def feed_forward(self, x):
        hidden = self.dropout(F.gelu(self.up(self.norms[1](x)), approximate="tanh"))
        return x + self.dropout(self.down(hidden))

    def forward(self, x, added, fused):
        """added: 0 where a query may see a key, minus infinity elsewhere."""
        q, k, v = self.split(self.norms[0](x))
        if fused:
            scores = torch.baddbmm(added.expand(len(q), *added.shape), q, k.transpose(1, 2), alpha=1 / math.sqrt(WIDTH))
        else:
            scores = q @ k.transpose(1, 2) / math.sqrt(WIDTH) + added
        return self.feed_forward(self.join(x, torch.bmm(self.dropout(scores.softmax(-1)), v)))


class Gpt(nn.Module):
    def __init__(self, vocabulary, context, fused):
        super().__init__()
        self.table, self.positions = nn.Embedding(vocabulary, D_MODEL), nn.Embedding(context, D_MODEL)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.norm, self.dropout, self.fused = nn.LayerNorm(D_MODEL), nn.Dropout(DROPOUT), fused
        mask = torch.full((context, context), float("-inf")).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def embed(self, ids, first=0):
        return self.dropout(self.table(ids) + self.positions.weight[first : first + ids.shape[1]])

    def logits(self, x):
        return F.linear(self.norm(x), self.table.weight)

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
        keys = [torch.empty(HEADS, WIDTH, end) for _ in self.layers]
        values = [torch.empty(HEADS, end, WIDTH) for _ in self.layers]
        x = self.embed(prompt)
        for i, layer in enumerate(self.layers):
            q, k, v = layer.split(layer.norms[0](x))
            keys[i][:, :, :n], values[i][:, :n] = k.transpose(1, 2), v
            added = self.mask[:n, :n].expand(HEADS, n, n)
            scores = torch.baddbmm(added, q, k.transpose(1, 2), alpha=1 / math.sqrt(WIDTH))
            x = layer.feed_forward(layer.join(x, torch.bmm(scores.softmax(-1), v)))
        written = [int(self.logits(x[:, -1:]).argmax())]
        for t in range(n, end):
            x = self.embed(torch.tensor([[written[-1]]]), t)
            for i, layer in enumerate(self.layers):
                q, keys[i][:, :, t : t + 1], values[i][:, t : t + 1] = self.one(layer, x)
                weights = (torch.bmm(q, keys[i][:, :, : t + 1]) / math.sqrt(WIDTH)).softmax(-1)
                x = layer.feed_forward(layer.join(x, torch.bmm(weights, values[i][:, : t + 1])))
            written.append(int(self.logits(x).argmax()))
        return written

    @staticmethod
    def one(layer, x):
        q, k, v = layer.split(layer.norms[0](x))
        return q, k.transpose(1, 2), v


def make_gpt(parameters, fused):
    """The model with these parameters: tfx's names to NumPy arrays."""
    model = Gpt(*(len(parameters[f"tgt_embed.{part}.weight"]) for part in ("0.lut", "1")), fused)
    found = {"table.weight": parameters["tgt_embed.0.lut.weight"], "positions.weight": parameters["tgt_embed.1.weight"],
             "norm.weight": parameters["decoder.norm.a_2"], "norm.bias": parameters["decoder.norm.b_2"]}
    for i in range(LAYERS):
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
