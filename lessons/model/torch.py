"""model: the whole encoder-decoder in modules of torch.nn, under The Annotated Transformer's names."""
import math

import torch
from torch import nn

PAD = 0


class Norm(nn.Module):                                       # not nn.LayerNorm: std over d − 1, ε outside of the root
    def __init__(self, d):
        super().__init__()
        self.a_2, self.b_2 = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.b_2


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.linears = heads, nn.ModuleList(nn.Linear(d, d) for _ in range(4))

    def forward(self, x, memory, mask):                      # queries of x; keys and values of memory
        Q, K, V = (layer(t).view(len(t), self.heads, -1).transpose(0, 1)
                   for layer, t in zip(self.linears, (x, memory, memory)))  # (h, n, d_k)
        scores = Q @ K.transpose(1, 2) / math.sqrt(Q.shape[-1])
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return self.linears[3]((weights @ V).transpose(0, 1).reshape(x.shape))


class FeedForward(nn.Module):
    def __init__(self, d, d_ff):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d, d_ff), nn.Linear(d_ff, d)

    def forward(self, x):
        return self.w_2(self.w_1(x).relu())


class Sublayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = Norm(d)

    def forward(self, x, function):                          # norm first, then the residual
        return x + function(self.norm(x))


class Layer(nn.Module):
    def __init__(self, d, d_ff, heads, is_decoder):
        super().__init__()
        self.self_attn, self.feed_forward = Attention(d, heads), FeedForward(d, d_ff)
        if is_decoder:
            self.src_attn = Attention(d, heads)
        self.sublayer = nn.ModuleList(Sublayer(d) for _ in range(3 if is_decoder else 2))

    def forward(self, x, mask, memory=None, src_mask=None):
        x = self.sublayer[0](x, lambda y: self.self_attn(y, y, mask))
        if memory is not None:
            x = self.sublayer[1](x, lambda y: self.src_attn(y, memory, src_mask))
        return self.sublayer[-1](x, self.feed_forward)


class Stack(nn.Module):
    def __init__(self, N, *sizes):
        super().__init__()
        self.layers, self.norm = nn.ModuleList(Layer(*sizes) for _ in range(N)), Norm(sizes[0])

    def forward(self, x, *seen):
        for layer in self.layers:
            x = layer(x, *seen)
        return self.norm(x)


class Embedding(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.lut = nn.Embedding(vocab, d)

    def forward(self, ids):
        return self.lut(ids) * math.sqrt(self.lut.embedding_dim)


class Positions(nn.Module):                                  # sin and cos in turn, ever slower waves
    def __init__(self, d, max_len=5000):
        super().__init__()
        angles = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
        pe = torch.zeros(max_len, d, dtype=torch.float64)
        pe[:, 0::2], pe[:, 1::2] = angles.sin(), angles.cos()[:, : d // 2]
        self.register_buffer("pe", pe[None])

    def forward(self, x):
        return x + self.pe[0, : len(x)]


class Generator(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.proj = nn.Linear(d, vocab)

    def forward(self, x):
        return self.proj(x)


class EncoderDecoder(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, N=6, d_model=512, d_ff=2048, heads=8):
        super().__init__()
        self.encoder, self.decoder = Stack(N, d_model, d_ff, heads, False), Stack(N, d_model, d_ff, heads, True)
        self.src_embed = nn.Sequential(Embedding(src_vocab, d_model), Positions(d_model))
        self.tgt_embed = nn.Sequential(Embedding(tgt_vocab, d_model), Positions(d_model))
        self.generator = Generator(d_model, tgt_vocab)

    def forward(self, src, tgt):
        src_mask = src != PAD                                # nobody looks at padding
        tgt_mask = (tgt != PAD) & torch.ones(len(tgt), len(tgt)).tril().bool()  # and nobody at what comes later
        memory = self.encoder(self.src_embed(src), src_mask)
        logits = self.generator(self.decoder(self.tgt_embed(tgt), tgt_mask, memory, src_mask))
        return dict(memory=memory, logits=logits, log_probs=logits.log_softmax(-1))


def model(w, src, tgt, heads):
    """w: a state_dict; src, tgt: token ids."""
    N = len({name.split(".")[2] for name in w if name.startswith("encoder.layers.")})
    d_ff, d_model = w["encoder.layers.0.feed_forward.w_1.weight"].shape
    whole = EncoderDecoder(len(w["src_embed.0.lut.weight"]), len(w["tgt_embed.0.lut.weight"]), N, d_model, d_ff, heads)
    whole.double().load_state_dict({name: value for name, value in w.items() if not name.endswith(".pe")}, strict=False)
    return whole(src, tgt)
