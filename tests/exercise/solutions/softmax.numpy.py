# tfx exercise softmax
import numpy as np


def softmax(scores, d_k):
    scaled = scores / np.sqrt(d_k)
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return dict(scaled=scaled, weights=e / e.sum(axis=-1, keepdims=True))
