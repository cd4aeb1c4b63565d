"""params: parameters and multiply-adds of an encoder-decoder, counted by hand."""
import numpy as np


def params(d_model, d_ff, h, N, vocab, n):
    d, f, V, c = d_model, d_ff, vocab, {}
    # W_Q, W_K, W_V, W_O, W_1, W_2, a norm, an embedding, the generator
    rows = np.array([[d, d, d, d, d, f, 2, V, d]]).T
    columns = np.array([[d, d, d, d, f, d, d, d, V]]).T
    bias = np.array([[d, d, d, d, f, d, 0, 0, V]]).T
    copies = np.array([[1, 1, 1, 1, 1, 1, 2, 0, 0],
                       [2, 2, 2, 2, 1, 1, 3, 0, 0],
                       [0, 0, 0, 0, 0, 0, 2, 2, 1]]).T
    passes = copies * np.array([[1, 1, 1, 1, 1, 1, 0, 0, 1]]).T  # a look-up multiplies nothing, nor does a norm
    repeats = np.array([[N, N, 1]])

    c["weight_count"] = rows * columns
    c["parameters"] = c["weight_count"] + bias
    c["sums"] = (copies * c["parameters"]).sum(0, keepdims=True)
    c["total"] = (c["sums"] * repeats).sum()

    c["d_k"] = d / h                                         # a head's columns of W_Q
    c["head_weights"] = d * c["d_k"]
    c["all_heads"] = h * c["head_weights"]

    c["weight_macs"] = (passes * c["weight_count"]).sum(0, keepdims=True)
    c["mixed"] = np.array([[n * d], [n * d]])                # Q·Kᵀ and weights·V of one query
    attentions = np.array([[1, 2, 0], [1, 2, 0]])
    c["mixing_macs"] = (attentions * c["mixed"]).sum(0, keepdims=True)
    c["layer_macs"] = c["weight_macs"] + c["mixing_macs"]
    c["macs"] = (c["layer_macs"] * repeats).sum()
    c["flops"] = 2 * c["macs"]

    c["weight_bytes"] = 4 * c["total"]                              # float32
    c["training_bytes"] = (1 + 1 + 2) * c["weight_bytes"]           # weights, gradients, Adam's m and v
    return c
