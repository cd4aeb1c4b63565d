"""Loads lessons/NAME/numpy.py and torch.py by path.

A file called numpy.py cannot import NumPy from its own folder, so each is loaded under another module name.
"""

import functools
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CATALOGUE = (ROOT / "lessons/catalogue.cpp").read_text(encoding="utf-8")

# Those whose command shows their run on the page, in the course's order.
LESSONS = re.findall(r'on_page\(\{"(\w+)"', CATALOGUE)


def load(lesson, library):
    """The module lessons/LESSON/library.py."""
    path = ROOT / "lessons" / lesson / f"{library}.py"
    spec = importlib.util.spec_from_file_location(f"{lesson}_with_{library}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def function(lesson, library):
    """The lesson's function: arrays in, a dict of named tensors out. A training step works on the lesson loss."""
    own = getattr(load(lesson, library), lesson)
    return functools.partial(own, function("loss", library)) if lesson == "train" else own
