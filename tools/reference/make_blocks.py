"""Makes data/reference/blocks.npz: torch.nn.TransformerEncoderLayer with each activation, its norms last and first.

Run from the root of the repository:  python3 tools/reference/make_blocks.py
Needs NumPy and PyTorch (the committed file was made by NumPy 1.24 and PyTorch 1.13 on x86-64 Linux).

Arrays, in double:
  X                          5 tokens of 8 numbers; some of the hidden numbers they lead to are large, of both signs
  state.NAME                 the state_dict that all of them share
  ACTIVATION.PLACE.NAME      of relu, gelu, silu and last, first: hidden, activated, output, and of the mean of the
                             output by autograd dX, dhidden and d.NAME of every NAME of the state_dict
The lesson's numpy.py and torch.py must give the same numbers within 1e-12.
"""

import numpy as np
import torch
from torch import nn

import lesson_code

PATH = "data/reference/blocks.npz"
D_MODEL, D_FF, HEADS = 8, 12, 2
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "silu": nn.functional.silu}


def of_page(state):
    """The state_dict under the page's names, as it multiplies: X·W."""
    named = {f"W_{i}": state[f"linear{i}.weight"].T for i in "12"}
    named.update({f"b_{i}": state[f"linear{i}.bias"] for i in "12"})
    named.update({f"gain_{i}": state[f"norm{i}.weight"] for i in "12"})
    named.update({f"shift_{i}": state[f"norm{i}.bias"] for i in "12"})
    for letter, W, b in zip("QKV", state["self_attn.in_proj_weight"].chunk(3), state["self_attn.in_proj_bias"].chunk(3)):
        named.update({f"W_{letter}": W.T, f"b_{letter}": b})
    named.update(W_O=state["self_attn.out_proj.weight"].T, b_O=state["self_attn.out_proj.bias"])
    return named


def run(activation, first, state, X):
    layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, dropout=0.0, activation=ACTIVATIONS[activation],
                                       batch_first=True, norm_first=first).double()
    layer.load_state_dict(state)
    X = X.clone().requires_grad_()
    kept = {}

    def keep(name, value):
        value.retain_grad()
        kept[name] = value

    layer.linear1.register_forward_hook(lambda module, inputs, output: keep("hidden", output))
    layer.linear2.register_forward_pre_hook(lambda module, inputs: keep("activated", inputs[0]))
    output = layer(X[None])[0]  # in training mode, in which no fused kernel takes over; nothing is dropped
    output.mean().backward()
    results = {"output": output, "hidden": kept["hidden"][0], "activated": kept["activated"][0],
               "dX": X.grad, "dhidden": kept["hidden"].grad[0]}
    results.update({f"d.{name}": value.grad for name, value in layer.named_parameters()})
    results = {name: value.detach().numpy() for name, value in results.items()}

    given = of_page(state)
    options = dict(heads=HEADS, norm="standard", norm_first=first, activation=activation)
    ours = {"torch.py": lesson_code.function("block", "torch")(X.detach(), **options, **given),
            "numpy.py": lesson_code.function("block", "numpy")(
                X.detach().numpy(), **options, **{name: value.numpy() for name, value in given.items()})}
    for program, tensors in ours.items():
        for name in ["hidden", "activated", "output"]:
            worst = np.abs(np.asarray(tensors[name]) - results[name]).max()
            assert worst <= 1e-12, f"{program}: {activation}'s {name} differs by {worst:g}"
    return results


def main():
    torch.manual_seed(11)
    layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, batch_first=True).double()
    state = {name: value + 0.3 * torch.randn_like(value) for name, value in layer.state_dict().items()}
    state["linear1.weight"] *= 3
    X = torch.randn(5, D_MODEL, dtype=torch.float64)
    arrays = {"X": X.numpy(), **{f"state.{name}": value.numpy() for name, value in state.items()}}
    for activation in ACTIVATIONS:
        for place in ["last", "first"]:
            results = run(activation, place == "first", state, X)
            arrays.update({f"{activation}.{place}.{name}": value for name, value in results.items()})
    np.savez_compressed(PATH, **arrays)
    print(f"{PATH}: {len(arrays)} arrays")


if __name__ == "__main__":
    main()
