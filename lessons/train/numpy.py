"""train: one step of Adam, AdamW or SGD, by hand."""
import numpy as np

BETA_1, BETA_2, EPSILON = 0.9, 0.98, 1e-9                    # the Transformer paper's


def adam(W, g, m, v, t, lr, decay=0.0):                      # all of W's shape
    m = BETA_1 * m + (1 - BETA_1) * g                        # where the gradients have pointed
    v = BETA_2 * v + (1 - BETA_2) * g**2                     # how large they have been
    m_hat = m / (1 - BETA_1**t)                              # both began with 0
    v_hat = v / (1 - BETA_2**t)
    direction = m_hat / (np.sqrt(v_hat) + EPSILON)
    update = -lr * (direction + decay * W)                   # decay > 0: AdamW
    return dict(m=m, v=v, m_hat=m_hat, v_hat=v_hat, direction=direction, update=update), W + update


def sgd(W, g, lr):
    return dict(update=-lr * g), W - lr * g


def train(loss, optimizer="adam", lr=0.01, decay=0.01, **batch):
    """loss is the function of tfx code loss: it computes the loss and every gradient, dW_Q and so on."""
    t = loss(**batch)
    learned = [name for name in batch if name.startswith(("W_", "b_"))]
    weights = {}
    for W in learned:
        g = t[f"d{W}"]
        if optimizer == "sgd":
            numbers, weights[W] = sgd(batch[W], g, lr)
        else:                                                # the first step: t = 1
            numbers, weights[W] = adam(batch[W], g, 0 * g, 0 * g, 1, lr, decay if optimizer == "adamw" else 0)
        t.update({f"{name}_{W}": value for name, value in numbers.items()})
    again = loss(**{**batch, **weights})                     # the same batch, the new weights
    after = {name: value for name, value in again.items() if name[0] != "d" and name not in ("mask", "target")}
    return {**t, **{f"{name}_after": value for name, value in {**weights, **after}.items()}}
