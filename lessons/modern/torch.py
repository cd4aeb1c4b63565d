"""modern: one block, as Llama has it."""
import torch
import torch.nn.functional as F


def rms_norm(x, gain, epsilon=1e-5):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon) * gain


def rotate(x, base):  # rotate_half, as in Hugging Face's
    n, w = x.shape[-2:]
    speeds = base ** (-torch.arange(0, w, 2, dtype=x.dtype) / w)
    angles = torch.outer(torch.arange(n, dtype=x.dtype), speeds)
    cos, sin = (torch.cat((t, t), dim=-1) for t in (angles.cos(), angles.sin()))
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


def attention(x, W_Q, W_K, W_V, W_O, heads, kv_heads, base, window):
    def split(t, count):  # (n, count·d_k) → (count, n, d_k)
        return t.unflatten(-1, (count, -1)).transpose(0, 1)

    n, group = len(x), heads // kv_heads
    Q = rotate(split(x @ W_Q, heads), base)
    K = rotate(split(x @ W_K, kv_heads), base)          # what a cache keeps
    K, V = (t.repeat_interleave(group, dim=0) for t in (K, split(x @ W_V, kv_heads)))
    back = torch.arange(n)[:, None] - torch.arange(n)
    visible = (back >= 0) & ((back < window) | (window == 0))
    scaled = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    weights = scaled.masked_fill(~visible, float("-inf")).softmax(-1)
    return (weights @ V).transpose(0, 1).flatten(1) @ W_O


def modern(X, W_Q, W_K, W_V, W_O, W_1, W_3, W_2, gain_1, gain_2, heads, kv_heads, base=10000.0, window=0):
    heads, kv_heads, window = int(heads), int(kv_heads), int(window)
    attended = attention(rms_norm(X, gain_1), W_Q, W_K, W_V, W_O, heads, kv_heads, base, window)
    between = X + attended
    y = rms_norm(between, gain_2)
    fed = (F.silu(y @ W_1) * (y @ W_3)) @ W_2           # SwiGLU
    return dict(attended=attended, between=between, fed=fed, output=between + fed)
