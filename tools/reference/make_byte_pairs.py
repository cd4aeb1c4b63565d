#!/usr/bin/env python3
"""Merges learned from a small text, and texts cut by them: data/reference/byte_pairs.json.

    python3 tools/reference/make_byte_pairs.py

Written after GPT-2's encoder.py and Sennrich et al. 2016, algorithm 1, without a look at the C++: tokens are strings of
letters for bytes, the text is cut by a regular expression over classes of characters, and every merge counts all pairs anew.
Of equal counts the pair of older tokens is first; a pair that stands once is none.
"""
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPACES = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
CONTRACTION = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d")
CLASSES = re.compile(r"B?L+|B?N+|B?O+|[BS]+(?![^BS])|[BS]+")  # B a blank, S other white space


def letters():
    own = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in own]
    return {b: chr(b) for b in own} | {b: chr(256 + i) for i, b in enumerate(others)}


LETTER = letters()


def class_of(c):
    if c == " ":
        return "B"
    return "S" if ord(c) in SPACES else {"L": "L", "N": "N"}.get(unicodedata.category(c)[0], "O")


def pieces(text):
    classes = "".join(map(class_of, text))
    at, cut = 0, []
    while at < len(text):
        found = CONTRACTION.match(text, at) or CLASSES.match(classes, at)
        cut.append("".join(LETTER[b] for b in text[at:found.end()].encode()))
        at = found.end()
    return cut


def merge_all(word, left, right):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == [left, right]:
            out.append(left + right)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def learn(text, wanted):
    words = [list(piece) for piece in pieces(text)]
    known = list(LETTER.values())  # in the order of their ids
    merges = []
    while len(merges) < wanted:
        counts = Counter(pair for word in words for pair in zip(word, word[1:]))
        best = min(counts, key=lambda pair: (-counts[pair], known.index(pair[0]), known.index(pair[1])))
        if counts[best] < 2:
            break
        merges.append([*best, counts[best]])
        if "".join(best) not in known:
            known.append("".join(best))
        words = [merge_all(word, *best) for word in words]
    return merges, known


def encode(text, merges, known):
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(merges)}
    ids = []
    for piece in pieces(text):
        word = list(piece)
        while len(word) > 1:
            best = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
            if best not in ranks:
                break
            word = merge_all(word, *best)
        ids += [known.index(token) for token in word]
    return ids


TEXT = """The attention mechanism lets every word attend to every other word. It's the words that attend, and the attention
they pay is a weight; the weights of a row sum to 1. Don't confuse the attention weights with the learned weights!
注意力机制让每个词都能关注其他的词。注意力的权重是算出来的，权重的和是 1；学到的权重是另一回事。
Die Aufmerksamkeit verteilt Gewichte: Übung macht den Meister, und größere Gewichte zählen mehr.  2017, 2018, 2019 …
"""
STRINGS = ["attention", "unattended weights", "权重是 1", "注意", "The words, the words!", "I'll say it's 2020", "Größe", "   a\n\n b\t c  ",
           "机器学习", "naïve café — ½ ٣٤", "'S 's don't", "😀👍🏽 ok", "\u3000全角\u00a0space", "x", "http://a.b/?q=1", "a\r\nb", "ﬁ Ⅷ ² नमस्ते"]

merges, known = learn(TEXT, 150)
result = dict(text=TEXT, merges=merges, strings=[dict(text=s, pieces=pieces(s), ids=encode(s, merges, known)) for s in STRINGS])
path = ROOT / "data/reference/byte_pairs.json"
path.write_text(json.dumps(result, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
print(len(merges), "merges,", len(STRINGS), "strings:", path.relative_to(ROOT))
