"""What has to come out, in double precision and in the plainest form: no fast variant shares a line with it."""
import numpy as np

import configurations
from configurations import CONFIGURATIONS, D_MODEL, HEADS, START, Attention


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, heads, causal):
    """One sequence, a token a row; a head at a time and 512 queries at a time, so that 8192 tokens fit."""
    d = q.shape[1] // heads
    output = np.empty((len(q), v.shape[1]))
    for h in range(heads):
        of_head = slice(h * d, (h + 1) * d)
        for begin in range(0, len(q), 512):
            rows = np.arange(begin, min(begin + 512, len(q)))
            scores = q[rows, of_head] @ k[:, of_head].T / np.sqrt(d)
            if causal:
                scores = np.where(np.arange(len(k)) <= rows[:, None], scores, -np.inf)
            output[rows, of_head] = softmax(scores) @ v[:, of_head]
    return output


def attention_block(work, w):
    outputs = []
    for ids in w["ids"]:
        x = w["te"][ids] + w["pe"]
        context = attend(x @ w["wq"], x @ w["wk"], x @ w["wv"], work.heads, causal=True)
        outputs.append(context @ w["wo"])
    return np.stack(outputs)


class EncoderDecoder:
    """One sequence at a time, a token a row. Parameters under the names of The Annotated Transformer."""

    def __init__(self, parameters, layers, heads=HEADS):
        self.p, self.layers, self.heads = parameters, layers, heads
        position = np.arange(5000)[:, None]
        rate = np.exp(np.arange(0, D_MODEL, 2) * -(np.log(10000.0) / D_MODEL))
        self.positions = np.zeros((5000, D_MODEL))
        self.positions[:, 0::2], self.positions[:, 1::2] = np.sin(position * rate), np.cos(position * rate)

    def linear(self, name, x):
        return x @ self.p[name + ".weight"].T + self.p[name + ".bias"]

    def norm(self, name, x):  # sample deviation, ε outside the root
        centred = x - x.mean(-1, keepdims=True)
        return self.p[name + ".a_2"] * centred / (x.std(-1, ddof=1, keepdims=True) + 1e-6) + self.p[name + ".b_2"]

    def attention(self, name, x, memory, causal=False):
        q, k, v = (self.linear(f"{name}.linears.{i}", y) for i, y in enumerate((x, memory, memory)))
        return self.linear(f"{name}.linears.3", attend(q, k, v, self.heads, causal))

    def feed_forward(self, name, x):
        return self.linear(name + ".w_2", np.maximum(self.linear(name + ".w_1", x), 0))

    def embed(self, side, ids):
        return self.p[f"{side}_embed.0.lut.weight"][ids] * np.sqrt(D_MODEL) + self.positions[: len(ids)]

    def encode(self, src):
        x = self.embed("src", src)
        for i in range(self.layers):
            layer = f"encoder.layers.{i}"
            y = self.norm(f"{layer}.sublayer.0.norm", x)
            x = x + self.attention(f"{layer}.self_attn", y, y)
            x = x + self.feed_forward(f"{layer}.feed_forward", self.norm(f"{layer}.sublayer.1.norm", x))
        return self.norm("encoder.norm", x)

    def decode(self, memory, tgt):
        x = self.embed("tgt", tgt)
        for i in range(self.layers):
            layer = f"decoder.layers.{i}"
            y = self.norm(f"{layer}.sublayer.0.norm", x)
            x = x + self.attention(f"{layer}.self_attn", y, y, causal=True)
            x = x + self.attention(f"{layer}.src_attn", self.norm(f"{layer}.sublayer.1.norm", x), memory)
            x = x + self.feed_forward(f"{layer}.feed_forward", self.norm(f"{layer}.sublayer.2.norm", x))
        return self.norm("decoder.norm", x)

    def log_probabilities(self, x):
        logits = self.linear("generator.proj", x)
        logits = logits - logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))

    def forward(self, src, tgt):
        return np.stack([self.log_probabilities(self.decode(self.encode(s), t)) for s, t in zip(src, tgt)])

    def greedy(self, src, tokens):
        memory, written = self.encode(src), [START]
        for _ in range(tokens):
            written.append(int(self.log_probabilities(self.decode(memory, np.array(written))[-1:]).argmax()))
        return written[1:]


class Gpt(EncoderDecoder):
    """The decoder alone: LayerNorm with the population's deviation, GELU by tanh, no source; without weights of its own
    the output layer is the table of the embeddings."""

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        return self.p[name + ".a_2"] * centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + self.p[name + ".b_2"]

    def feed_forward(self, name, x):
        h = self.linear(name + ".w_1", x)
        return self.linear(name + ".w_2", 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3))))

    def last(self, ids):
        x = self.p["tgt_embed.0.lut.weight"][ids] + self.p["tgt_embed.1.weight"][: len(ids)]
        for i in range(self.layers):
            layer = f"decoder.layers.{i}"
            y = self.norm(f"{layer}.sublayer.0.norm", x)
            x = x + self.attention(f"{layer}.self_attn", y, y, causal=True)
            x = x + self.feed_forward(f"{layer}.feed_forward", self.norm(f"{layer}.sublayer.1.norm", x))
        return self.norm("decoder.norm", x)

    def linear(self, name, x):
        return super().linear(name, x) if name + ".weight" in self.p else x @ self.p["tgt_embed.0.lut.weight"].T

    def write(self, prompt, tokens):
        ids = list(prompt)
        for _ in range(tokens):
            ids.append(int(self.log_probabilities(self.last(np.array(ids))[-1:]).argmax()))
        return ids[len(prompt) :]


def smoothed_loss(log_probabilities, labels, smoothing=0.1):
    """KLDivLoss over the number of tokens: 1 - s on the label, s/(V - 2) on the others, 0 on the padding (0)."""
    vocabulary = log_probabilities.shape[-1]
    wanted = np.full(log_probabilities.shape, smoothing / (vocabulary - 2))
    np.put_along_axis(wanted, labels[..., None], 1 - smoothing, -1)
    wanted[..., 0] = 0
    terms = np.where(wanted > 0, wanted * (np.log(np.maximum(wanted, 1e-300)) - log_probabilities), 0)
    return terms.sum() / labels.size


def reference(name, inputs):
    work = CONFIGURATIONS[name]
    exact = {key: value.astype(np.float64) if value.dtype == np.float32 else value for key, value in inputs.items()}
    if isinstance(work, Attention):
        return attention_block(work, exact)
    if isinstance(work, configurations.Gpt):
        model, tgt = Gpt(exact, work.layers, work.heads), exact["tgt"]
        if work.kind == "decode":
            return np.array(model.write(tgt[0], work.written))
        read = tgt[:, :-1] if work.kind == "step" else tgt
        log_probabilities = np.stack([model.log_probabilities(model.last(ids)) for ids in read])
        if work.kind == "step":
            return np.array([-np.take_along_axis(log_probabilities, tgt[:, 1:, None], -1).mean()])
        return log_probabilities
    model, src, tgt = EncoderDecoder(exact, work.layers), exact["src"], exact["tgt"]
    if work.kind == "decode":
        return np.array(model.greedy(src[0], work.target))
    if work.kind == "step":
        return np.array([smoothed_loss(model.forward(src, tgt[:, :-1]), tgt[:, 1:])])
    return model.forward(src, tgt)
