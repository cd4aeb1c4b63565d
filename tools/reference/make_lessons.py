"""Makes data/reference/lessons/ID-VARIANT.npz: every tutorial run through every lesson it fits.

Run from the root of the repository:  python3 tools/reference/make_lessons.py
Needs NumPy and PyTorch (the committed files were made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

Each lesson is computed in double by its numpy.py and its torch.py, which must agree; NumPy's result is kept.
README.md beside this file says which name a tensor has in the files.
"""

import hashlib
import os
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: the same bytes however many cores there are

import numpy as np
import torch

import lesson_code
from tutorial_runs import RUNS

FOLDER = Path("data/reference/lessons")
MAX_CELLS = 10_000            # of larger arrays: see in_brief
SAMPLE = 1_000
MAX_FILE, MAX_ALL = 800_000, 2_600_000

# The unmasked single head: these lessons share one set of tensors. The others keep theirs as LESSON.name.
SHARED = {"words", "qkv", "scores", "softmax", "attention", "sdpa"}

FUN_TRANSFORMER_OUTPUT = [[0.98522025, 1.74174051, 0.75652026], [0.90965265, 1.40965265, 0.5],
                          [0.99851226, 1.75849334, 0.75998108], [0.99560386, 1.90407309, 0.90846923]]


def worst_difference(a, b):
    """max |a − b| / (1 + |b|) over all cells; the same infinity on both sides is no difference."""
    assert a.shape == b.shape, (a.shape, b.shape)
    with np.errstate(invalid="ignore"):
        difference = np.where(a == b, 0.0, np.abs(a - b) / (1 + np.abs(b)))
    return difference.max(initial=0.0)


def run_lesson(lesson, inputs):
    """The lesson in NumPy, proved equal to the lesson in PyTorch.  → dict of float64 arrays"""
    tensors = lesson_code.function(lesson, "numpy")(**inputs)
    tensors = {name: np.asarray(value, dtype=np.float64) for name, value in tensors.items()}
    theirs = lesson_code.function(lesson, "torch")(**{
        name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
        for name, value in inputs.items()})
    assert tensors.keys() == theirs.keys(), (lesson, tensors.keys() ^ theirs.keys())
    for name, value in theirs.items():
        worst = worst_difference(tensors[name], value.to(torch.float64).numpy())
        assert worst <= 1e-12, f"{lesson}: {name} differs by {worst:g} between NumPy and PyTorch"
    return tensors


# The lesson's tensors whose mean L is; elsewhere "output".
OBJECTIVE = {"words": ["dots"], "qkv": ["Q", "K", "V"], "scores": ["scores"], "softmax": ["entropy"], "embed": ["X"],
             "rope": ["scores"]}
# Whose gradients the files hold, with `tfx LESSON --grad --tutorial RUN`.
GRADIENTS = {"fun-transformer-1": {"words", "qkv", "scores", "softmax", "attention"},
             "fun-transformer-2": {"multihead"}, "scaled-dot-product-1": {"sdpa"}, "attention-block-1": {"multihead"},
             "annotated-2": {"embed"}, "annotated-3": {"block"}, "happy-llm-1": {"lookup"},
             "happy-llm-2": {"masked", "multihead", "rope"}, "happy-llm-3": {"cross"}}


def leaves_of(lesson, inputs):
    """What can be changed, as PyTorch's leaves, and the inputs made of them: the lessons about attention start
    from the projections, or from Q, K and V where the run has no others."""
    names = [name for name, value in inputs.items()
             if isinstance(value, np.ndarray) and name not in {"mask", "token_ids", "labels", "keep"}]
    leaves = {name: torch.tensor(np.array(inputs[name]), dtype=torch.float64, requires_grad=True) for name in names}
    others = {name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
              for name, value in inputs.items() if name not in leaves}
    return leaves, others


def gradients_of(run, lesson, inputs):
    """The gradients of the mean of the lesson's output by PyTorch's autograd, as LESSON.dNAME."""
    begin_with_X = lesson in {"scores", "softmax", "attention", "masked", "rope"} and "W_Q" in run
    if begin_with_X:
        inputs = {**{name: run[name] for name in ["X", "W_Q", "W_K", "W_V"]},
                  **({"mask": inputs["mask"]} if "mask" in inputs else {})}
    leaves, others = leaves_of(lesson, inputs)
    tensors = dict(leaves)

    def through(name, **given):
        tensors.update(lesson_code.function(name, "torch")(**given))

    if begin_with_X:
        through("qkv", **{f"X_{M}": leaves["X"] for M in "QKV"}, **{f"W_{M}": leaves[f"W_{M}"] for M in "QKV"})
        if lesson == "masked":
            through("masked", **{M: tensors[M] for M in "QKV"}, **others)
        elif lesson == "rope":
            through("rope", Q=tensors["Q"], K=tensors["K"])
        else:
            through("scores", Q=tensors["Q"], K=tensors["K"])
        if lesson in {"softmax", "attention"}:
            through("softmax", scores=tensors["scores"], d_k=tensors["Q"].shape[-1])
        if lesson == "attention":
            through("attention", weights=tensors["weights"], V=tensors["V"])
    elif lesson in {"qkv", "multihead"} and "X" in run:  # one X, given three times
        X = torch.tensor(run["X"], dtype=torch.float64, requires_grad=True)
        leaves = {name: value for name, value in leaves.items() if not name.startswith("X_")}
        tensors = dict(leaves, X=X)
        through(lesson, **leaves, **others, **{f"X_{M}": X for M in "QKV"})
    else:
        through(lesson, **leaves, **others)
    for value in tensors.values():
        if value.requires_grad:
            value.retain_grad()
    sum(tensors[name].mean() for name in OBJECTIVE.get(lesson, ["output"])).backward()
    return {f"{lesson}.d{name}": value.grad.numpy() for name, value in tensors.items()
            if value.grad is not None and name != "row_max"}  # tfx takes the maximum as the constant it may be


def page_steps(lesson, inputs, made):
    """What the lesson's page shows on the way, and its short code has no name for. made: the code's tensors."""
    if lesson == "cache":
        n, d = made["inputs"].shape
        written = np.tri(n)[:, :, None]                                              # (steps, rows, 1)
        kept_keys, kept_values = written * made["keys"], written * made["values"]
        query = made["queries"][:, None]
        scores = query @ kept_keys.swapaxes(-1, -2)                                  # (steps, 1, rows)
        scaled, visible = scores / np.sqrt(query.shape[-1]), np.tri(n)[:, None]
        masked = np.where(visible == 1, scaled, -np.inf)
        code = lesson_code.load("cache", "numpy")
        weights = code.softmax(masked)
        steps = dict(written=written, kept_keys=kept_keys, kept_values=kept_values, query=query, scores=scores,
                     asks=np.arange(n)[:, None], scaled=scaled, visible=visible, masked=masked, weights=weights,
                     step_outputs=weights @ kept_values, order=np.arange(n), positions=np.arange(n),
                     angles=np.arange(n)[:, None] / 10000 ** (2 * (np.arange(d) // 2) / d),
                     position_vectors=code.positions_of(n, d))
        assert worst_difference(weights[:, 0], made["step_weights"]) <= 1e-12
        assert worst_difference(steps["step_outputs"][:, 0], made["output"]) <= 1e-12
        return steps
    if lesson == "modern":
        return block_steps(inputs, made)
    if lesson == "decode":
        cut_k, cut_p = made["kept_k"] * made["probs"], made["kept_p"] * made["probs_k"]
        steps = np.arange(inputs["target_log_probs"].shape[-1])
        return dict(cut_k=cut_k, mass_k=cut_k.sum(axis=-1, keepdims=True), cut_p=cut_p,
                    mass_p=cut_p.sum(axis=-1, keepdims=True), counted=steps < inputs["lengths"][:, None])
    if lesson in {"loss", "train"} and "dX" in made:
        parts = {f"dX_from_{M}": made[f"d{M}"] @ inputs[f"W_{M}"].T for M in "QKV"}
        assert worst_difference(sum(parts.values()), made["dX"]) <= 1e-12
        began = {f"{moment}_{name}": np.zeros_like(inputs[name]) for moment in ["m0", "v0"]
                 for name in ["W_Q", "W_K", "W_V", "W_O"] if lesson == "train"}
        return dict(parts, **began)
    return {}


def block_steps(p, made):
    """Every step of today's block, on one sentence."""
    X, h, kv = p["X"], p["heads"], p["kv_heads"]
    n, d_k = len(X), p["W_Q"].shape[1] // h
    split = lambda x, heads: x.reshape(n, heads, -1).swapaxes(0, 1)
    code = lesson_code.load("modern", "numpy")

    def norm(name, x, gain):
        squares = x * x
        mean_square = squares.mean(axis=-1, keepdims=True)
        divisor = np.sqrt(mean_square + 1e-5)
        return {f"{name}.squares": squares, f"{name}.mean_square": mean_square,
                f"{name}.mean_square_eps": mean_square + 1e-5, f"{name}.divisor": divisor,
                f"{name}.normalized": x / divisor, name: x / divisor * gain}

    t = norm("attn_norm", X, p["gain_1"])
    for M, heads in zip("QKV", (h, kv, kv)):
        t[f"attn.{M}"] = t["attn_norm"] @ p[f"W_{M}"]
        cut = split(t[f"attn.{M}"], heads)
        if M == "V":
            t["attn.V_heads"] = cut
        else:
            t[f"attn.{M}_heads_split"], t[f"attn.{M}_heads"] = cut, code.rotate(cut, 10000.0)
    for M in "KV":
        t[f"attn.{M}_heads_shared"] = np.repeat(t[f"attn.{M}_heads"], h // kv, axis=0)
    t["angles"] = np.outer(np.arange(n), 10000.0 ** (-np.arange(0, d_k, 2) / d_k))
    t["attn.scores"] = t["attn.Q_heads"] @ t["attn.K_heads_shared"].swapaxes(-1, -2)
    t["attn.scaled"], t["attn.mask"] = t["attn.scores"] / np.sqrt(d_k), np.tri(n)
    t["attn.masked"] = np.where(t["attn.mask"] == 1, t["attn.scaled"], -np.inf)
    t["attn.weights"] = code.softmax(t["attn.masked"])
    t["attn.heads"] = t["attn.weights"] @ t["attn.V_heads_shared"]
    t["attn.concat"] = t["attn.heads"].swapaxes(0, 1).reshape(n, -1)
    t.update(norm("mlp_norm", made["between"], p["gain_2"]))
    t["mlp.hidden"], t["mlp.factor"] = t["mlp_norm"] @ p["W_1"], t["mlp_norm"] @ p["W_3"]
    t["mlp.activated"] = t["mlp.hidden"] / (1 + np.exp(-t["mlp.hidden"]))
    t["mlp.gated"] = t["mlp.activated"] * t["mlp.factor"]
    assert worst_difference(t["attn.concat"] @ p["W_O"], made["attended"]) <= 1e-12
    assert worst_difference(t["mlp.gated"] @ p["W_2"], made["fed"]) <= 1e-12
    return dict(t, positions=np.arange(n))


def first_sentence(run):
    """What the lesson cache reads: a text at a time."""
    X = run.get("X", run.get("X_Q"))
    return X if X.ndim == 2 else X[0]


def lessons_of(run):
    """Yields (lesson, inputs) for every lesson the run fits. The caller puts what a shared lesson makes into
    `run` before it asks for the next."""
    if "d_ff" in run:
        yield "params", run
        return
    if "pieces" in run:
        yield "bpe", run
        return
    if "W_3" in run:
        yield "modern", run
        return
    if "labels" in run:
        mask = lesson_code.load("masked", "numpy").causal_mask(len(run["labels"]), len(run["labels"]))
        yield "loss", dict(run, mask=mask) if "X" in run else run
        if "X" in run:
            yield "train", dict(run, mask=mask)
        return
    if "target_log_probs" in run:
        yield "decode", run
        return
    if "memory" in run:
        yield "cross", run
        return
    if "gain_1" in run:
        yield "block", run
        return
    if "token_embedding" in run:
        learned = {name: run[name] for name in ["position_embedding"] if name in run}
        yield "embed", dict(token_ids=run["token_ids"], token_embedding=run["token_embedding"], **learned)
        if "X" not in run:
            return
    projected = any(name.startswith("W_") for name in run)
    if projected:
        X_of = {f"X_{name}": run.get(f"X_{name}", run.get("X")) for name in "QKV"}
        qkv = {name: run[name] for name in ["W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"] if name in run}
        yield "words", dict(X=X_of["X_Q"])
        yield "qkv", dict(X_of, **qkv)
    QKV = {name: run[name] for name in "QKV"}
    yield "scores", dict(Q=run["Q"], K=run["K"])
    given = {name: run[name] for name in ["given_weights"] if name in run}
    yield "lookup", dict(QKV, **given)
    if given:  # the dictionary is a look-up and nothing more
        return
    masks = lesson_code.load("masked", "numpy")
    causal = masks.causal_mask(run["Q"].shape[-2], run["K"].shape[-2])
    yield "softmax", dict(scores=run["scores"], d_k=run["Q"].shape[-1])
    yield "attention", dict(weights=run["weights"], V=run["V"])
    yield "sdpa", QKV
    yield "masked", dict(QKV, mask=causal)
    if projected:
        yield "cache", dict(qkv, X=first_sentence(run))
        out = {name: run[name] for name in ["W_O", "b_O"] if name in run}
        mask = causal if run.get("causal_heads") else None
        yield "multihead", dict(X_of, **qkv, **out, heads=run["heads"], mask=mask)
        if run["Q"].shape == run["K"].shape and run["Q"].shape[-1] % 2 == 0:
            yield "rope", dict(Q=run["Q"], K=run["K"])


def file_of(run, with_gradients=()):
    """Every tensor of the run, under its name in the file, and the gradients of the lessons named."""
    run = {name: np.asarray(value, dtype=np.float64) if isinstance(value, np.ndarray) else value
           for name, value in run.items()}
    own = {"words.X": run["X_Q"]} if "X_Q" in run else {}
    if "W_Q" in run and (first := first_sentence(run)).shape != run.get("X", first[None]).shape:
        own["cache.X"] = first
    for lesson, inputs in lessons_of(run):
        if lesson in with_gradients:
            own.update(gradients_of(run, lesson, inputs))
        made = run_lesson(lesson, inputs)
        for name, value in {**made, **page_steps(lesson, inputs, made)}.items():
            value = np.asarray(value, dtype=np.float64)
            if name in run and np.array_equal(run[name], value):
                continue
            if name in run and lesson == "embed":  # added in float32 by the tutorial, in float64 by the lesson
                assert worst_difference(value, run[name]) <= 1e-7, name
                continue
            assert lesson not in SHARED or name not in run, f"{lesson}: a second, different {name}"
            if lesson in SHARED:
                run[name] = value
            else:
                own[f"{lesson}.{name}"] = value
    if "labels" in run:
        own["pad_id"] = np.array(float(run.get("pad_id", 0)))
    return {name: value for name, value in {**run, **own}.items() if isinstance(value, np.ndarray)}


def other_optimizers(run):
    """The step of SGD and of AdamW on the run's batch, as train.OPTIMIZER.NAME."""
    tensors = {}
    for optimizer in ["sgd", "adamw"]:
        inputs = next(inputs for lesson, inputs in lessons_of(run) if lesson == "train")
        results = run_lesson("train", dict(inputs, optimizer=optimizer, lr=0.1, decay=0.3))
        own = {name: value for name, value in results.items() if name.endswith("_after") or "update" in name}
        tensors.update({f"train.{optimizer}.{name}": value for name, value in own.items()})
    return tensors


def float32_block(X, W_Q, W_K, W_V, W_O, heads):
    """The attention-block tutorial's arithmetic: everything in float32, −10⁹ where the mask blocks."""
    n, d_model = X.shape[-2:]

    def split(T):  # → (batch, h, n, d_k)
        return T.reshape(-1, n, heads, d_model // heads).transpose(0, 2, 1, 3)

    scores = split(X @ W_Q) @ split(X @ W_K).transpose(0, 1, 3, 2) / np.float32(np.sqrt(d_model // heads))
    scores = np.where(np.tri(n, dtype=bool), scores, np.float32(-1e9))                 # (batch, h, n, n)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    concat = (weights @ split(X @ W_V)).transpose(0, 2, 1, 3).reshape(X.shape)         # (batch, n, d_model)
    output = concat @ W_O
    assert weights.dtype == output.dtype == np.float32
    return dict(weights=weights, output=output)


def add_float32_results(run, tensors):
    """Keep the tutorial's own float32 results beside the double ones, and require them within 1e-5."""
    inputs = {name: run[name] for name in ["X", "W_Q", "W_K", "W_V", "W_O", "heads"]}
    for name, value in float32_block(**inputs).items():
        worst = worst_difference(value.astype(np.float64), tensors[f"multihead.{name}"])
        assert worst <= 1e-5, f"{name} in float32 differs by {worst:g}"
        tensors[f"multihead.{name}_f32"] = value


def narrowed(value):
    """float32 where that loses nothing, else float64."""
    with np.errstate(over="ignore"):
        narrow = value.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), value) else value


def in_brief(name, value, is_drawn):
    """Of an array that is too large for the file: draws and whole numbers, which are equal to the last bit, by
    their SHA-256 (of float64 in C order); results by cells drawn with seed 0 and by the sums of all their rows."""
    value = np.ascontiguousarray(value, dtype=np.float64)
    if is_drawn or np.array_equal(value, np.floor(value)):
        return {f"{name}.sha256": np.frombuffer(hashlib.sha256(value.tobytes()).digest(), dtype=np.uint8)}
    cells = np.random.RandomState(0).randint(value.size, size=SAMPLE)
    return {f"{name}.sample": value.reshape(-1)[cells], f"{name}.row_sums": value.sum(axis=-1)}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    total = 0
    for name, make in RUNS.items():
        run = make()
        tensors = file_of(run, GRADIENTS.get(name, ()))
        if name in {"attention-block-1", "attention-block-2"}:
            add_float32_results(run, tensors)
        if name == "fun-transformer-1":
            assert np.array_equal(tensors["output"].round(8), FUN_TRANSFORMER_OUTPUT), tensors["output"]
            tensors.update(lesson_code.load("softmax", "numpy").sweep())
        if name == "happy-llm-4":
            tensors.update(other_optimizers(run))
        if name == "happy-llm-1":
            assert abs(tensors["lookup.given_output"] - 8) < 1e-12
        wide = name == "attention-block-4"  # a step has some forty tensors of the weights' shape: one of them is kept
        kept = {}
        for key, value in tensors.items():
            if value.size <= (1_000 if wide else MAX_CELLS) or key == "train.W_Q_after":
                kept[key] = narrowed(np.asarray(value, order="C"))
            else:
                kept.update(in_brief(key, value, key in run))
        path = FOLDER / f"{name}.npz"
        np.savez_compressed(path, **kept)
        size = path.stat().st_size
        assert size < MAX_FILE, f"{path} has {size} bytes"
        total += size
        brief = " ".join(sorted(tensors.keys() - kept.keys())) or "nothing"
        print(f"{path}: {len(kept)} arrays, {size} bytes, in brief: {brief}")
    assert total < MAX_ALL, f"{total} bytes in all"


if __name__ == "__main__":
    main()
