#!/usr/bin/env python3
"""BLEU-4 and chrF2 of small corpora, from the papers: data/reference/measures.json.

    python3 tools/reference/make_measures.py

Written from Papineni et al. 2002 (section 2.3, one reference) and Popović 2015, without a look at the C++ and by another
way: n-grams are counted in dictionaries, scores are exact fractions until the logarithm. What a token is, and what happens
where all texts are shorter than n, the papers leave open; src/measure says what tfx does. The tests compare within 1e-12.
"""
import json
import math
import random
import unicodedata
from collections import Counter
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CJK = [(0x1100, 0x11FF), (0x2E80, 0x9FFF), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F),
       (0xFF00, 0xFFEF), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF)]


def tokens(text):
    apart = ""
    for c in text:
        alone = unicodedata.category(c)[0] in "PS" or any(first <= ord(c) <= last for first, last in CJK)
        apart += f" {c} " if alone else c
    return apart.split()


def counts(units, n):
    return Counter(tuple(units[i:i + n]) for i in range(len(units) - n + 1))


def totals(pairs, n, split):
    """Matched, of the answers, of the references: of n-grams of all pairs."""
    matched = answers = references = 0
    for answer, reference in pairs:
        a, r = counts(split(answer), n), counts(split(reference), n)
        matched += sum(min(count, r[gram]) for gram, count in a.items())
        answers += sum(a.values())
        references += sum(r.values())
    return matched, answers, references


def orders(pairs, most, split):
    all_orders = [totals(pairs, n, split) for n in range(1, most + 1)]
    return [one for one in all_orders if one[1] or one[2]]


def bleu(pairs):
    found = orders(pairs, 4, tokens)
    if any(matched == 0 for matched, _, _ in found):
        return 0.0
    c, r = found[0][1], found[0][2]
    mean = sum(math.log(Fraction(matched, answers)) for matched, answers, _ in found) / len(found)
    return 100 * min(1, math.exp(1 - r / c)) * math.exp(mean)


def chrf(pairs, beta=2):
    found = orders(pairs, 6, lambda text: "".join(text.split()))
    part = lambda of, whole: Fraction(of, whole) if whole else Fraction(0)
    p = sum(part(matched, answers) for matched, answers, _ in found) / len(found)
    r = sum(part(matched, references) for matched, _, references in found) / len(found)
    return float(100 * (1 + beta ** 2) * p * r / (beta ** 2 * p + r)) if p * r else 0.0


def exact(pairs):
    return 100 * sum(tokens(answer) == tokens(reference) for answer, reference in pairs) / len(pairs)


SENTENCES = [
    "Select the cells that you want to copy.", "Choose Edit - Copy, or press Ctrl+C.", "It's 3.14 (roughly), isn't it?",
    "选择要复制的单元格。", "打开“编辑”菜单，然后单击“复制”。", "在 LibreOffice Calc 中按下 Ctrl+C。", "我爱你，你呢？",
    "Wählen Sie die Zellen aus, die Sie kopieren möchten.", "Größe und Straße: naïve Übersetzung", "こんにちは、世界！ 한국어 문장",
    "one two three", "the the the the the the the", "the cat is on the mat", "x", "a b", "😀 ➜ 50 € + 1⁄2 = ½", "नमस्ते दुनिया", "ế á",
]


def damaged(sentence, draw):
    """Some of its words or characters dropped, doubled, exchanged or taken from another sentence."""
    units = sentence.split(" ") if " " in sentence else list(sentence)
    glue = " " if " " in sentence else ""
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(units))
        edit = draw.randrange(4)
        if edit == 0 and len(units) > 1:
            del units[at]
        elif edit == 1:
            units.insert(at, units[at])
        elif edit == 2:
            other = draw.randrange(len(units))
            units[at], units[other] = units[other], units[at]
        else:
            units[at] = draw.choice(draw.choice(SENTENCES).split(" "))
    return glue.join(units)


def corpora():
    draw = random.Random(22)
    yield [(one, one) for one in SENTENCES]
    yield [("the the the the the the the", "the cat is on the mat")]  # the paper's example: 2/7
    yield [("", "a reference"), ("a", "a")]
    yield [("a b", "a b"), ("b a", "a b")]  # nobody has a trigram
    for size in (1, 1, 1, 2, 3, 5, 10, 40, 100):
        for _ in range(4):
            references = [draw.choice(SENTENCES) for _ in range(size)]
            yield [(damaged(one, draw), one) for one in references]


cases = [dict(pairs=pairs, exact=exact(pairs), bleu=bleu(pairs), chrf=chrf(pairs)) for pairs in corpora()]
path = ROOT / "data/reference/measures.json"
path.write_text(json.dumps(cases, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
print(len(cases), "corpora,", sum(case["bleu"] > 0 for case in cases), "with a BLEU above 0:", path.relative_to(ROOT))
