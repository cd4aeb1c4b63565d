"""Loads lessons/NN_name/numpy.py and torch.py by path.

A file called numpy.py cannot import NumPy from its own folder, so each is loaded under another module name.
"""

import functools
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LESSONS = ["lookup", "words", "qkv", "scores", "softmax", "attention", "sdpa", "masked", "multihead",
           "cross", "embed", "block", "loss", "train", "decode", "cache", "params", "bpe"]


def load(lesson, library):
    """The module lessons/NN_lesson/library.py."""
    path = next(ROOT.glob(f"lessons/[0-9][0-9]_{lesson}")) / f"{library}.py"
    spec = importlib.util.spec_from_file_location(f"{lesson}_with_{library}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function(lesson, library):
    """The lesson's function: arrays in, a dict of named tensors out. A training step works on lesson 13's loss."""
    own = getattr(load(lesson, library), lesson)
    return functools.partial(own, function("loss", library)) if lesson == "train" else own
