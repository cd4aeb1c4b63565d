"""The encoder-decoder of The Annotated Transformer in PyTorch, written anew with the names of its state_dict: pre-norm,
biases everywhere, sample deviation with epsilon outside the root, sinusoidal positions, embeddings times sqrt(d_model).
There is no padding in the inputs, so the only mask is the decoder's causal one."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from configurations import D_FF, D_MODEL, DROPOUT, HEADS, START


class LayerNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.a_2, self.b_2 = nn.Parameter(torch.ones(D_MODEL)), nn.Parameter(torch.zeros(D_MODEL))

    def forward(self, x):
        return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.b_2


class NativeNorm(LayerNorm):
    """PyTorch's own, whose deviation is the population's: prepare() puts the factor between the two into the gain."""

    def prepare(self):
        self.a_2.data *= math.sqrt((D_MODEL - 1) / D_MODEL)

    def forward(self, x):
        return F.layer_norm(x, (D_MODEL,), self.a_2, self.b_2, 1e-12)


class MultiHeadedAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.linears = nn.ModuleList([nn.Linear(D_MODEL, D_MODEL) for _ in range(4)])
        self.dropout = nn.Dropout(DROPOUT)

    def split(self, i, x):
        return self.linears[i](x).view(x.size(0), -1, HEADS, D_MODEL // HEADS).transpose(1, 2)

    def forward(self, x, memory, blocked=None):
        q, k, v = self.split(0, x), self.split(1, memory), self.split(2, memory)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(D_MODEL // HEADS)
        if blocked is not None:
            scores = scores.masked_fill(blocked, -1e9)
        context = torch.matmul(self.dropout(scores.softmax(-1)), v)
        return self.linears[3](context.transpose(1, 2).contiguous().view(x.size(0), -1, D_MODEL))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w_1, self.w_2, self.dropout = nn.Linear(D_MODEL, D_FF), nn.Linear(D_FF, D_MODEL), nn.Dropout(DROPOUT)

    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))


class Sublayer(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.norm, self.dropout = norm(), nn.Dropout(DROPOUT)

    def forward(self, x, inner):
        return x + self.dropout(inner(self.norm(x)))


class Layer(nn.Module):
    def __init__(self, norm, decodes):
        super().__init__()
        self.self_attn, self.feed_forward = MultiHeadedAttention(), FeedForward()
        self.src_attn = MultiHeadedAttention() if decodes else None
        self.sublayer = nn.ModuleList([Sublayer(norm) for _ in range(3 if decodes else 2)])

    def forward(self, x, memory=None, blocked=None):
        x = self.sublayer[0](x, lambda y: self.self_attn(y, y, blocked))
        if memory is not None:
            x = self.sublayer[1](x, lambda y: self.src_attn(y, memory))
        return self.sublayer[-1](x, self.feed_forward)


class Tower(nn.Module):
    def __init__(self, norm, layers, decodes):
        super().__init__()
        self.layers, self.norm = nn.ModuleList([Layer(norm, decodes) for _ in range(layers)]), norm()

    def forward(self, x, memory=None, blocked=None):
        for layer in self.layers:
            x = layer(x, memory, blocked)
        return self.norm(x)


class Embeddings(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.lut = nn.Embedding(vocabulary, D_MODEL)

    def forward(self, ids):
        return self.lut(ids) * math.sqrt(D_MODEL)


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        position = torch.arange(5000.0).unsqueeze(1)
        rate = torch.exp(torch.arange(0.0, D_MODEL, 2) * -(math.log(10000.0) / D_MODEL))
        pe = torch.stack([torch.sin(position * rate), torch.cos(position * rate)], -1).view(5000, D_MODEL)
        self.register_buffer("pe", pe, persistent=False)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(1)])


class Generator(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.proj = nn.Linear(D_MODEL, vocabulary)

    def forward(self, x):
        return F.log_softmax(self.proj(x), -1)


class EncoderDecoder(nn.Module):
    def __init__(self, vocabulary, layers, norm):
        super().__init__()
        self.encoder, self.decoder = Tower(norm, layers, False), Tower(norm, layers, True)
        self.src_embed = nn.Sequential(Embeddings(vocabulary), Positions())
        self.tgt_embed = nn.Sequential(Embeddings(vocabulary), Positions())
        self.generator = Generator(vocabulary)

    def encode(self, src):
        return self.encoder(self.src_embed(src))

    def decode(self, memory, tgt):
        blocked = torch.triu(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool), 1)
        return self.decoder(self.tgt_embed(tgt), memory, blocked)

    def forward(self, src, tgt):
        return self.generator(self.decode(self.encode(src), tgt))


def make_model(parameters, layers, native_norm):
    """The model with these parameters: state_dict names to NumPy arrays."""
    model = EncoderDecoder(len(parameters["generator.proj.bias"]), layers, NativeNorm if native_norm else LayerNorm)
    model.load_state_dict({name: torch.from_numpy(array) for name, array in parameters.items()})
    for module in model.modules():
        if isinstance(module, NativeNorm):
            module.prepare()
    return model


class CachedDecoder:
    """Greedy decoding of one sequence that keeps keys and values; Q, K and V of a token come from one product."""

    def __init__(self, model, src, tokens):
        self.model, self.src, self.tokens = model, src, tokens
        projections = [[layer.self_attn.linears[i] for i in range(3)] for layer in model.decoder.layers]
        self.weights = [torch.cat([linear.weight for linear in three]).contiguous() for three in projections]
        self.biases = [torch.cat([linear.bias for linear in three]).contiguous() for three in projections]

    def run(self):
        layers, d = self.model.decoder.layers, D_MODEL // HEADS
        memory = self.model.encode(self.src)
        cross = [(layer.src_attn.split(1, memory)[0].transpose(1, 2).contiguous(),
                  layer.src_attn.split(2, memory)[0].contiguous()) for layer in layers]
        keys = [torch.empty(HEADS, d, self.tokens) for _ in layers]
        values = [torch.empty(HEADS, self.tokens, d) for _ in layers]
        written = [START]
        for t in range(self.tokens):
            x = self.model.tgt_embed[0](torch.tensor([written[-1]])) + self.model.tgt_embed[1].pe[t]
            for i, layer in enumerate(layers):
                norms = [sublayer.norm for sublayer in layer.sublayer]
                projected = F.linear(norms[0](x), self.weights[i], self.biases[i]).view(3, HEADS, d)
                q, keys[i][:, :, t], values[i][:, t] = projected
                x = x + self.attend(layer.self_attn, q, keys[i][:, :, : t + 1], values[i][:, : t + 1])
                q = layer.src_attn.linears[0](norms[1](x)).view(HEADS, d)
                x = x + self.attend(layer.src_attn, q, *cross[i])
                x = x + layer.feed_forward(norms[2](x))
            written.append(int(self.model.generator.proj(self.model.decoder.norm(x)).argmax()))
        return written[1:]

    @staticmethod
    def attend(attention, q, keys, values):
        weights = (torch.bmm(q.unsqueeze(1), keys) / math.sqrt(D_MODEL // HEADS)).softmax(-1)
        return attention.linears[3](torch.bmm(weights, values).view(1, D_MODEL))
