"""The folder of a teacher's own exercise, as docs/teaching.md has it. Run it in the folder."""
import numpy as np


def cosine(X, Y):
    return dict(cosines=X @ Y.T / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Y, axis=1)))


def only_dot(X, Y):
    return dict(cosines=X @ Y.T)


def only_y(X, Y):
    return dict(cosines=X @ Y.T / np.linalg.norm(Y, axis=1))


rng = np.random.default_rng(7)
sizes = {"small": (2, 3, 4), "one": (1, 1, 3), "wide": (4, 2, 9)}
inputs, outputs, wrong = {}, {}, {}
for case, (n, m, d) in sizes.items():
    given = dict(X=rng.normal(size=(n, d)), Y=rng.normal(size=(m, d)))
    inputs |= {f"{case}/{name}": array for name, array in given.items()}
    outputs |= {f"{case}/{name}": array for name, array in cosine(**given).items()}
    for way in [only_dot, only_y]:
        wrong |= {f"{way.__name__}/{case}/{name}": array for name, array in way(**given).items()}
np.savez("inputs.npz", **inputs)
np.savez("outputs.npz", **outputs)
np.savez("wrong.npz", **wrong)
