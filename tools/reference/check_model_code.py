"""Holds lessons/model/numpy.py and torch.py, which `tfx code model` shows, to PyTorch's runs in data/reference/model.

Run from the root of the repository:  python3 tools/reference/check_model_code.py
Those runs were made by tools/reference/make_model.py, a model of its own; of them the ones of the tutorial's architecture
are compared: pre-norm, its norm, ReLU. A pair of sentences at a time, within 1e-12 of every number.
"""

import json
import struct
from pathlib import Path

import numpy as np
import torch

from lesson_code import load

FOLDER = Path("data/reference/model")
TUTORIALS = {"norm": "annotated", "placement": "first", "activation": "relu"}


def read_safetensors(path):
    """→ tensors by name, metadata"""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__", {})
    types = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}

    def tensor(entry):
        first, last = (8 + size + offset for offset in entry["data_offsets"])
        return np.frombuffer(data[first:last], types[entry["dtype"]]).reshape(entry["shape"])

    return {name: tensor(entry) for name, entry in header.items()}, metadata


def difference(ours, theirs):
    return (np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))).max()


def main():
    compared = 0
    for path in sorted(FOLDER.glob("*.weights.safetensors")):
        weights, metadata = read_safetensors(path)
        if not TUTORIALS.items() <= metadata.items() or "src_embed.0.lut.weight" not in weights:
            continue
        weights = {name: value.astype(np.float64) for name, value in weights.items()}
        if any(name.startswith("transformer.") for name in weights):
            continue
        run, _ = read_safetensors(path.with_name(path.name.replace(".weights", "")))
        heads = int(metadata["heads"])
        for row in range(len(run["src"])):
            src, tgt = run["src"][row].astype(np.int64), run["tgt"][row].astype(np.int64)
            by_numpy = load("model", "numpy").model(weights, src, tgt, heads)
            by_torch = load("model", "torch").model({name: torch.tensor(value) for name, value in weights.items()},
                                                    torch.tensor(src), torch.tensor(tgt), heads)
            for name in ("memory", "logits", "log_probs"):
                expected = run[name].reshape(len(run["src"]), *run[name].shape[-2:])[row]
                for ours in (by_numpy[name], by_torch[name].detach().numpy()):
                    worst = difference(ours, expected)
                    assert worst <= 1e-12, f"{path.name}, row {row}: {name} differs by {worst:g}"
                    compared += ours.size
        print(f"{path.name}: {len(run['src'])} pairs of sentences")
    assert compared > 0
    print(f"{compared} numbers agree within 1e-12")


if __name__ == "__main__":
    main()
