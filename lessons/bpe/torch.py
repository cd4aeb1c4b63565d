"""bpe: merges learned from pieces of a text, and a word cut by them."""
import torch


def merge(rows, pair, made):
    a, b = pair.tolist()
    merged = torch.full_like(rows, -1)
    for i, row in enumerate(rows):
        j, to, n = 0, 0, int((row >= 0).sum())
        while j < n:
            both = j + 1 < n and row[j] == a and row[j + 1] == b
            merged[i, to] = made if both else row[j]
            j, to = j + 1 + int(both), to + 1
    return merged


def bpe(symbols, pieces, counts, word, max_merges=5):
    t, merges = {}, []
    for k in range(1, max_merges + 1):
        n = symbols.numel() + k - 1
        a, b = pieces[:, :-1], pieces[:, 1:]
        inside = b >= 0  # inside a piece only
        places = (a[inside] * n + b[inside]).long()
        pairs = torch.bincount(places, counts.expand(a.shape)[inside], n * n).view(n, n).to(pieces.dtype)
        if pairs.max() < 2:
            break
        first = int((pairs.flatten() == pairs.max()).nonzero()[0])  # of equal ones the first
        pair = pairs.new_tensor([first // n, first % n])
        pieces = merge(pieces, pair, n)
        t[f"pairs_{k}"], t[f"pair_{k}"], t[f"pieces_{k}"] = pairs, pair[None], pieces
        merges.append(pair)
    for k, pair in enumerate(merges, 1):  # in the order learned
        word = merge(word, pair, symbols.numel() + k - 1)
        t[f"word_{k}" if k < len(merges) else "tokens"] = word
    return dict(t, merges=torch.stack(merges))
