"""decode: which token is written next, and which target of a beam is the best."""
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def mass_before(p):                                          # (1, V) → (1, V)
    order = np.argsort(-p[0], kind="stable")                 # the most probable first
    before = np.empty_like(p)
    before[0, order] = np.cumsum(p[0, order]) - p[0, order]  # written at its own token
    return before


def decode(logits, u, target_log_probs, lengths, temperature=0.5, top_k=5, top_p=0.9, exponent=0.6):
    log_probs = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
    greedy = np.eye(logits.shape[-1])[log_probs.argmax(axis=-1)]
    tempered = logits / temperature                          # logits, not probabilities
    probs = softmax(tempered)

    kept_k = np.zeros_like(probs)
    kept_k[0, np.argsort(-probs[0], kind="stable")[:top_k]] = 1
    probs_k = probs * kept_k / (probs * kept_k).sum()        # a distribution again

    before = mass_before(probs_k)
    kept_p = (before < top_p).astype(float)                  # the token that reaches p stays
    probs_p = probs_k * kept_p / (probs_k * kept_p).sum()

    places = mass_before(probs_p)
    hit = (places <= u) & (u < places + probs_p)             # where u falls

    steps = np.arange(1, len(target_log_probs) + 1)[:, None]
    sums = (target_log_probs * (steps <= lengths)).sum(axis=0, keepdims=True)  # nothing behind the end
    penalty = (((5 + lengths) / 6) ** exponent)[None]
    score = sums / penalty
    return dict(log_probs=log_probs, greedy=greedy, tempered=tempered, probs=probs, kept_k=kept_k, probs_k=probs_k,
                before=before, kept_p=kept_p, probs_p=probs_p, places=places, taken=hit.astype(float),
                sum=sums, penalty=penalty, score=score, chosen=(score == score.max()).astype(float))
