"""decode: which token is written next, and which target of a beam is the best."""
import torch


def mass_before(p):                                          # (1, V) → (1, V)
    values, order = p.sort(descending=True, stable=True)     # the most probable first
    return torch.empty_like(p).scatter(-1, order, values.cumsum(-1) - values)


def decode(logits, u, target_log_probs, lengths, temperature=0.5, top_k=5, top_p=0.9, exponent=0.6):
    log_probs = torch.log_softmax(logits, dim=-1)
    greedy = torch.nn.functional.one_hot(log_probs.argmax(-1), logits.shape[-1])
    tempered = logits / temperature                          # logits, not probabilities
    probs = torch.softmax(tempered, dim=-1)

    best = probs.topk(min(top_k, probs.shape[-1])).indices
    kept_k = torch.zeros_like(probs).scatter(-1, best, 1.0)
    probs_k = probs * kept_k / (probs * kept_k).sum()        # a distribution again

    before = mass_before(probs_k)
    kept_p = (before < top_p).to(probs)                      # the token that reaches p stays
    probs_p = probs_k * kept_p / (probs_k * kept_p).sum()

    places = mass_before(probs_p)
    hit = (places <= u) & (u < places + probs_p)             # torch.multinomial(probs_p, 1) draws u itself

    steps = torch.arange(1, len(target_log_probs) + 1)[:, None]
    sums = (target_log_probs * (steps <= lengths)).sum(0, keepdim=True)  # nothing behind the end
    penalty = (((5 + lengths) / 6) ** exponent)[None]
    score = sums / penalty
    return dict(log_probs=log_probs, greedy=greedy, tempered=tempered, probs=probs, kept_k=kept_k, probs_k=probs_k,
                before=before, kept_p=kept_p, probs_p=probs_p, places=places, taken=hit.to(probs),
                sum=sums, penalty=penalty, score=score, chosen=(score == score.max()).to(probs))
