# tfx exercise induction
import torch

from attention import attention
from scores import scores
from softmax import softmax

torch.set_default_dtype(torch.float64)


def linear(w, name, x):
    return x @ w[name + ".weight"].T


def norm(w, name, x):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w[name + ".a_2"], w[name + ".b_2"])


def masked_attention(w, name, x, heads):
    Q, K, V = (linear(w, f"{name}.linears.{j}", x).view(len(x), heads, -1).transpose(0, 1) for j in range(3))
    later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
    weights = softmax(scores(Q, K)["scores"].masked_fill(later, -torch.inf), K.shape[-1])["weights"]
    mixed = attention(weights, V)["output"].transpose(0, 1).reshape(len(x), -1)
    return weights, linear(w, name + ".linears.3", mixed)


def decode(w, tgt, heads):
    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)]
    for i in range(len({name.split(".")[2] for name in w if name.startswith("decoder.layers.")})):
        layer = f"decoder.layers.{i}"
        weights, y = masked_attention(w, layer + ".self_attn", norm(w, layer + ".sublayer.0.norm", x), heads)
        x = x + y
    return linear(w, "generator.proj", norm(w, "decoder.norm", x)).log_softmax(-1), weights


def induction_score(weights, tgt):
    found = []
    for q in range(len(tgt)):
        stood = (tgt[:q] == tgt[q]).nonzero()
        if len(stood):
            found.append(weights[:, q, stood[-1, 0] + 1])
    return torch.stack(found).mean(0) if found else weights.new_zeros(len(weights))


def induction(w, tgt, heads):
    log_probs, weights = decode(w, tgt, heads)
    return {"log_probs": log_probs, "score": induction_score(weights, tgt)}


