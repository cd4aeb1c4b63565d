"""gpt: a decoder alone, from the tokens that are written to the probability of every next one."""
import numpy as np

EPSILON = 1e-5


def norm(x):                                                 # RMSNorm: no mean taken off, nothing learned
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(w, name, x, heads):
    def split(part):                                         # (n, d) → (h, n, d_k)
        projected = x @ w[f"{name}.linears.{part}.weight"].T
        return projected.reshape(len(x), heads, -1).swapaxes(0, 1)

    Q, K, V = split(0), split(1), split(2)
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])     # (h, n, n)
    seen = np.tri(len(x), dtype=bool)                        # itself and those before, nothing later
    weights = softmax(np.where(seen, scores, -np.inf))
    concat = (weights @ V).swapaxes(0, 1).reshape(x.shape)
    return weights, concat @ w[f"{name}.linears.3.weight"].T


def feed_forward(w, name, x):
    return np.maximum(0, x @ w[f"{name}.w_1.weight"].T) @ w[f"{name}.w_2.weight"].T


def layers_of(w):
    return len({name.split(".")[2] for name in w if name.startswith("decoder.layers.")})


def gpt(w, tgt, labels, heads):
    """w: the state_dict as arrays; tgt: token ids; labels: the next token of each, −1 where nobody knows."""
    made = {}
    x = norm(w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)])
    made["tgt_embed"] = x
    for i in range(layers_of(w)):
        layer = f"decoder.layers.{i}"
        weights, y = attention(w, f"{layer}.self_attn", norm(x), heads)
        x = x + y                                            # x itself, not norm(x)
        x = x + feed_forward(w, f"{layer}.feed_forward", norm(x))
        made[f"{layer}.self_attn.weights"] = weights
    logits = x @ w["generator.proj.weight"].T                # (n, vocabulary)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    known = labels >= 0
    loss = -log_probs[known, labels[known]].mean()           # the label of a row is the token of the next
    return dict(made, logits=logits, log_probs=log_probs, loss=loss)
