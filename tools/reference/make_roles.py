"""Makes data/reference/roles/NAME.npz: what NumPy measures of the heads of a shipped model over the pairs of NAME.tsv there.

Run from the root of the repository:  python3 tools/reference/make_roles.py
The forward pass is lessons/model/numpy.py; rules, statistic and sums are written anew, from src/model/head_roles.hpp's and
src/model/word_alignment.hpp's descriptions. Arrays, heads in the order of the pass (encoder; a decoder layer's self_attn,
then its src_attn), rules in that of RULES:

  weight, uniform, queries  (heads, rules): the mean share of a head's weight, of uniform attention, over how many queries
  log_probability, right    (1 + heads,): of the right tokens the mean, and the share that is the most probable one, in the
                            whole model and without each head

near.npz has, for words of en-zh's sources, their neighbours among all of its words: ids (words, 1 + 5), each word and those of
largest cosine, `cosine` and `distance` (words, 5), `place` by distance.
"""

import json
import re
import struct
import unicodedata
from pathlib import Path

import numpy as np

from lesson_code import load

FOLDER = Path("data/reference/roles")
RULES = ["previous", "next", "itself", "same_token", "first", "last", "punctuation", "same_place", "mirrored", "aligned"]
ROUNDS = 10
WORDS = ["file", "click", "table", "red", "cell", "not"]
PAD, START, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"


def read_model(name):
    """→ the tensors as doubles, the metadata"""
    data = Path(f"data/models/{name}.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for key, entry in header.items():
        first, last = (8 + size + offset for offset in entry["data_offsets"])
        numbers = np.frombuffer(data[first:last], {"F32": "<f4", "F16": "<f2"}[entry["dtype"]])
        tensors[key] = numbers.reshape(entry["shape"]).astype(np.float64)
    return tensors, metadata


def split(text, tokenizer):
    """Enough for the pairs here: letters, words, or words and single characters with marks for capitals."""
    if tokenizer == "characters":
        return list(text)
    if tokenizer == "words":
        return text.split()
    tokens = []
    for token in re.findall(r"[A-Za-z]+|\S", text):
        if token.lower() != token:
            tokens += ["⇧" if token == token.capitalize() else "⇪"] if token in (token.capitalize(), token.upper()) else []
            token = token.lower() if tokens and tokens[-1] in "⇧⇪" else token
        tokens.append(token)
    return tokens


class Texts:
    """Pairs as ids and names."""

    def __init__(self, name, metadata):
        self.names = [metadata[f"{side}_tokens"].split("\n") for side in ("src", "tgt")]
        ids = [{token: i for i, token in enumerate(names)} for names in self.names]

        def encode(text, side):
            tokens = split(text, metadata[("src", "tgt")[side] + "_tokenizer"])
            return [ids[side].get(token, ids[side].get(UNKNOWN)) for token in tokens]

        lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        pairs = [line.split("\t") for line in lines]
        self.src = [encode(source, 0) for source, _ in pairs]
        self.written = [encode(target, 1) for _, target in pairs]
        self.tgt = [[ids[1][START], *written] for written in self.written]
        self.right = [[*written, ids[1][END]] for written in self.written]


def alignment(sources, targets):
    """IBM model 1 with a word that stands in every source → links (pair, i, j)"""
    nobody = max(map(max, sources)) + 1
    t = np.ones((nobody + 1, max(map(max, targets)) + 1))

    def shares(source, f, t):  # of each place, the last one nobody's
        made = np.array([t[e, f] for e in [*source, nobody]])
        return made / made.sum()

    for _ in range(ROUNDS):
        counts = np.zeros_like(t)
        for source, target in zip(sources, targets):
            for f in target:
                np.add.at(counts[:, f], [*source, nobody], shares(source, f, t))
        t = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    links = []
    for p, (source, target) in enumerate(zip(sources, targets)):
        for i, f in enumerate(target):
            made = shares(source, f, t)[:-1]
            for j, e in enumerate(source):
                if sum(made[k] for k in range(len(source)) if source[k] == e) > 0.5 + 1e-12:
                    links.append((p, i, j))
    return links


def is_punctuation(token):
    return token not in ("⇧", "⇪") and all(unicodedata.category(c)[0] in "PS" for c in token)


def named(rule, kind, queries, keys, links):
    """(n_q, n_k) of booleans, or nothing where the rule is none of this kind of attention"""
    i, j = np.arange(len(queries))[:, None], np.arange(len(keys))[None, :]
    same = np.array([[q == k for k in keys] for q in queries])
    within = kind != "src_attn"
    aligned = np.zeros(same.shape, dtype=bool)
    for q, k in [] if within else links:
        aligned[q, k] = True
    marks = np.array([is_punctuation(k) for k in keys])
    masks = {
        "previous": within and (j == i - 1),
        "next": kind == "encoder" and (j == i + 1),
        "itself": within and (i == j),
        "same_token": within and (same & (i != j)),
        "first": j + 0 * i == 0,
        "last": kind != "decoder" and (j + 0 * i == len(keys) - 1),
        "punctuation": np.broadcast_to(marks, same.shape),
        "same_place": not within and (i == j),
        "mirrored": not within and (j == len(keys) - 1 - i),
        "aligned": not within and aligned,
    }
    return None if masks[rule] is False else masks[rule]


class Pass:
    """lessons/model/numpy.py, with the weights of every attention kept."""

    def __init__(self, heads):
        self.code, self.heads, self.weights = load("model", "numpy"), heads, []
        softmax, self.code.softmax = self.code.softmax, self.keep
        self.softmax = softmax

    def keep(self, scores):
        self.weights.append(self.softmax(scores))
        return self.weights[-1]

    def run(self, w, src, tgt):
        self.weights = []
        return self.code.model(w, np.array(src), np.array(tgt), self.heads)["log_probs"], self.weights


def said(a_pass, w, texts):
    """→ mean log-probability of the right tokens, share of them that is said"""
    right, most = [], []
    for src, tgt, wanted in zip(texts.src, texts.tgt, texts.right):
        log_probs, _ = a_pass.run(w, src, tgt)
        right += list(log_probs[np.arange(len(wanted)), wanted])
        most += list(log_probs.argmax(axis=1) == wanted)
    return np.mean(right), np.mean(most)


def measure(name):
    w, metadata = read_model(name)
    texts, a_pass = Texts(name, metadata), Pass(int(metadata["heads"]))
    layers = a_pass.code.layers_of(w, "encoder"), a_pass.code.layers_of(w, "decoder")
    places = [("encoder", f"encoder.layers.{i}.self_attn") for i in range(layers[0])]
    for i in range(layers[1]):
        places += [("decoder", f"decoder.layers.{i}.self_attn"), ("src_attn", f"decoder.layers.{i}.src_attn")]
    links = alignment(texts.src, texts.written)
    heads = a_pass.heads
    sums = np.zeros((3, len(places) * heads, len(RULES)))
    for p, (src, tgt) in enumerate(zip(texts.src, texts.tgt)):
        src_names, tgt_names = [texts.names[0][i] for i in src], [texts.names[1][i] for i in tgt]
        _, all_weights = a_pass.run(w, src, tgt)
        for place, ((kind, _), weights) in enumerate(zip(places, all_weights)):
            queries = src_names if kind == "encoder" else tgt_names
            keys = tgt_names if kind == "decoder" else src_names
            visible = np.tri(len(queries), dtype=bool) if kind == "decoder" else np.ones((len(queries), len(keys)), bool)
            for r, rule in enumerate(RULES):
                mask = named(rule, kind, queries, keys, [(i, j) for pair, i, j in links if pair == p])
                if mask is None:
                    continue
                mask = mask & visible
                counts = mask.sum(axis=1)
                says = (counts > 0) & (counts < visible.sum(axis=1))
                of_head = slice(place * heads, (place + 1) * heads)
                sums[0, of_head, r] += (weights * mask).sum(axis=2)[:, says].sum(axis=1)
                sums[1, of_head, r] += (counts / visible.sum(axis=1))[says].sum()
                sums[2, of_head, r] += says.sum()
    shares = sums[:2] / np.maximum(sums[2], 1)
    answers = [said(a_pass, w, texts)]
    for _, place in places:
        key = f"{place}.linears.3.weight"
        d_k = w[key].shape[1] // heads
        for h in range(heads):
            cut = w[key].copy()
            cut[:, h * d_k:(h + 1) * d_k] = 0
            answers.append(said(a_pass, {**w, key: cut}, texts))
    np.savez(FOLDER / f"{name}.npz", weight=shares[0], uniform=shares[1], queries=sums[2],
             log_probability=np.array(answers)[:, 0], right=np.array(answers)[:, 1])
    return places, heads, shares, sums[2], answers


def near():
    w, metadata = read_model("en-zh")
    table, names = w["src_embed.0.lut.weight"], metadata["src_tokens"].split("\n")
    special = {PAD, START, END, UNKNOWN, "⇧", "⇪"}  # tokens that are no words
    others = np.array([i for i, name in enumerate(names) if name not in special])
    rows = []
    for word in WORDS:
        row = names.index(word)
        there = others[others != row]
        x, Y = table[row], table[there]
        cosine = Y @ x / np.linalg.norm(Y, axis=1) / np.linalg.norm(x)
        distance = np.linalg.norm(Y - x, axis=1)
        order = np.argsort(-cosine, kind="stable")[:5]
        place = [(distance < distance[k]).sum() + 1 for k in order]
        rows.append(([row, *there[order]], cosine[order], distance[order], place))
        print(word, [(names[there[k]], round(cosine[k], 3), round(distance[k], 2), p) for k, p in zip(order, place)])
    ids, cosine, distance, place = (np.array(part, dtype=np.float64) for part in zip(*rows))
    np.savez(FOLDER / "near.npz", ids=ids, cosine=cosine, distance=distance, place=place, words=len(others))


def main():
    for name in ("reverse", "numbers-zh", "en-zh"):
        places, heads, shares, queries, answers = measure(name)
        print(f"{name}: mean ln p {answers[0][0]:.4f}, right {answers[0][1]:.4f}")
        for i, (_, place) in enumerate(places):
            for h in range(heads):
                row = i * heads + h
                best = int(np.argmax(np.where(queries[row] > 0, shares[0, row] - shares[1, row], -9)))
                print(f"  {place}.{h} {RULES[best]} {shares[0, row, best]:.3f} ({shares[1, row, best]:.3f}), "
                      f"without it {answers[1 + row][0]:.4f}, right {answers[1 + row][1]:.4f}")
    near()


if __name__ == "__main__":
    main()
