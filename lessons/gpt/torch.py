"""gpt: a decoder alone in PyTorch, as microgpt has it: RMSNorm without a gain, no biases, ReLU."""
import torch
import torch.nn.functional as F

EPSILON = 1e-5


def norm(x):                                                 # RMSNorm: no mean taken off, nothing learned
    return x * (x.square().mean(-1, keepdim=True) + EPSILON).rsqrt()


def attention(w, name, x, heads):
    Q, K, V = (F.linear(x, w[f"{name}.linears.{part}.weight"]).view(len(x), heads, -1).transpose(0, 1)
               for part in range(3))                         # (h, n, d_k)
    scores = Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5
    later = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(-1)
    concat = (weights @ V).transpose(0, 1).reshape(x.shape)
    return weights, F.linear(concat, w[f"{name}.linears.3.weight"])


def feed_forward(w, name, x):
    return F.linear(F.linear(x, w[f"{name}.w_1.weight"]).relu(), w[f"{name}.w_2.weight"])


def layers_of(w):
    return len({name.split(".")[2] for name in w if name.startswith("decoder.layers.")})


def gpt(w, tgt, labels, heads):
    """w: the state_dict; tgt: token ids; labels: the next token of each, −1 where nobody knows."""
    made = {}
    x = norm(F.embedding(tgt, w["tgt_embed.0.lut.weight"]) + w["tgt_embed.1.weight"][: len(tgt)])
    made["tgt_embed"] = x
    for i in range(layers_of(w)):
        layer = f"decoder.layers.{i}"
        weights, y = attention(w, f"{layer}.self_attn", norm(x), heads)
        x = x + y                                            # x itself, not norm(x)
        x = x + feed_forward(w, f"{layer}.feed_forward", norm(x))
        made[f"{layer}.self_attn.weights"] = weights
    logits = F.linear(x, w["generator.proj.weight"])         # (n, vocabulary)
    loss = F.cross_entropy(logits, labels, ignore_index=-1)  # the label of a row is the token of the next
    return dict(made, logits=logits, log_probs=logits.log_softmax(-1), loss=loss)
