# tfx exercise embed
import torch


def embed(token_ids, token_embedding):
    n, d = token_ids.shape[-1], token_embedding.shape[1]
    position, column = torch.arange(n)[:, None], torch.arange(d)
    angles = position / 10000 ** ((column // 2 * 2).to(token_embedding) / d)
    P = torch.where(column % 2 == 0, torch.sin(angles), torch.cos(angles))
    return dict(X=token_embedding[token_ids] * d**0.5 + P)
