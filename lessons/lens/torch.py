"""lens: a logit as a sum of what every part wrote, and what the model would say after each part, in PyTorch."""
import torch

EPSILON = 1e-6


def head_rows(mixtures, W_O):                                # (h, d_k), (d, h·d_k) → (h, d): each head alone
    return torch.einsum("hk,dhk->hd", mixtures, W_O.unflatten(1, mixtures.shape))


def divisor_of(x):
    return x.std(-1, keepdim=True) + EPSILON


def direction(w, gain, divisor):                             # w·norm(x) = x·direction + w·shift, for this divisor
    gained = gain * w
    return (gained - gained.mean()) / divisor


def terms_of(parts, w, b, gain, shift, divisor):             # a number for each part, then the shift and the bias
    return torch.cat([parts @ direction(w, gain, divisor), torch.stack([shift @ w, b])])


def lens(parts, stream, W_U, b_U, gain, shift, token, against):
    """parts: (m, d), what each part wrote at one place; stream: (depths, d), their sums so far, the last with all."""
    held = divisor_of(stream[-1])                            # of the last row: it is no longer computed, but held
    terms = terms_of(parts, W_U[token], b_U[token], gain, shift, held)
    difference = terms_of(parts, W_U[token] - W_U[against], b_U[token] - b_U[against], gain, shift, held)
    centred = stream - stream.mean(-1, keepdim=True)
    normed = centred / divisor_of(stream) * gain + shift     # each depth by its own divisor
    probabilities = (normed @ W_U.T + b_U).softmax(-1)       # (depths, vocabulary)
    return {"terms": terms[:, None], "logit": terms.sum().reshape(1, 1),
            "difference.terms": difference[:, None], "difference.logit": difference.sum().reshape(1, 1),
            "lens": probabilities}
