"""Makes data/reference/training/: gradients and optimizer steps of the models of data/reference/model, by PyTorch.

Run from the root of the repository, after make_model.py:  python3 tools/reference/make_training.py
Needs NumPy and PyTorch (the committed files were made by PyTorch 1.13 on x86-64 Linux).

gradients-N[-plain].safetensors: for layers-N, the labels, the loss (label smoothing 0.1, with "-plain" none) and
d.NAME for every parameter, float64. The loss is nn.KLDivLoss(reduction="sum") against the smoothed target, as The
Annotated Transformer's criterion, divided by the number of labels that are not padding.

adam.safetensors, adamw.safetensors: 20 steps from layers-1 in float32: batches, learning rates and the loss before
every step; adamw with weight decay and clipping.
"""

import json
import struct
from pathlib import Path

import numpy as np
import torch
from torch import nn

from make_model import FOLDER as MODELS, PAD, Model, save_safetensors

FOLDER = Path("data/reference/training")


def load(path):
    """Tensors and metadata of a safetensors file of F32, F64 or I64."""
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    metadata = header.pop("__metadata__")
    kinds = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        cells = np.frombuffer(raw[8 + size + begin:8 + size + end], kinds[entry["dtype"]])
        tensors[name] = torch.from_numpy(cells.reshape(entry["shape"]).copy())
    return tensors, metadata


def model_of(name, dtype):
    weights, style = load(MODELS / f"{name}.weights.safetensors")
    layers = 1 + max(int(key.split(".")[2]) for key in weights if key.startswith("encoder.layers."))
    shape = dict(layers=layers, d_model=weights["src_embed.0.lut.weight"].shape[1],
                 d_ff=weights["encoder.layers.0.feed_forward.w_1.weight"].shape[0], heads=int(style["heads"]),
                 src_vocab=weights["src_embed.0.lut.weight"].shape[0],
                 tgt_vocab=weights["tgt_embed.0.lut.weight"].shape[0])
    model = Model(shape, style)
    model.load_state_dict(weights)
    return model.to(dtype), shape


def loss_of(model, src, tgt, labels, smoothing):
    kept = {}
    model(src, tgt, lambda name, value: kept.__setitem__(name, value))
    log_probs = kept["log_probs"].reshape(-1, kept["log_probs"].shape[-1])
    vocab, flat = log_probs.shape[1], labels.reshape(-1)
    target = torch.full_like(log_probs, smoothing / (vocab - 2)).detach()
    target.scatter_(1, flat[:, None], 1 - smoothing)
    target[:, PAD] = 0
    target[flat == PAD] = 0
    return nn.functional.kl_div(log_probs, target, reduction="sum") / (flat != PAD).sum()


def write_gradients(n, smoothing, suffix):
    model, shape = model_of(f"layers-{n}", torch.float64)
    ids, _ = load(MODELS / f"layers-{n}.safetensors")
    torch.manual_seed(100 + n)
    labels = torch.randint(1, shape["tgt_vocab"], ids["tgt"].shape)
    labels[ids["tgt"] == PAD] = PAD
    loss = loss_of(model, ids["src"], ids["tgt"], labels, smoothing)
    loss.backward()
    kept = {"labels": labels.numpy(), "loss": loss.detach().numpy().reshape(1)}
    for name, parameter in model.named_parameters():
        kept["d." + name] = parameter.grad.numpy()
    save_safetensors(FOLDER / f"gradients-{n}{suffix}.safetensors", kept, {"smoothing": str(smoothing)})


def write_steps(name, make, clip):
    steps, rows, n_src, n_tgt = 20, 4, 6, 5
    model, shape = model_of("layers-1", torch.float32)
    optimizer = make(model.parameters())
    torch.manual_seed(5)
    kept = {"src": [], "tgt": [], "labels": [], "rate": [], "loss": []}
    for step in range(1, steps + 1):
        src, tgt = torch.randint(1, shape["src_vocab"], (rows, n_src)), torch.randint(1, shape["tgt_vocab"], (rows, n_tgt))
        labels = torch.randint(1, shape["tgt_vocab"], (rows, n_tgt))
        for row in range(1, rows):
            src[row, n_src - row:] = tgt[row, n_tgt - row:] = labels[row, n_tgt - row:] = PAD
        rate = 0.05 * shape["d_model"] ** -0.5 * min(step ** -0.5, step * 10 ** -1.5)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        loss = loss_of(model, src, tgt, labels, 0.1)
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        for key, value in dict(src=src, tgt=tgt, labels=labels, rate=rate, loss=loss.detach()).items():
            kept[key].append(np.asarray(value))
    save_safetensors(FOLDER / f"{name}.safetensors",
                     {key: np.stack(value).astype(np.int64 if key in ("src", "tgt", "labels") else np.float64)
                      for key, value in kept.items()}, {"clip": str(clip)})


def main():
    torch.set_default_dtype(torch.float64)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for n in range(1, 7):
        write_gradients(n, 0.1, "")
    write_gradients(1, 0.0, "-plain")
    write_gradients(4, 0.0, "-plain")
    rule = dict(lr=0.0, betas=(0.9, 0.98), eps=1e-9)
    write_steps("adam", lambda parameters: torch.optim.Adam(parameters, **rule), 0)
    write_steps("adamw", lambda parameters: torch.optim.AdamW(parameters, weight_decay=0.1, **rule), 1.0)
    print(f"{sum(path.stat().st_size for path in FOLDER.iterdir()):,} bytes in {FOLDER}")


if __name__ == "__main__":
    main()
