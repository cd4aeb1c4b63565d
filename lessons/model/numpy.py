"""model: the whole encoder-decoder, from two lists of tokens to the probability of every next token."""
import numpy as np

PAD = 0


def linear(w, name, x):                                      # (…, n, d_in) → (…, n, d_out)
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(w, name, x):                                        # a token: mean 0, std 1 (over d − 1), then gain and shift
    std = x.std(axis=-1, ddof=1, keepdims=True)
    return w[f"{name}.a_2"] * (x - x.mean(axis=-1, keepdims=True)) / (std + 1e-6) + w[f"{name}.b_2"]


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(w, name, x, memory, mask, heads):              # queries of x; keys and values of memory
    def split(part, t):                                      # (n, d) → (h, n, d_k)
        y = linear(w, f"{name}.linears.{part}", t)
        return y.reshape(len(y), heads, -1).swapaxes(0, 1)

    Q, K, V = split(0, x), split(1, memory), split(2, memory)
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])     # (h, n_q, n_k)
    weights = softmax(np.where(mask, scores, -np.inf))
    concat = (weights @ V).swapaxes(0, 1).reshape(len(x), -1)  # (n_q, d)
    return linear(w, f"{name}.linears.3", concat)


def feed_forward(w, name, x):
    return linear(w, f"{name}.w_2", np.maximum(0, linear(w, f"{name}.w_1", x)))


def embed(w, side, ids):
    table = w[f"{side}.0.lut.weight"]
    return table[ids] * np.sqrt(table.shape[1]) + positions(len(ids), table.shape[1])


def positions(n, d):                                         # sin and cos in turn, ever slower waves
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    P = np.empty((n, d))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)[:, : d // 2]
    return P


def layers_of(w, side):
    return len({name.split(".")[2] for name in w if name.startswith(f"{side}.layers.")})


def encode(w, src, heads):
    mask = src != PAD                                        # nobody looks at padding
    x = embed(w, "src_embed", src)
    for i in range(layers_of(w, "encoder")):
        layer = f"encoder.layers.{i}"
        y = norm(w, f"{layer}.sublayer.0.norm", x)
        x = x + attention(w, f"{layer}.self_attn", y, y, mask, heads)
        x = x + feed_forward(w, f"{layer}.feed_forward", norm(w, f"{layer}.sublayer.1.norm", x))
    return norm(w, "encoder.norm", x)                        # memory


def decode(w, memory, src, tgt, heads):
    seen = np.tri(len(tgt), dtype=bool) & (tgt != PAD)       # and nobody at what comes later
    x = embed(w, "tgt_embed", tgt)
    for i in range(layers_of(w, "decoder")):
        layer = f"decoder.layers.{i}"
        y = norm(w, f"{layer}.sublayer.0.norm", x)
        x = x + attention(w, f"{layer}.self_attn", y, y, seen, heads)
        y = norm(w, f"{layer}.sublayer.1.norm", x)
        x = x + attention(w, f"{layer}.src_attn", y, memory, src != PAD, heads)
        x = x + feed_forward(w, f"{layer}.feed_forward", norm(w, f"{layer}.sublayer.2.norm", x))
    return norm(w, "decoder.norm", x)


def model(w, src, tgt, heads):
    """w: the state_dict as arrays; src, tgt: token ids."""
    memory = encode(w, src, heads)
    logits = linear(w, "generator.proj", decode(w, memory, src, tgt, heads))
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return dict(memory=memory, logits=logits, log_probs=log_probs)
