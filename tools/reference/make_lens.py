"""Makes data/reference/lens.npz: the lesson lens on the translator en-zh, and what mistakes in it give; and
data/reference/lessons/en-zh-1.npz, with which the page of its usual run is compared.

Run from the root of the repository:  python3 tools/reference/make_lens.py
Needs NumPy and PyTorch (the committed file was made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

The model runs in double by lessons/model's numpy.py; what each part wrote is put together here, head by head. Then
lessons/lens computes the terms and the lens, in NumPy and in PyTorch, which must agree within 1e-12, and whose terms
must add up to the model's logits. Names in the file: NAME of the lesson's tensors, MISTAKE.NAME of wrong ones; of the
lens two columns, those of the two tokens.
"""

import json
import struct
from pathlib import Path

import numpy as np
import torch

import lesson_code
from make_lessons import in_brief

FILE = Path("data/reference/lens.npz")
RUN = Path("data/reference/lessons/en-zh-1.npz")  # what the lesson's own page is compared with
MODEL = Path("data/models/en-zh.safetensors")
KINDS = {"F16": np.float16, "F32": np.float32, "F64": np.float64}
SOURCE, WRITTEN, TOKEN, AGAINST = "click the red cell", "点击", "红", "蓝"


def read_safetensors(path):
    data = path.read_bytes()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    body = data[8 + length:]
    tensors = {name: np.frombuffer(body[slice(*entry["data_offsets"])], dtype=KINDS[entry["dtype"]])
               .reshape(entry["shape"]).astype(np.float64) for name, entry in header.items()}
    return tensors, metadata


def layer_parts(code, lens, w, layer, x, memory, heads, place):
    """The decoder's layer on x: what each of its parts writes in the row `place`, and the stream behind each."""
    def mixtures(name, queries, keys, seen):
        def split(part, t):
            y = code.linear(w, f"{name}.linears.{part}", t)
            return y.reshape(len(y), heads, -1).swapaxes(0, 1)
        Q, K, V = split(0, queries), split(1, keys), split(2, keys)
        scores = Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])
        return code.softmax(np.where(seen, scores, -np.inf)) @ V

    names, parts, streams, rows = [], [], [], []
    for i, name in enumerate(["self_attn", "src_attn", "feed_forward"]):
        y = code.norm(w, f"{layer}.sublayer.{i}.norm", x)
        place_of = f"{layer}.{name}"
        if name == "feed_forward":
            hidden = np.maximum(0, code.linear(w, f"{place_of}.w_1", y))
            wrote, bias = hidden @ w[f"{place_of}.w_2.weight"].T, w[f"{place_of}.w_2.bias"]
            names += [place_of, f"{place_of}.w_2.bias"]
            parts += [wrote[place], bias]
            x = x + wrote + bias
        else:
            seen = np.tri(len(x), dtype=bool) if name == "self_attn" else True
            heads_of = mixtures(place_of, y, y if name == "self_attn" else memory, seen)  # (h, n, d_k)
            W_O, bias = w[f"{place_of}.linears.3.weight"], w[f"{place_of}.linears.3.bias"]
            wrote = lens.head_rows(heads_of[:, place], W_O)
            names += [f"{place_of}.head.{h}" for h in range(heads)] + [f"{place_of}.linears.3.bias"]
            parts += [*wrote, bias]
            rows += [(len(parts) - heads - 1, heads_of[:, place], W_O)]
            x = x + heads_of.swapaxes(0, 1).reshape(len(x), -1) @ W_O.T + bias
        streams.append(x[place])
    return names, parts, streams, rows, x


def inputs_of(w, metadata):
    code, lens = lesson_code.load("model", "numpy"), lesson_code.load("lens", "numpy")
    heads = int(metadata["heads"])
    words = {side: metadata[f"{side}_tokens"].split("\n") for side in ("src", "tgt")}
    src = np.array([words["src"].index(word) for word in SOURCE.split()])
    tgt = np.array([int(metadata["start"])] + [words["tgt"].index(sign) for sign in WRITTEN])
    place = len(tgt) - 1
    memory = code.encode(w, src, heads)
    d = w["tgt_embed.0.lut.weight"].shape[1]
    embedded, positions = w["tgt_embed.0.lut.weight"][tgt] * np.sqrt(d), code.positions(len(tgt), d)
    x = embedded + positions
    names, parts, stream, rows = ["tgt_embed", "tgt_embed.pe"], [embedded[place], positions[place]], [x[place]], []
    for i in range(code.layers_of(w, "decoder")):
        more, wrote, streams, of_heads, x = layer_parts(code, lens, w, f"decoder.layers.{i}", x, memory, heads, place)
        rows += [(len(parts) + at, mixtures, W_O) for at, mixtures, W_O in of_heads]
        names, parts, stream = names + more, parts + wrote, stream + streams
    logits = code.model(w, src, tgt, heads)["logits"][place]
    given = dict(parts=np.stack(parts), stream=np.stack(stream), W_U=w["generator.proj.weight"],
                 b_U=w["generator.proj.bias"], gain=w["decoder.norm.a_2"], shift=w["decoder.norm.b_2"],
                 token=words["tgt"].index(TOKEN), against=words["tgt"].index(AGAINST))
    return given, rows, logits


def kept(made, given):
    return dict(made, lens=made["lens"][:, [given["token"], given["against"]]])


def wrong_runs(given, rows):
    """MISTAKE → the lesson's tensors with it in them."""
    lens = lesson_code.load("lens", "numpy")
    right = {name: getattr(lens, name) for name in ("direction", "terms_of", "divisor_of", "softmax")}

    def with_changed(changed=given, **functions):
        for name, function in functions.items():
            setattr(lens, name, function)
        made = lens.lens(**changed)
        for name, function in right.items():
            setattr(lens, name, function)
        return kept(made, given)

    def terms_without(*ends):
        def terms(parts, w, b, gain, shift, divisor):
            all_terms = right["terms_of"](parts, w, b, gain, shift, divisor)
            for end in ends:
                all_terms[end] = 0
            return all_terms
        return terms

    by_rows = dict(given, parts=given["parts"].copy())  # nn.Linear's weight cut into rows, as if it were (in, out)
    for at, mixtures, W_O in rows:
        by_rows["parts"][at:at + len(mixtures)] = [m @ W for m, W in zip(mixtures, np.split(W_O, len(mixtures)))]

    unnormed = right["softmax"](given["stream"] @ given["W_U"].T + given["b_U"])
    return {
        "lens.no_gain": with_changed(direction=lambda w, gain, divisor: (w - w.mean()) / divisor),
        "lens.no_mean": with_changed(direction=lambda w, gain, divisor: gain * w / divisor),
        "lens.no_divisor": with_changed(direction=lambda w, gain, divisor: gain * w - (gain * w).mean()),
        "lens.no_bias": with_changed(terms_of=terms_without(-1)),
        "lens.no_shift": with_changed(terms_of=terms_without(-2)),
        "lens.rows_of_W_O": with_changed(by_rows),
        "lens.no_norm": kept(dict(lens.lens(**given), lens=unnormed), given),
    }


def main():
    w, metadata = read_safetensors(MODEL)
    given, rows, logits = inputs_of(w, metadata)
    made = lesson_code.function("lens", "numpy")(**given)
    again = lesson_code.function("lens", "torch")(**{
        name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in given.items()})
    for name, value in made.items():
        assert np.abs(value - again[name].numpy()).max() <= 1e-12 * max(1, np.abs(value).max()), name
    torch_rows = lesson_code.load("lens", "torch").head_rows
    for at, mixtures, W_O in rows:
        theirs = torch_rows(torch.from_numpy(mixtures), torch.from_numpy(W_O)).numpy()
        assert np.abs(theirs - given["parts"][at:at + len(mixtures)]).max() <= 1e-12
    token, against = given["token"], given["against"]
    assert abs(made["logit"].item() - logits[token]) <= 1e-12 * abs(logits[token])
    assert abs(made["difference.logit"].item() - (logits[token] - logits[against])) <= 1e-11
    assert made["lens"][-1].argmax() == token
    arrays = kept(made, given) | {"parts": given["parts"], "stream": given["stream"]}
    for mistake, tensors in wrong_runs(given, rows).items():
        changed = {name for name in tensors if not np.array_equal(tensors[name], arrays[name])}
        assert changed, mistake
        arrays |= {f"{mistake}.{name}": tensors[name] for name in sorted(changed)}
    np.savez_compressed(FILE, **arrays)
    run = {f"lens.{name}": value for name, value in made.items() if name != "lens"}
    run |= {"lens.parts": given["parts"], "lens.stream": given["stream"]} | in_brief("lens.lens", made["lens"], False)
    np.savez_compressed(RUN, **run)
    print(f"{RUN}: {len(run)} arrays, {RUN.stat().st_size} bytes")
    print(f"{FILE}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
