"""The inputs of every tutorial run: what is drawn, in which order, with which seed.

A run is a dict of arrays: X (or X_Q X_K X_V, or Q K V), W_* and b_*; `heads` where multihead fits; and
`causal_heads` where the tutorial's multi-head attention is causal.
"""

import csv
import zlib

import numpy as np

from lesson_code import ROOT

TUTORIALS = ROOT / "data" / "tutorials"


def table(name, columns):
    """The named columns of data/tutorials/name.csv.  → (rows, columns)"""
    with open(TUTORIALS / f"{name}.csv", newline="", encoding="utf-8") as file:
        return np.array([[float(row[column]) for column in columns] for row in csv.DictReader(file)])


def uniform_linear(r, d, bound_W):
    """W (d, d) and b (d) for each of Q, K, V, O, drawn in that order: W within ±bound_W, b within ±1/√d."""
    tensors = {}
    for name in "QKVO":
        tensors[f"W_{name}"] = r.uniform(-bound_W, bound_W, (d, d))
        tensors[f"b_{name}"] = r.uniform(-1 / np.sqrt(d), 1 / np.sqrt(d), (d,))
    return tensors


def fun_transformer_1():
    r = np.random.RandomState(42)
    weights = {f"W_{name}": r.randint(3, size=(3, 3)) for name in "QKVO"}  # W_O is ours
    return dict(X=table("fun-transformer-words", ["x1", "x2", "x3"]), heads=3, **weights)


def fun_transformer_2():
    r = np.random.RandomState(42)
    weights = uniform_linear(r, 128, 1 / np.sqrt(128))
    inputs = {f"X_{name}": r.rand(2, 5, 128) for name in "QKV"}
    return dict(inputs, heads=4, **weights)


def scaled_dot_product_1():
    r = np.random.RandomState(42)
    return dict(Q=r.randn(2, 3, 5), K=r.randn(2, 4, 5), V=r.randn(2, 4, 6))


def xavier_normal(r, d):
    """W_Q W_K W_V W_O (d, d) in float32: drawn in double, cast, then scaled in float32."""
    scale = np.float32(np.sqrt(2 / (d + d)))
    return {f"W_{name}": r.randn(d, d).astype(np.float32) * scale for name in "QKVO"}


def attention_block_1():
    r = np.random.RandomState(42)
    weights = xavier_normal(r, 64)
    return dict(X=r.randn(2, 8, 64).astype(np.float32), heads=4, causal_heads=True, **weights)


def attention_block_2():
    r = np.random.RandomState(42)
    token_embedding = r.randn(10000, 64).astype(np.float32) * np.float32(0.02)
    position_embedding = r.randn(512, 64).astype(np.float32) * np.float32(0.02)
    weights = xavier_normal(r, 64)
    token_ids = r.randint(0, 10000, size=(2, 10))
    X = token_embedding[token_ids] + position_embedding[:10]
    tables = dict(token_embedding=token_embedding, position_embedding=position_embedding)
    return dict(X=X, token_ids=token_ids, **tables, heads=4, causal_heads=True, **weights)


def annotated_1():
    r = np.random.RandomState(42)
    X = r.randn(5, 512)
    return dict(X=X, heads=8, **uniform_linear(r, 512, np.sqrt(6 / (512 + 512))))


def annotated_2():
    r = np.random.RandomState(42)
    token_ids = np.array([0, 1, 2, 3, 0, 4])  # the cat sat on the mat
    return dict(token_ids=token_ids, token_embedding=r.randn(5, 4))


def annotated_3():
    r = np.random.RandomState(42)
    d_model, d_ff = 8, 32
    run = dict(X=r.randn(4, d_model))
    for end, d_in, d_out in [*((M, d_model, d_model) for M in "QKVO"), ("1", d_model, d_ff), ("2", d_ff, d_model)]:
        bound = np.sqrt(6 / (d_in + d_out))
        run[f"W_{end}"] = r.uniform(-bound, bound, (d_in, d_out))
        run[f"b_{end}"] = r.uniform(-1 / np.sqrt(d_in), 1 / np.sqrt(d_in), (d_out,))
    for i in "12":
        run.update({f"gain_{i}": np.ones(d_model), f"shift_{i}": np.zeros(d_model)})
    return dict(run, heads=2)


def annotated_4():
    """The sizes of make_model, and the vocabulary of the copy task; 128 tokens to read."""
    return dict(d_model=512, d_ff=2048, h=8, N=6, vocab=11, n=128)


def attention_block_3():
    """Its loss on random logits: labels and logits are drawn after all of its second run."""
    r = np.random.RandomState(42)
    r.randn(10000, 64), r.randn(512, 64), xavier_normal(r, 64), r.randint(0, 10000, size=(2, 10))
    labels = r.randint(0, 10000, size=(2, 10))
    return dict(labels=labels, logits=r.randn(2, 10, 10000).astype(np.float32))


def attention_block_4():
    """The words of its second run, each asked for the next one: <pad> is 0, then The cat eats the fish in river."""
    words = ["The", "cat", "eats", "the", "fish", "in", "the", "river"]
    run = attention_block_2()
    r = np.random.RandomState(42)
    r.randn(10000, 64), r.randn(512, 64), xavier_normal(r, 64), r.randint(0, 10000, size=(2, 10))
    vocabulary = ["<pad>", *dict.fromkeys(words)]
    W_O = r.randn(64, len(vocabulary)).astype(np.float32) * np.float32(0.125)
    labels = np.array([vocabulary.index(word) for word in [*words[1:], "<pad>"]])
    return dict(X=run["X"][0, :8], **{name: run[name] for name in ["W_Q", "W_K", "W_V"]}, W_O=W_O, labels=labels, pad_id=0)


def happy_llm_4():
    """Its sentence, asked for the next word: <pad> is 0, then the words in their order."""
    r = np.random.RandomState(42)
    X = r.randn(5, 4)
    weights = {f"W_{name}": r.randn(4, 4) for name in "QKV"}
    return dict(X=X, **weights, W_O=r.randn(4, 6), labels=np.array([2, 3, 4, 5, 0]), pad_id=0)


def happy_llm_1():
    keys = ["k1", "k2"]
    return dict(Q=table("happy-llm-queries", ["q1", "q2"]), K=table("happy-llm-dictionary", keys),
                V=table("happy-llm-dictionary", ["value"]),
                given_weights=table("happy-llm-given-weights", ["apple", "banana", "chair"]))


def happy_llm_2():
    r = np.random.RandomState(42)
    X = r.randn(5, 4)
    return dict(X=X, heads=2, causal_heads=True, **{f"W_{name}": r.randn(4, 4) for name in "QKVO"})


def happy_llm_3():
    r = np.random.RandomState(42)
    X, memory = r.randn(4, 4), r.randn(5, 4)
    return dict(X=X, memory=memory, **{f"W_{name}": r.randn(4, 4) for name in "QKV"})


def numbers_zh_1():
    """One step of the shipped model, the place that seed 42 draws at, and the targets of its beam: no tutorial's."""
    steps = [f"t{i}" for i in range(1, 5)]
    return dict(logits=table("decode-logits", ["logit"]).T, u=np.random.RandomState(42).rand(1, 1),
                target_log_probs=table("decode-targets", steps).T, lengths=table("decode-targets", ["length"])[:, 0])


def cut_text(words, word):
    """Words with a blank between, the blank belonging to the word behind it, as numbers of their letters; and a word."""
    texts = [words[0]] + [" " + one for one in words[1:]]
    order = list(dict.fromkeys(texts))
    symbols = sorted(set("".join(texts + [word])) - {" "})
    symbols += [" "] * any(" " in text for text in texts)  # GPT-2's order of bytes: a blank comes last

    def rows(pieces):
        longest = max(map(len, pieces))
        return np.array([[symbols.index(c) for c in piece] + [-1] * (longest - len(piece)) for piece in pieces], float)

    return dict(symbols=np.array([[ord(symbol) for symbol in symbols]], float), pieces=rows(order),
                counts=np.array([[texts.count(piece)] for piece in order], float), word=rows([word]))


def sennrich_1():
    """The words of Sennrich, Haddow, Birch 2016, section 3.2, as often as there."""
    return cut_text(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3, "lowest")


def touvron_1():
    """A block of Touvron et al. 2023's kind on words of ours, drawn as tfx draws them: no tutorial's."""
    d, heads, kv_heads, d_ff = 8, 2, 1, 20
    X = np.array([np.random.RandomState((zlib.crc32(word.encode()) + 42) % 2**32).randn(d)
                  for word in "the cat sat on it".split()])
    r = np.random.RandomState(42)
    shapes = dict(W_Q=(d, d), W_K=(d, d // heads * kv_heads), W_V=(d, d // heads * kv_heads), W_O=(d, d),
                  W_1=(d, d_ff), W_3=(d, d_ff), W_2=(d_ff, d))
    return dict(X=X, **{name: r.randn(*shape) for name, shape in shapes.items()}, gain_1=np.ones(d), gain_2=np.ones(d),
                heads=heads, kv_heads=kv_heads)


RUNS = {
    "fun-transformer-1": fun_transformer_1,
    "fun-transformer-2": fun_transformer_2,
    "scaled-dot-product-1": scaled_dot_product_1,
    "attention-block-1": attention_block_1,
    "attention-block-2": attention_block_2,
    "attention-block-3": attention_block_3,
    "attention-block-4": attention_block_4,
    "annotated-1": annotated_1,
    "annotated-2": annotated_2,
    "annotated-3": annotated_3,
    "annotated-4": annotated_4,
    "happy-llm-1": happy_llm_1,
    "happy-llm-2": happy_llm_2,
    "happy-llm-3": happy_llm_3,
    "happy-llm-4": happy_llm_4,
    "numbers-zh-1": numbers_zh_1,
    "sennrich-1": sennrich_1,
    "touvron-1": touvron_1,
}
