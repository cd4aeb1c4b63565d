#!/usr/bin/python3
"""PyTorch as a side of the comparison (Debian's 1.13). Attention: eager, as one writes it; fused, one product for Q, K
and V and baddbmm with the mask; sdpa, the private operator of 1.13; traced, frozen TorchScript with oneDNN; tiled, 256
queries at a time. The model: eager; fast, with the native layer norm; traced. A step: eager; fast, with the native
layer norm and Adam over all parameters at once. Decoding: whole, the whole prefix at every step; cached. A GPT: eager,
as one writes it; fast, with baddbmm for the masked scores, and Adam over all parameters at once; traced; cached.

The native layer norm takes the deviation of the population: its gain times sqrt((d - 1)/d) makes it the tutorial's."""
import math
import os

import torch
import torch.nn.functional as F
from torch import nn

import annotated
import gpt
from configurations import CONFIGURATIONS, START, Attention, Gpt, load
from worker import serve

torch.set_num_threads(int(os.environ.get("TORCH_THREADS", "2")))
torch.set_grad_enabled(False)


class Block(nn.Module):
    """The attention block as a module, to be traced."""

    def __init__(self, te, pe, together, wo, mask, work):
        super().__init__()
        self.te, self.pe, self.work = nn.Parameter(te), nn.Parameter(pe), work
        self.qkv = nn.Linear(*together.shape, bias=False)
        self.out = nn.Linear(*wo.shape, bias=False)
        self.qkv.weight.data, self.out.weight.data = together.t().contiguous(), wo.t().contiguous()
        self.register_buffer("mask", mask)

    def forward(self, ids):
        work = self.work
        qkv = self.qkv(F.embedding(ids, self.te) + self.pe)
        qkv = qkv.view(work.batch, work.tokens, 3, work.heads, work.width // work.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(torch.matmul(qkv[0], qkv[1].transpose(-2, -1)) + self.mask, -1)
        context = torch.matmul(weights, qkv[2]).transpose(1, 2)
        return self.out(context.reshape(work.batch, work.tokens, work.width))


def traced(module, *arguments):
    compiled = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module.eval(), arguments)))
    for _ in range(3):
        compiled(*arguments)
    return lambda: compiled(*arguments)


def attention(variant, work, inputs):
    te, pe, wq, wk, wv, wo, ids = (torch.from_numpy(inputs[k]) for k in ("te", "pe", "wq", "wk", "wv", "wo", "ids"))
    b, n, width, h = work.batch, work.tokens, work.width, work.heads
    d = width // h
    blocked = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
    together = torch.cat([wq / math.sqrt(d), wk, wv], 1).contiguous()
    added = torch.zeros(n, n).masked_fill(blocked, float("-inf"))

    def split():
        x = F.embedding(ids, te).add_(pe).view(b * n, width)
        return torch.mm(x, together).view(b, n, 3, h, d).permute(2, 0, 3, 1, 4)

    def join(context):  # (b, h, n, d)
        return torch.mm(context.transpose(1, 2).reshape(b * n, width), wo).view(b, n, width)

    def eager():
        x = te[ids] + pe
        q, k, v = [(x @ w).view(b, n, h, d).transpose(1, 2) for w in (wq, wk, wv)]
        scores = (q @ k.transpose(-2, -1) / math.sqrt(d)).masked_fill(blocked, -1e9)
        return (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, n, width) @ wo

    def fused():
        q, k, v = split().contiguous().view(3, b * h, n, d)
        weights = torch.baddbmm(added.expand(b * h, n, n), q, k.transpose(1, 2)).softmax(-1)
        return join(torch.bmm(weights, v).view(b, h, n, d))

    def sdpa():
        q, k, v = split()
        return join(F._scaled_dot_product_attention(q * math.sqrt(d), k, v, None, 0.0, False, True)[0])

    def tiled(tile=256):
        q, k, v = split().contiguous().view(3, b * h, n, d)
        context = torch.empty(b, n, h, d)
        for begin in range(0, n, tile):
            end = min(begin + tile, n)
            scores = torch.bmm(q[:, begin:end], k[:, :end].transpose(1, 2))
            scores[:, :, begin:end] += added[: end - begin, : end - begin]
            part = torch.bmm(scores.softmax(-1), v[:, :end]).view(b, h, end - begin, d)
            context[:, begin:end] = part.transpose(1, 2)
        return torch.mm(context.view(b * n, width), wo).view(b, n, width)

    if variant == "traced":
        return traced(Block(te, pe, together, wo, added, work), ids)
    return {"eager": eager, "fused": fused, "sdpa": sdpa, "tiled": tiled}[variant]


def forward(variant, model, src, tgt):
    model.eval()
    if variant == "traced":
        return traced(model, src, tgt)
    return lambda: model(src, tgt)


def training_step(variant, model, data):
    model.train()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, foreach=variant == "fast")
    divergence, smoothing = nn.KLDivLoss(reduction="sum"), 0.1
    labels = data[:, 1:].reshape(-1)

    def step():
        with torch.enable_grad():
            found = model(data, data[:, :-1]).view(len(labels), -1)
            with torch.no_grad():
                wanted = torch.full_like(found, smoothing / (found.shape[1] - 2))
                wanted.scatter_(1, labels.unsqueeze(1), 1 - smoothing)
                wanted[:, 0] = 0
                wanted.index_fill_(0, (labels == 0).nonzero().view(-1), 0.0)
            loss = divergence(found, wanted) / labels.numel()
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
        return [loss.item()]

    return step


def greedy(variant, model, src, tokens):
    model.eval()
    if variant == "cached":
        return annotated.CachedDecoder(model, src, tokens).run

    def whole():
        memory, written = model.encode(src), [START]
        for _ in range(tokens):
            logits = model.generator.proj(model.decode(memory, torch.tensor([written]))[:, -1])
            written.append(int(logits.argmax()))
        return written[1:]

    return whole


def gpt_work(variant, work, inputs):
    ids = torch.from_numpy(inputs.pop("tgt"))
    model = gpt.make_gpt(work, inputs, fused=variant != "eager")
    if work.kind == "step":
        return gpt_step(variant, model, ids)
    model.eval()
    if work.kind == "decode":
        return lambda: model.greedy(ids, work.written)
    return traced(model, ids) if variant == "traced" else lambda: model(ids)


def gpt_step(variant, model, ids):
    model.train()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9, foreach=variant == "fast")

    def step():
        with torch.enable_grad():
            logits = model.logits(model.hidden(ids[:, :-1]))
            loss = F.cross_entropy(logits.view(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
        return [loss.item()]

    return step


def make(variant, name, folder):
    work, inputs = CONFIGURATIONS[name], load(folder, name)
    torch.manual_seed(42)  # dropout
    if isinstance(work, Attention):
        return attention(variant, work, inputs)
    if isinstance(work, Gpt):
        return gpt_work(variant, work, inputs)
    src, tgt = torch.from_numpy(inputs.pop("src")), torch.from_numpy(inputs.pop("tgt"))
    model = annotated.make_model(inputs, work.layers, native_norm=variant != "eager")
    if work.kind == "decode":
        return greedy(variant, model, src, work.target)
    return training_step(variant, model, tgt) if work.kind == "step" else forward(variant, model, src, tgt)


if __name__ == "__main__":
    serve(make)
