"""induction: attention alone, two layers deep, and how far it looks behind the last occurrence."""
import numpy as np

EPSILON = 1e-5


def norm(x, gain, shift):                                    # LayerNorm
    y = x - x.mean(axis=-1, keepdims=True)
    return y / np.sqrt((y * y).mean(axis=-1, keepdims=True) + EPSILON) * gain + shift


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(w, name, x, heads):
    def split(part):                                         # (n, d) → (h, n, d_k)
        projected = x @ w[f"{name}.linears.{part}.weight"].T
        return projected.reshape(len(x), heads, -1).swapaxes(0, 1)

    Q, K, V = split(0), split(1), split(2)
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])     # (h, n, n)
    seen = np.tri(len(x), dtype=bool)                        # itself and those before
    weights = softmax(np.where(seen, scores, -np.inf))
    concat = (weights @ V).swapaxes(0, 1).reshape(x.shape)
    return weights, concat @ w[f"{name}.linears.3.weight"].T


def induction_score(weights, tgt):
    """The mean weight just behind the last place where the query's token stood."""
    found = []
    for q, token in enumerate(tgt):
        before = np.flatnonzero(tgt[:q] == token)
        if len(before):
            found.append(weights[:, q, before[-1] + 1])      # (h)
    return np.mean(found, axis=0) if found else np.zeros(len(weights))


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
    """w: the state_dict as arrays; tgt: token ids."""
    x = w["tgt_embed.0.lut.weight"][tgt] + w["tgt_embed.1.weight"][: len(tgt)]
    made = {}
    for i in range(layers_of(w)):
        layer = f"decoder.layers.{i}"
        before = f"{layer}.sublayer.0.norm"
        y = norm(x, w[f"{before}.a_2"], w[f"{before}.b_2"])
        weights, y = attention(w, f"{layer}.self_attn", y, heads)
        x = x + y                                            # no feed-forward behind it
        made[f"{layer}.self_attn.weights"] = weights
    x = norm(x, w["decoder.norm.a_2"], w["decoder.norm.b_2"])
    logits = x @ w["generator.proj.weight"].T                # (n, vocabulary)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    if heads == 1 and layers_of(w) == 2:
        made.update(circuits(w))
    return dict(made, logits=logits, log_probs=log_probs, score=induction_score(weights, tgt))
