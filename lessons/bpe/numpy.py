"""bpe: merges learned from pieces of a text, and a word cut by them."""
import numpy as np


def merge(rows, pair, made):
    merged = np.full_like(rows, -1)
    for i, row in enumerate(rows):
        left, out = [s for s in row if s >= 0], []
        while left:
            if len(left) > 1 and left[0] == pair[0] and left[1] == pair[1]:
                out.append(made)
                left = left[2:]
            else:
                out.append(left.pop(0))
        merged[i, :len(out)] = out
    return merged


def bpe(symbols, pieces, counts, word, max_merges=5):
    base, t, merges = symbols.size, {}, []
    for k in range(1, max_merges + 1):
        pairs = np.zeros((base + k - 1, base + k - 1))
        for row, count in zip(pieces.astype(int), counts.ravel()):
            for a, b in zip(row, row[1:]):
                if b >= 0:  # inside a piece only
                    pairs[a, b] += count
        if pairs.max() < 2:
            break
        pair = np.array(np.unravel_index(pairs.argmax(), pairs.shape), float)  # of equal ones the first
        pieces = merge(pieces, pair, base + k - 1)
        t[f"pairs_{k}"], t[f"pair_{k}"], t[f"pieces_{k}"] = pairs, pair[None], pieces
        merges.append(pair)
    for k, pair in enumerate(merges, 1):  # in the order learned
        word = merge(word, pair, base + k - 1)
        t[f"word_{k}" if k < len(merges) else "tokens"] = word
    return dict(t, merges=np.array(merges))
