"""params: the same counted in modules of torch.nn."""
import torch
from torch import nn


def count(*modules):
    return sum(p.numel() for module in modules for p in module.parameters())


def multiplied(*modules):
    """The weights that a token meets in a product: those of a Linear; an Embedding looks up, a LayerNorm has none."""
    return sum(m.weight.numel() for module in modules for m in module.modules() if isinstance(m, nn.Linear))


def mixing(h, n, d_k):
    q, k, v = torch.empty(h, 1, d_k), torch.empty(h, n, d_k), torch.empty(h, n, d_k)
    scores = q @ k.transpose(1, 2)                           # (h, 1, n), d_k multiply-adds a cell
    output = scores @ v                                      # (h, 1, d_k), n multiply-adds a cell
    return [scores.numel() * d_k, output.numel() * n]


def kept_by_adam():
    """Numbers that a training keeps of each weight."""
    w = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([w])
    w.grad = torch.ones(1)
    optimizer.step()
    return 1 + 1 + sum(name in optimizer.state[w] for name in ("exp_avg", "exp_avg_sq"))  # weight, gradient, moments


def params(d_model, d_ff, h, N, vocab, n):
    d, f, V, d_k = d_model, d_ff, vocab, d_model // h
    W_Q, W_K, W_V, W_O = (nn.Linear(d, d) for _ in range(4))
    W_1, W_2, norm = nn.Linear(d, f), nn.Linear(f, d), nn.LayerNorm(d)
    embedding, generator = nn.Embedding(V, d), nn.Linear(d, V)
    attention, feed_forward = [W_Q, W_K, W_V, W_O], [W_1, W_2]
    places = [attention + feed_forward + 2 * [norm],         # an encoder layer
              2 * attention + feed_forward + 3 * [norm],     # a decoder layer
              2 * [norm] + 2 * [embedding] + [generator]]    # outside of the layers
    kinds = [W_Q, W_K, W_V, W_O, W_1, W_2, norm, embedding, generator]
    parameters = torch.tensor([[count(kind)] for kind in kinds])
    bias = torch.tensor([[kind.bias.numel() if isinstance(kind, nn.Linear) else 0] for kind in kinds])

    whole = nn.Transformer(d, h, N, N, f)                    # both sides, with their last norms
    total = torch.tensor(count(whole, embedding, embedding, generator))
    c = dict(weight_count=parameters - bias, parameters=parameters, total=total,
             sums=torch.tensor([[count(*place) for place in places]]))
    c.update(d_k=torch.tensor(d / h), head_weights=torch.tensor(d * d / h), all_heads=torch.tensor(d * d))

    c["weight_macs"] = torch.tensor([[multiplied(*place) for place in places]])
    c["mixed"] = torch.tensor(mixing(h, n, d_k))[:, None]
    c["mixing_macs"] = c["mixed"].sum() * torch.tensor([[1, 2, 0]])
    c["layer_macs"] = c["weight_macs"] + c["mixing_macs"]
    c["macs"] = (c["layer_macs"] * torch.tensor([[N, N, 1]])).sum()
    c["flops"] = 2 * c["macs"]

    c["weight_bytes"] = total * next(whole.parameters()).element_size()
    c["training_bytes"] = c["weight_bytes"] * kept_by_adam()
    return c
