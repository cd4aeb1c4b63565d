"""lens: a logit as a sum of what every part wrote, and what the model would say after each part."""
import numpy as np

EPSILON = 1e-6


def head_rows(mixtures, W_O):                                # (h, d_k), (d, h·d_k) → (h, d): each head alone
    columns = np.split(W_O, len(mixtures), axis=1)           # a head's own columns of nn.Linear's weight
    return np.stack([mixture @ W.T for mixture, W in zip(mixtures, columns)])


def divisor_of(x):
    return x.std(axis=-1, ddof=1, keepdims=True) + EPSILON


def direction(w, gain, divisor):                             # w·norm(x) = x·direction + w·shift, for this divisor
    gained = gain * w
    return (gained - gained.mean()) / divisor


def terms_of(parts, w, b, gain, shift, divisor):             # a number for each part, then the shift and the bias
    return np.concatenate([parts @ direction(w, gain, divisor), [shift @ w, b]])


def softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def lens(parts, stream, W_U, b_U, gain, shift, token, against):
    """parts: (m, d), what each part wrote at one place; stream: (depths, d), their sums so far, the last with all."""
    held = divisor_of(stream[-1])                            # of the last row: it is no longer computed, but held
    terms = terms_of(parts, W_U[token], b_U[token], gain, shift, held)
    difference = terms_of(parts, W_U[token] - W_U[against], b_U[token] - b_U[against], gain, shift, held)
    centred = stream - stream.mean(axis=-1, keepdims=True)
    normed = centred / divisor_of(stream) * gain + shift     # each depth by its own divisor
    probabilities = softmax(normed @ W_U.T + b_U)            # (depths, vocabulary)
    return {"terms": terms[:, None], "logit": terms.sum().reshape(1, 1),
            "difference.terms": difference[:, None], "difference.logit": difference.sum().reshape(1, 1),
            "lens": probabilities}
