"""The work that every side does, and how much of it there is: see docs/performance.md."""
import dataclasses
import os

import numpy as np

LAYERS, D_MODEL, D_FF, HEADS = 6, 512, 2048, 8
DROPOUT = 0.1  # of training
START = 1  # the token that decoding starts with


@dataclasses.dataclass(frozen=True)
class Attention:
    """Token + position embedding, causal multi-head self-attention, output projection; no biases."""
    batch: int
    tokens: int
    width: int
    heads: int
    vocabulary: int = 10000

    def flops(self):
        rows, pairs = self.batch * self.tokens, self.batch * self.tokens * (self.tokens + 1) / 2
        return 8 * rows * self.width**2 + 4 * pairs * self.width


@dataclasses.dataclass(frozen=True)
class Model:
    """The encoder-decoder of The Annotated Transformer."""
    kind: str  # "forward", "step" (of training) or "decode"
    vocabulary: int
    batch: int = 8
    source: int = 64
    target: int = 64
    layers: int = LAYERS

    def encoder_flops(self):
        per_token = 8 * D_MODEL**2 + 4 * D_MODEL * D_FF + 4 * D_MODEL * self.source
        return self.batch * self.source * self.layers * per_token

    def flops(self):
        if self.kind == "decode":  # the encoder, and the keys and values of its output
            return self.encoder_flops() + 4 * self.source * self.layers * D_MODEL**2
        memory = 4 * self.batch * self.source * self.layers * D_MODEL**2
        attended = (self.target + 1) / 2 + self.source
        per_token = 12 * D_MODEL**2 + 4 * D_MODEL * D_FF + 4 * D_MODEL * attended
        rows = self.batch * self.target
        forward = self.encoder_flops() + memory + rows * (self.layers * per_token + 2 * D_MODEL * self.vocabulary)
        return 3 * forward if self.kind == "step" else forward

    def bytes_read(self):
        """Decoding reads every weight of the decoder once a token; the rest fits in the caches."""
        if self.kind != "decode":
            return 0
        weights = self.layers * (6 * D_MODEL**2 + 2 * D_MODEL * D_FF) + D_MODEL * self.vocabulary
        return 4 * weights * self.target


@dataclasses.dataclass(frozen=True)
class Gpt:
    """A decoder alone with GPT-2's parts. Of decoding `tokens` is the prompt, `written` what follows."""
    kind: str  # "forward", "step" (of training) or "decode"
    tokens: int = 512
    written: int = 64
    vocabulary: int = 10000
    context: int = 1024
    batch: int = 1
    layers: int = LAYERS
    width: int = D_MODEL
    hidden: int = D_FF
    heads: int = HEADS
    tied: bool = True  # the output layer is the table of the embeddings
    dropout: float = DROPOUT

    @property
    def layer_weights(self):
        return 4 * self.width**2 + 2 * self.width * self.hidden

    def flops(self):
        pairs = self.tokens * (self.tokens + 1) / 2
        layers = self.layers * (2 * self.tokens * self.layer_weights + 4 * pairs * self.width)
        outputs = 1 if self.kind == "decode" else self.tokens
        forward = self.batch * (layers + 2 * outputs * self.width * self.vocabulary)
        return 3 * forward if self.kind == "step" else forward

    def bytes_read(self):
        """After the prompt each token reads every weight once, and the keys and values before it."""
        if self.kind != "decode":
            return 0
        steps = self.written - 1
        cached = self.layers * 2 * self.width * sum(self.tokens + t for t in range(1, self.written))
        return 4 * (steps * (self.layers * self.layer_weights + self.width * self.vocabulary) + cached)


CONFIGURATIONS = {
    "A1": Attention(8, 64, 256, 4),
    "A2": Attention(4, 256, 256, 4),
    "A3": Attention(1, 2048, 512, 8),
    "A4": Attention(1, 8192, 512, 8),
    "B11": Model("forward", 11),
    "B10k": Model("forward", 10000),
    "C": Model("step", 11, batch=80, source=10, target=9, layers=2),
    "D11": Model("decode", 11, batch=1),
    "D10k": Model("decode", 10000, batch=1),
    "E": Gpt("forward"),
    "F": Gpt("step"),
    "G": Gpt("decode"),
    "H": Gpt("step", tokens=64, vocabulary=64, context=64, batch=16, layers=4, width=64, hidden=256, heads=4,
             tied=False, dropout=0),
}


def floor_ms(name, peak_gflops, read_gbs):
    """The shortest time that the machine's arithmetic and memory allow."""
    work = CONFIGURATIONS[name]
    seconds = work.flops() / (peak_gflops * 1e9)
    if getattr(work, "kind", "") == "decode":
        seconds += work.bytes_read() / (read_gbs * 1e9)
    return seconds * 1e3


def load(folder, name):
    """The weights and ids of CONFIG.npz by name."""
    with np.load(os.path.join(folder, name + ".npz")) as file:
        return {key: file[key] for key in file.files}


def check_of(output):
    """Four numbers by which a reader recognises an output."""
    flat = np.asarray(output, dtype=np.float64).reshape(-1)
    return [float(flat[0]), float(flat[len(flat) // 2]), float(flat[-1]), float(np.abs(flat).mean())]
