#!/usr/bin/python3
"""onnx_graphs.py INPUTS GRAPHS [CONFIG...]: the same work as ONNX graphs for ort_worker.cjs, from INPUTS/CONFIG.npz.

GRAPHS/CONFIG.VARIANT.onnx  attention: five forms (attention, multihead and group_query are operators of ONNX Runtime,
                            standard is ONNX's own, plain has products and a softmax); model and decoding: fused;
                            a GPT: fused and group_query
GRAPHS/CONFIG.ids.json      the token ids: {"ids": [...]} or {"src": [...], "tgt": [...]}

LayerNormalization takes the population's deviation: its gain times sqrt((d - 1)/d) makes it the tutorial's."""
import json
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from configurations import CONFIGURATIONS, D_MODEL, HEADS, LAYERS, Attention, Gpt, load

MICROSOFT, HEAD_WIDTH = "com.microsoft", D_MODEL // HEADS
INT64, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


class Graph:
    """Nodes and weights, collected call by call; a call returns the names of its outputs."""

    def __init__(self):
        self.nodes, self.weights = [], {}

    def weight(self, name, array):
        self.weights[name] = np.ascontiguousarray(array)
        return name

    def op(self, kind, inputs, outputs=1, domain="", **attributes):
        names = outputs if isinstance(outputs, list) else [f"{kind}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def save(self, path, inputs, outputs, opset=20):
        weights = [numpy_helper.from_array(array, name) for name, array in self.weights.items()]
        graph = helper.make_graph(self.nodes, "graph", inputs, outputs, weights)
        sets = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=sets)
        model.ir_version = 10
        onnx.save(model, path)


def attention_graphs(work, w, path):
    b, n, width, h = work.batch, work.tokens, work.width, work.heads
    d = width // h
    together = np.concatenate([w["wq"], w["wk"], w["wv"]], 1)

    def attention(g, x):
        bias = g.weight("bias", np.zeros(3 * width, np.float32))
        inputs = [x, g.weight("together", together), bias]
        return g.op("Attention", inputs, domain=MICROSOFT, num_heads=h, unidirectional=1)

    def split(g, x):
        return g.op("Split", [g.op("MatMul", [x, g.weight("together", together)])], 3, axis=2, num_outputs=3)

    def multihead(g, x):
        return g.op("MultiHeadAttention", split(g, x), domain=MICROSOFT, num_heads=h, unidirectional=1)

    def group_query(g, x):  # causal by definition
        lengths = [g.weight("last", np.full(b, n - 1, np.int32)), g.weight("total", np.array(n, np.int32))]
        inputs = [*split(g, x), "", "", *lengths]
        return g.op("GroupQueryAttention", inputs, 3, domain=MICROSOFT, num_heads=h, kv_num_heads=h)[0]

    def standard(g, x):
        return g.op("Attention", split(g, x), q_num_heads=h, kv_num_heads=h, is_causal=1)

    def plain(g, x):
        scaled = together.copy()
        scaled[:, :width] /= np.float32(np.sqrt(d))
        parts = g.op("Split", [g.op("MatMul", [x, g.weight("scaled", scaled)])], 3, axis=2, num_outputs=3)
        shape, heads = g.weight("heads", np.array([b, n, h, d])), []
        for part, order in zip(parts, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])):
            heads.append(g.op("Transpose", [g.op("Reshape", [part, shape])], perm=order))
        mask = g.weight("mask", np.triu(np.full((n, n), -1e9, np.float32), 1))
        weights = g.op("Softmax", [g.op("Add", [g.op("MatMul", heads[:2]), mask])], axis=-1)
        context = g.op("Transpose", [g.op("MatMul", [weights, heads[2]])], perm=[0, 2, 1, 3])
        return g.op("Reshape", [context, g.weight("joined", np.array([b, n, width]))])

    for variant in (attention, multihead, group_query, standard, plain):
        g = Graph()
        x = g.op("Add", [g.op("Gather", [g.weight("te", w["te"]), "ids"]), g.weight("pe", w["pe"])])
        g.op("MatMul", [variant(g, x), g.weight("wo", w["wo"])], ["out"])
        g.save(f"{path}.{variant.__name__}.onnx", [value("ids", INT64, [b, n])], [value("out", FLOAT, [b, n, width])],
               opset=23 if variant is standard else 20)


class ModelGraph(Graph):
    """The layers of the encoder-decoder with ONNX Runtime's fused operators."""

    def __init__(self, parameters, layers):
        super().__init__()
        self.p, self.layers = parameters, range(layers)

    def linear(self, x, *names):
        """The layers of these names side by side."""
        weight = np.concatenate([self.p[name + ".weight"] for name in names]).T
        bias = np.concatenate([self.p[name + ".bias"] for name in names])
        product = self.op("MatMul", [x, self.weight(names[0] + ".w", weight)])
        return self.op("Add", [product, self.weight(names[0] + ".b", bias)])

    def norm(self, x, name):
        gain = self.p[name + ".a_2"] * np.float32(np.sqrt((D_MODEL - 1) / D_MODEL))
        weights = [self.weight(name + ".a_2", gain), self.weight(name + ".b_2", self.p[name + ".b_2"])]
        return self.op("LayerNormalization", [x, *weights], axis=-1, epsilon=1e-12)

    def self_attention(self, x, name, causal):
        linears = [f"{name}.linears.{i}" for i in range(3)]
        weight = self.weight(name + ".w", np.concatenate([self.p[linear + ".weight"].T for linear in linears], 1))
        bias = self.weight(name + ".b", np.concatenate([self.p[linear + ".bias"] for linear in linears]))
        context = self.op("Attention", [x, weight, bias], domain=MICROSOFT, num_heads=HEADS, unidirectional=int(causal))
        return self.linear(context, name + ".linears.3")

    def cross_attention(self, x, keys, values, name):
        q = self.linear(x, name + ".linears.0")
        context = self.op("MultiHeadAttention", [q, keys, values], domain=MICROSOFT, num_heads=HEADS)
        return self.linear(context, name + ".linears.3")

    def feed_forward(self, x, name):
        return self.linear(self.op("Relu", [self.linear(x, name + ".w_1")]), name + ".w_2")

    def add(self, x, y):
        return self.op("Add", [x, y])

    def embed(self, side, positions):
        table = self.weight(f"{side}_lut", self.p[f"{side}_embed.0.lut.weight"] * np.float32(np.sqrt(D_MODEL)))
        return self.add(self.op("Gather", [table, side]), positions)

    def positions(self, tokens):
        position = np.arange(tokens)[:, None]
        rate = np.exp(np.arange(0, D_MODEL, 2) * -(np.log(10000.0) / D_MODEL))
        table = np.stack([np.sin(position * rate), np.cos(position * rate)], -1).reshape(tokens, D_MODEL)
        return self.weight(f"positions{tokens}", table.astype(np.float32))

    def encoder(self, tokens):
        x = self.embed("src", self.positions(tokens))
        for layer in (f"encoder.layers.{i}" for i in self.layers):
            x = self.add(x, self.self_attention(self.norm(x, layer + ".sublayer.0.norm"), layer + ".self_attn", False))
            x = self.add(x, self.feed_forward(self.norm(x, layer + ".sublayer.1.norm"), layer + ".feed_forward"))
        return self.norm(x, "encoder.norm")


def forward_graph(work, parameters, path):
    g = ModelGraph(parameters, work.layers)
    memory = g.encoder(work.source)
    x = g.embed("tgt", g.positions(work.target))
    for layer in (f"decoder.layers.{i}" for i in g.layers):
        x = g.add(x, g.self_attention(g.norm(x, layer + ".sublayer.0.norm"), layer + ".self_attn", True))
        y, cross = g.norm(x, layer + ".sublayer.1.norm"), layer + ".src_attn"
        keys, values = g.linear(memory, cross + ".linears.1"), g.linear(memory, cross + ".linears.2")
        x = g.add(x, g.cross_attention(y, keys, values, cross))
        x = g.add(x, g.feed_forward(g.norm(x, layer + ".sublayer.2.norm"), layer + ".feed_forward"))
    g.op("LogSoftmax", [g.linear(g.norm(x, "decoder.norm"), "generator.proj")], ["out"], axis=-1)
    g.save(f"{path}.fused.onnx",
           [value("src", INT64, [work.batch, work.source]), value("tgt", INT64, [work.batch, work.target])],
           [value("out", FLOAT, [work.batch, work.target, work.vocabulary])])


def greedy_graphs(work, parameters, path):
    """Two graphs: the encoder with the keys and values of its output, and one step of one token with a cache."""
    heads, cached = [1, HEADS, work.source, HEAD_WIDTH], [1, HEADS, "t", HEAD_WIDTH]
    g, outputs = ModelGraph(parameters, work.layers), []
    memory = g.encoder(work.source)
    for i in g.layers:
        for part, linear in (("k", 1), ("v", 2)):
            projected = g.linear(memory, f"decoder.layers.{i}.src_attn.linears.{linear}")
            shape = g.weight("shape", np.array([1, work.source, HEADS, HEAD_WIDTH]))
            g.op("Transpose", [g.op("Reshape", [projected, shape])], [f"cross_{part}{i}"], perm=[0, 2, 1, 3])
            outputs.append(value(f"cross_{part}{i}", FLOAT, heads))
    g.save(f"{path}.encoder.onnx", [value("src", INT64, [1, work.source])], outputs)

    g, inputs, outputs = ModelGraph(parameters, work.layers), [], [value("next", INT64, [1, 1])]
    inputs += [value("tgt", INT64, [1, 1]), value("position", INT64, [1])]
    x = g.embed("tgt", g.op("Gather", [g.positions(work.target), "position"]))
    for i in g.layers:
        layer = f"decoder.layers.{i}"
        linears = [f"{layer}.self_attn.linears.{j}" for j in range(3)]
        qkv = g.op("Split", [g.linear(g.norm(x, layer + ".sublayer.0.norm"), *linears)], 3, axis=2, num_outputs=3)
        context = g.op("MultiHeadAttention", [*qkv, "", "", "", f"past_k{i}", f"past_v{i}"],
                       [f"context{i}", f"present_k{i}", f"present_v{i}"], domain=MICROSOFT, num_heads=HEADS)[0]
        x = g.add(x, g.linear(context, layer + ".self_attn.linears.3"))
        y = g.norm(x, layer + ".sublayer.1.norm")
        x = g.add(x, g.cross_attention(y, f"cross_k{i}", f"cross_v{i}", layer + ".src_attn"))
        x = g.add(x, g.feed_forward(g.norm(x, layer + ".sublayer.2.norm"), layer + ".feed_forward"))
        for part in "kv":
            inputs += [value(f"past_{part}{i}", FLOAT, cached), value(f"cross_{part}{i}", FLOAT, heads)]
            outputs.append(value(f"present_{part}{i}", FLOAT, [1, HEADS, "u", HEAD_WIDTH]))
    g.op("ArgMax", [g.linear(g.norm(x, "decoder.norm"), "generator.proj")], ["next"], axis=-1, keepdims=0)
    g.save(f"{path}.step.onnx", inputs, outputs)


class GptGraph(ModelGraph):
    """A decoder alone; LayerNormalization, FastGelu and the operators for attention are ONNX Runtime's."""

    def __init__(self, parameters):
        super().__init__(parameters, LAYERS)

    def norm(self, x, name):
        weights = [self.weight(f"{name}.{part}", self.p[f"{name}.{part}"]) for part in ("a_2", "b_2")]
        return self.op("LayerNormalization", [x, *weights], axis=-1, epsilon=1e-5)

    def feed_forward(self, x, name):
        product = self.op("MatMul", [x, self.weight(name + ".w", self.p[name + ".w_1.weight"].T)])
        bias = self.weight(name + ".b", self.p[name + ".w_1.bias"])
        return self.linear(self.op("FastGelu", [product, bias], domain=MICROSOFT), name + ".w_2")

    def start(self, positions):
        table = self.weight("table", self.p["tgt_embed.0.lut.weight"])
        return self.add(self.op("Gather", [table, "tgt"]), positions)

    def qkv(self, x, i):
        linears = [f"decoder.layers.{i}.self_attn.linears.{j}" for j in range(3)]
        return self.op("Split", [self.linear(self.norm(x, f"decoder.layers.{i}.sublayer.0.norm"), *linears)], 3,
                       axis=2, num_outputs=3)

    def rest(self, x, context, i):
        layer = f"decoder.layers.{i}"
        x = self.add(x, self.linear(context, layer + ".self_attn.linears.3"))
        return self.add(x, self.feed_forward(self.norm(x, layer + ".sublayer.1.norm"), layer + ".feed_forward"))

    def logits(self, x):
        table = self.weight("table.t", self.p["tgt_embed.0.lut.weight"].T)
        return self.op("MatMul", [self.norm(x, "decoder.norm"), table])

    def group_query(self, qkv, past, lengths, i):
        """Causal by definition; writes present_k, present_v."""
        return self.op("GroupQueryAttention", [*qkv, *past, *lengths], [f"context{i}", f"present_k{i}", f"present_v{i}"],
                       domain=MICROSOFT, num_heads=HEADS, kv_num_heads=HEADS)[0]

    def lengths(self, tokens):
        return [self.weight("last", np.array([tokens - 1], np.int32)), self.weight("total", np.array(tokens, np.int32))]

    def first_positions(self, tokens):
        return self.weight("positions", self.p["tgt_embed.1.weight"][:tokens])


def gpt_graphs(work, parameters, path):
    for variant in ("fused", "group_query"):
        g = GptGraph(parameters)
        x = g.start(g.first_positions(work.tokens))
        for i in g.layers:
            layer = f"decoder.layers.{i}"
            if variant == "fused":
                y = g.norm(x, layer + ".sublayer.0.norm")
                x = g.add(x, g.self_attention(y, layer + ".self_attn", True))
                x = g.add(x, g.feed_forward(g.norm(x, layer + ".sublayer.1.norm"), layer + ".feed_forward"))
            else:
                x = g.rest(x, g.group_query(g.qkv(x, i), ["", ""], g.lengths(work.tokens), i), i)
        g.op("LogSoftmax", [g.logits(x)], ["out"], axis=-1)
        g.save(f"{path}.{variant}.onnx", [value("tgt", INT64, [1, work.tokens])],
               [value("out", FLOAT, [1, work.tokens, work.vocabulary])])


def gpt_greedy_graphs(work, parameters, path):
    """The prompt in one pass, and one step of one token with a cache, in two forms."""
    def end(g, x, inputs, outputs, name):
        g.op("ArgMax", [g.logits(x)], ["next"], axis=-1, keepdims=0)
        g.save(f"{path}.{name}.onnx", inputs, [value("next", INT64, [1, 1]), *outputs])

    def presents(tokens):
        return [value(f"present_{part}{i}", FLOAT, [1, HEADS, tokens, HEAD_WIDTH]) for i in range(LAYERS) for part in "kv"]

    g = GptGraph(parameters)
    x = g.start(g.first_positions(work.tokens))
    for i in g.layers:
        x = g.rest(x, g.group_query(g.qkv(x, i), ["", ""], g.lengths(work.tokens), i), i)
    last = g.op("Gather", [x, g.weight("last_token", np.array([work.tokens - 1]))], axis=1)
    end(g, last, [value("tgt", INT64, [1, work.tokens])], presents(work.tokens), "prompt")

    for variant in ("cached", "group_query"):
        g = GptGraph(parameters)
        inputs = [value("tgt", INT64, [1, 1]), value("position", INT64, [1])]
        if variant == "group_query":
            inputs += [value("last", TensorProto.INT32, [1]), value("total", TensorProto.INT32, [])]
        x = g.start(g.op("Gather", [g.first_positions(work.context), "position"]))
        for i in g.layers:
            past = [f"past_k{i}", f"past_v{i}"]
            inputs += [value(name, FLOAT, [1, HEADS, "t", HEAD_WIDTH]) for name in past]
            if variant == "group_query":
                context = g.group_query(g.qkv(x, i), past, ["last", "total"], i)
            else:
                context = g.op("MultiHeadAttention", [*g.qkv(x, i), "", "", "", *past],
                               [f"context{i}", f"present_k{i}", f"present_v{i}"], domain=MICROSOFT, num_heads=HEADS)[0]
            x = g.rest(x, context, i)
        end(g, x, inputs, presents("u"), f"step.{variant}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    inputs, graphs, names = sys.argv[1], sys.argv[2], sys.argv[3:] or [n for n in CONFIGURATIONS if n not in "CFH"]
    os.makedirs(graphs, exist_ok=True)
    for name in names:
        work, arrays, path = CONFIGURATIONS[name], load(inputs, name), os.path.join(graphs, name)
        ids = {key: arrays.pop(key) for key in ("ids", "src", "tgt") if key in arrays}
        if isinstance(work, Attention):
            attention_graphs(work, arrays, path)
        elif isinstance(work, Gpt):
            (gpt_greedy_graphs if work.kind == "decode" else gpt_graphs)(work, arrays, path)
        else:
            (greedy_graphs if work.kind == "decode" else forward_graph)(work, arrays, path)
        with open(path + ".ids.json", "w", encoding="utf-8") as file:
            json.dump({key: array.tolist() for key, array in ids.items()}, file)
        print(name, flush=True)


if __name__ == "__main__":
    main()
