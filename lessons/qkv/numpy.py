"""qkv: what a word asks, what it is found by, what it hands over."""
import numpy as np


def qkv(X_Q, X_K, X_V, W_Q, W_K, W_V, b_Q=0, b_K=0, b_V=0):
    """Self-attention gives the same X three times; without a bias, b is 0."""
    Q = np.matmul(X_Q, W_Q) + b_Q  # (n_q, d_model)·(d_model, d_k) + (d_k) → (n_q, d_k)
    K = np.matmul(X_K, W_K) + b_K  # (n_k, d_model)·(d_model, d_k) + (d_k) → (n_k, d_k)
    V = np.matmul(X_V, W_V) + b_V  # (n_k, d_model)·(d_model, d_v) + (d_v) → (n_k, d_v)
    return dict(Q=Q, K=K, V=V)
