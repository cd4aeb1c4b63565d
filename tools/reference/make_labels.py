"""Makes data/reference/labels.json: losses by PyTorch's cross_entropy, with labels that it ignores and with its own
label smoothing, for the lesson loss on one's own logits.

Run from the root of the repository:  python3 tools/reference/make_labels.py
Needs NumPy and PyTorch (the committed file was made by NumPy 1.24 and PyTorch 1.13).
"""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F


def cases(random):
    for _ in range(40):
        n, V = random.randint(1, 7), random.randint(3, 9)
        logits = (random.randn(n, V) * random.choice([1, 5, 30])).round(4)
        labels = random.randint(0, V, n)
        ignored = int(random.choice([-100, -1, random.randint(V)]))
        labels[random.rand(n) < 0.3] = ignored
        if (labels == ignored).all():
            labels[0] = (ignored + 1) % V if ignored >= 0 else 0
        smoothing = float(random.choice([0, 0.1, 0.3]))
        loss = F.cross_entropy(torch.tensor(logits), torch.tensor(labels), ignore_index=ignored,
                               label_smoothing=smoothing)
        yield dict(logits=logits.tolist(), labels=labels.tolist(), ignored=ignored, smoothing=smoothing,
                   loss=loss.item())


Path("data/reference/labels.json").write_text(
    "[\n" + ",\n".join(json.dumps(case) for case in cases(np.random.RandomState(40))) + "\n]\n")
