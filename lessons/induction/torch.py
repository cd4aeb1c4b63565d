"""induction: attention alone in PyTorch, two layers deep."""
import torch
import torch.nn.functional as F


def attention(w, name, x, heads):
    Q, K, V = (F.linear(x, w[f"{name}.linears.{part}.weight"]).view(len(x), heads, -1).transpose(0, 1)
               for part in range(3))                         # (h, n, d_k)
    scores = Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5
    later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    concat = (weights @ V).transpose(0, 1).reshape(x.shape)
    return weights, F.linear(concat, w[f"{name}.linears.3.weight"])


def induction_score(weights, tgt):
    """The mean weight just behind the last place where the query's token stood."""
    found = []
    for q in range(len(tgt)):
        before = (tgt[:q] == tgt[q]).nonzero()
        if len(before):
            found.append(weights[:, q, before[-1, 0] + 1])   # (h)
    return torch.stack(found).mean(0) if found else weights.new_zeros(len(weights))


def circuits(w):
    """Weights alone, of one head a layer: what reading a token says, and which token it looks for."""
    def W(layer, part):
        name = f"decoder.layers.{layer}.self_attn"
        return w[f"{name}.linears.{part}.weight"].T

    E = w["tgt_embed.0.lut.weight"]
    moved = E @ W(0, 2) @ W(0, 3)                            # what layer 0 writes a place on
    return dict(copies=E @ W(1, 2) @ W(1, 3) @ w["generator.proj.weight"].T,
                matches=(E @ W(1, 0)) @ (moved @ W(1, 1)).T)


def layers_of(w):
    return len({name.split(".")[2] for name in w if name.startswith("decoder.layers.")})


def induction(w, tgt, heads):
    """w: the state_dict; tgt: token ids."""
    x = F.embedding(tgt, w["tgt_embed.0.lut.weight"]) + w["tgt_embed.1.weight"][: len(tgt)]
    made = {}
    for i in range(layers_of(w)):
        layer = f"decoder.layers.{i}"
        before = f"{layer}.sublayer.0.norm"
        y = F.layer_norm(x, x.shape[-1:], w[f"{before}.a_2"], w[f"{before}.b_2"])
        weights, y = attention(w, f"{layer}.self_attn", y, heads)
        x = x + y                                            # no feed-forward behind it
        made[f"{layer}.self_attn.weights"] = weights
    x = F.layer_norm(x, x.shape[-1:], w["decoder.norm.a_2"], w["decoder.norm.b_2"])
    logits = F.linear(x, w["generator.proj.weight"])         # (n, vocabulary)
    if heads == 1 and layers_of(w) == 2:
        made.update(circuits(w))
    return dict(made, logits=logits, log_probs=logits.log_softmax(-1), score=induction_score(weights, tgt))
