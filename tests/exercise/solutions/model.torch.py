# tfx exercise model
import torch
from attention import attention
from embed import embed
from scores import scores
from softmax import softmax


def linear(w, name, x):
    return torch.nn.functional.linear(x, w[name + ".weight"], w[name + ".bias"])


def norm(w, name, x):
    mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
    return w[name + ".a_2"] * (x - mean) / (std + 1e-6) + w[name + ".b_2"]


def multihead(w, name, x, memory, mask, heads):
    def split(y):
        return y.view(len(y), heads, -1).transpose(0, 1)

    Q, K, V = (split(linear(w, f"{name}.linears.{j}", y)) for j, y in enumerate((x, memory, memory)))
    S = scores(Q, K)["scores"].masked_fill(~mask, float("-inf"))
    weights = softmax(S, K.shape[-1])["weights"]
    mixed = attention(weights, V)["output"].transpose(0, 1).reshape(len(x), -1)
    return linear(w, name + ".linears.3", mixed)


def feed_forward(w, name, x):
    return linear(w, name + ".w_2", torch.relu(linear(w, name + ".w_1", x)))


def layers(w, side):
    count = len({name.split(".")[2] for name in w if name.startswith(side + ".layers.")})
    return [f"{side}.layers.{i}" for i in range(count)]


def encode(w, src, heads):
    x = embed(src, w["src_embed.0.lut.weight"])["X"]
    mask = (src != 0).expand(len(src), -1)
    for layer in layers(w, "encoder"):
        y = norm(w, layer + ".sublayer.0.norm", x)
        x = x + multihead(w, layer + ".self_attn", y, y, mask, heads)
        x = x + feed_forward(w, layer + ".feed_forward", norm(w, layer + ".sublayer.1.norm", x))
    return norm(w, "encoder.norm", x)


def decode(w, memory, src, tgt, heads):
    x = embed(tgt, w["tgt_embed.0.lut.weight"])["X"]
    seen = torch.ones(len(tgt), len(tgt)).tril().bool() & (tgt != 0)
    for layer in layers(w, "decoder"):
        y = norm(w, layer + ".sublayer.0.norm", x)
        x = x + multihead(w, layer + ".self_attn", y, y, seen, heads)
        y = norm(w, layer + ".sublayer.1.norm", x)
        x = x + multihead(w, layer + ".src_attn", y, memory, (src != 0).expand(len(tgt), -1), heads)
        x = x + feed_forward(w, layer + ".feed_forward", norm(w, layer + ".sublayer.2.norm", x))
    return torch.log_softmax(linear(w, "generator.proj", norm(w, "decoder.norm", x)), dim=-1)


def model(w, src, tgt, heads, start, end, longest):
    memory = encode(w, src, heads)
    said = [start]
    while len(said) <= longest:
        best = int(decode(w, memory, src, torch.tensor(said), heads)[-1].argmax())
        if best == end:
            break
        said.append(best)
    return {"memory": memory, "log_probs": decode(w, memory, src, tgt, heads), "greedy": said[1:]}
