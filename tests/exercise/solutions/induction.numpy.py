# tfx exercise induction
import numpy as np

from attention import attention
from scores import scores
from softmax import softmax


def linear(w, name, x):
    return x @ w[name + ".weight"].T


def norm(w, name, x):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * w[name + ".a_2"] + w[name + ".b_2"]


def masked_attention(w, name, x, heads):
    def split(y):
        return y.reshape(len(y), heads, -1).swapaxes(0, 1)

    Q, K, V = (split(linear(w, f"{name}.linears.{j}", x)) for j in range(3))
    S = np.where(np.tri(len(x), dtype=bool), scores(Q, K)["scores"], -np.inf)
    weights = softmax(S, K.shape[-1])["weights"]
    mixed = attention(weights, V)["output"].swapaxes(0, 1).reshape(len(x), -1)
    return weights, linear(w, name + ".linears.3", mixed)


def decode(w, tgt, heads):
    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)]
    for i in range(len({name.split(".")[2] for name in w if name.startswith("decoder.layers.")})):
        layer = f"decoder.layers.{i}"
        weights, y = masked_attention(w, layer + ".self_attn", norm(w, layer + ".sublayer.0.norm", x), heads)
        x = x + y
    logits = linear(w, "generator.proj", norm(w, "decoder.norm", x))
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), weights


def induction_score(weights, tgt):
    found = []
    for q in range(len(tgt)):
        stood = [k for k in range(q) if tgt[k] == tgt[q]]
        if stood:
            found.append(weights[:, q, stood[-1] + 1])
    return np.mean(found, axis=0) if found else np.zeros(len(weights))


def induction(w, tgt, heads):
    log_probs, weights = decode(w, tgt, heads)
    return {"log_probs": log_probs, "score": induction_score(weights, tgt)}


