"""embed: numbers of words become vectors, and get a position."""
import math

import torch
import torch.nn.functional as F

SHOWN = 64  # a table of more words has one-hot rows too long to look at


def embed(token_ids, token_embedding, position_embedding=None):
    """Embeddings and PositionalEncoding of The Annotated Transformer, or learned positions."""
    vocabulary, d_model = token_embedding.shape
    token_ids = token_ids.long()                               # (…, n)
    positions = torch.arange(token_ids.size(-1), dtype=torch.float64)  # (n)
    token_vectors = F.embedding(token_ids, token_embedding)    # (…, n, d_model): what nn.Embedding does
    tensors = dict(token_vectors=token_vectors, positions=positions)
    if vocabulary <= SHOWN:
        ones = F.one_hot(token_ids, vocabulary).to(token_embedding.dtype)  # (…, n, vocabulary)
        tensors.update(one_hot=ones, product=ones @ token_embedding)
    if position_embedding is not None:
        position_vectors = F.embedding(positions.long(), position_embedding)  # (n, d_model)
        return dict(tensors, position_vectors=position_vectors, X=token_vectors + position_vectors)
    embedded = token_vectors * math.sqrt(d_model)              # (…, n, d_model)
    even = torch.arange(0, d_model, 2, dtype=torch.float64)    # 0 2 4 …
    div_term = torch.exp(even * (-(math.log(10000.0) / d_model)))     # (⌈d_model/2⌉)
    A = (positions.unsqueeze(1) * div_term).repeat_interleave(2, dim=1)[:, :d_model]  # (n, d_model)
    pe = torch.zeros_like(A)
    pe[:, 0::2] = torch.sin(A[:, 0::2])
    pe[:, 1::2] = torch.cos(A[:, 1::2])
    return dict(tensors, embedded=embedded, angles=A, position_vectors=pe, X=embedded + pe)
