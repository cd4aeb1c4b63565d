"""cache: a token after the other, with the keys and values of those before it kept."""
import torch


def positions_of(n, d):
    exponents = 2 * (torch.arange(d) // 2) / torch.tensor(d, dtype=torch.float64)
    angles = torch.arange(n)[:, None] / 10000 ** exponents
    return torch.where(torch.arange(d) % 2 == 0, angles.sin(), angles.cos())


def cache(X, W_Q, W_K, W_V, b_Q=0, b_K=0, b_V=0):
    n, d_k = len(X), W_K.shape[1]
    inputs = X + positions_of(*X.shape)                      # step t stands at position t
    K, V = X.new_empty(0, d_k), X.new_empty(0, W_V.shape[1])  # nothing is kept yet
    queries, weights, outputs = [], X.new_zeros(n, n), []
    for t, x in enumerate(inputs):
        K = torch.cat([K, (x @ W_K + b_K)[None]])            # a row more, none is computed again
        V = torch.cat([V, (x @ W_V + b_V)[None]])            # past_key_values in Hugging Face's models
        q = x @ W_Q + b_Q                                    # asks once and is not kept
        w = torch.softmax(q @ K.T / d_k**0.5, dim=-1)        # no mask: later rows do not exist yet
        queries.append(q), outputs.append(w @ V)
        weights[t, :t + 1] = w
    return dict(inputs=inputs, queries=torch.stack(queries), keys=K, values=V, step_weights=weights,
                output=torch.stack(outputs))
