# tfx exercise scores
import numpy as np


def scores(Q, K):
    return dict(scores=Q @ np.swapaxes(K, -1, -2))
