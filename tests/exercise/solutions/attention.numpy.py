# tfx exercise attention
import numpy as np


def attention(weights, V):
    return dict(output=weights @ V)
