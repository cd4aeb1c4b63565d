"""embed: numbers of words become vectors, and get a position."""
import math

import numpy as np

SHOWN = 64  # a table of more words has one-hot rows too long to look at


def one_hot(token_ids, vocabulary):
    return (token_ids[..., np.newaxis] == np.arange(vocabulary)).astype(np.float64)  # (…, n, vocabulary)


def angles(positions, d_model):
    pair = np.arange(d_model) // 2                             # 0 0 1 1 2 2 …
    div_term = np.exp(-math.log(10000.0) * 2 * pair / d_model)  # (d_model): one wavelength a pair
    return positions[:, np.newaxis] * div_term                 # (n, 1)·(d_model) → (n, d_model)


def embed(token_ids, token_embedding, position_embedding=None):
    """Sinusoidal positions and ·√d_model, or learned ones where there is a table of them."""
    vocabulary, d_model = token_embedding.shape
    token_ids = token_ids.astype(int)                          # (…, n)
    positions = np.arange(token_ids.shape[-1])                 # (n): along the sentence, not the batch
    token_vectors = token_embedding[token_ids]                 # (…, n, d_model)
    tensors = dict(token_vectors=token_vectors, positions=positions)
    if vocabulary <= SHOWN:
        ones = one_hot(token_ids, vocabulary)
        tensors.update(one_hot=ones, product=ones @ token_embedding)  # the same rows
    if position_embedding is not None:
        position_vectors = position_embedding[positions]       # (n, d_model)
        return dict(tensors, position_vectors=position_vectors, X=token_vectors + position_vectors)
    embedded = token_vectors * math.sqrt(d_model)              # (…, n, d_model)
    A = angles(positions, d_model)                             # (n, d_model)
    position_vectors = np.empty_like(A)
    position_vectors[:, 0::2] = np.sin(A[:, 0::2])             # even columns
    position_vectors[:, 1::2] = np.cos(A[:, 1::2])             # odd columns
    return dict(tensors, embedded=embedded, angles=A, position_vectors=position_vectors,
                X=embedded + position_vectors)
