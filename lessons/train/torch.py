"""train: one step of torch.optim's Adam, AdamW or SGD."""
import torch

BETA_1, BETA_2, EPSILON = 0.9, 0.98, 1e-9                    # the Transformer paper's


def make(optimizer, parameters, lr, decay):
    if optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=lr)
    if optimizer == "adamw":
        return torch.optim.AdamW(parameters, lr=lr, betas=(BETA_1, BETA_2), eps=EPSILON, weight_decay=decay)
    return torch.optim.Adam(parameters, lr=lr, betas=(BETA_1, BETA_2), eps=EPSILON)


def train(loss, optimizer="adam", lr=0.01, decay=0.01, **batch):
    """loss is the function of tfx code loss: it computes the loss, and PyTorch every gradient."""
    before = {name: value.detach().clone() for name, value in batch.items() if name.startswith(("W_", "b_"))}
    learned = {name: value.clone().requires_grad_() for name, value in before.items()}
    rule = make(optimizer, learned.values(), lr, decay)
    rule.zero_grad()                                         # or the last batch's gradients stay
    t = loss(**{**batch, **learned})                         # ends with loss.backward()
    rule.step()
    for name, W in learned.items():
        t[f"update_{name}"] = W.detach() - before[name]
        if optimizer == "sgd":
            continue
        m, v = rule.state[W]["exp_avg"], rule.state[W]["exp_avg_sq"]
        m_hat, v_hat = m / (1 - BETA_1), v / (1 - BETA_2)
        t.update({f"m_{name}": m, f"v_{name}": v, f"m_hat_{name}": m_hat, f"v_hat_{name}": v_hat,
                  f"direction_{name}": m_hat / (v_hat.sqrt() + EPSILON)})
    weights = {name: W.detach() for name, W in learned.items()}
    fresh = {name: value.clone() for name, value in {"X": batch["X"].detach(), **weights}.items()}
    again = loss(**{**batch, **fresh})                       # the same batch, the new weights
    after = {name: value for name, value in again.items() if name[0] != "d" and name not in ("mask", "target")}
    return {**t, **{f"{name}_after": value for name, value in {**weights, **after}.items()}}
