"""Makes data/tutorials/decode-logits.csv and decode-targets.csv: what the shipped model numbers-zh says of a text that
is no number, for the lesson decode.

Run from the root of the repository:  python3 tools/reference/make_decoding_step.py BINARY
The model may write eight of its tokens only, so that a page holds them all; every log-probability is that of those
eight. Rounded to four places, as a learner reads them; a test holds them to what the model says.
"""

import csv
import json
import subprocess
import sys

import numpy as np

TEXT = "million six one and two"
START, END = 1, 2
TARGETS = ["百万一", "四百万", "百万", "万"]  # what greedy writes, and three that a beam of 4 ends with
TOKENS = ["</s>", "一", "四", "五", "六", "九", "百", "万"]  # as the vocabulary has them
STEPS = 4


def logits_after(ids):
    """The model's logits behind every token of the target, of the eight tokens.  → (tokens read, 8)"""
    call = [sys.argv[1], "model", "--weights", "numbers-zh", "--src", TEXT, "--tgt", ",".join(map(str, ids)),
            "--show", "logits", "--json", "--no-time"]
    tensor = json.loads(subprocess.run(call, capture_output=True, check=True, text=True).stdout)["tensors"][0]
    names = tensor["labels"][1]
    return names, np.array(tensor["data"])[:, [names.index(token) for token in TOKENS]]


def log_softmax(z):
    return z - np.log(np.exp(z - z.max(-1, keepdims=True)).sum(-1, keepdims=True)) - z.max(-1, keepdims=True)


def main():
    names, first = logits_after([START])
    with open("data/tutorials/decode-logits.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["token", "logit"])
        writer.writerows([token, f"{logit:.4f}"] for token, logit in zip(TOKENS, first[0]))
    with open("data/tutorials/decode-targets.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["target", "length", *[f"t{step + 1}" for step in range(STEPS)]])
        for target in TARGETS:
            written = list(target) + ["</s>"] * (STEPS - len(target))  # a batch goes on behind an end
            _, logits = logits_after([START] + [names.index(token) for token in written[:-1]])
            log_probs = log_softmax(logits)[range(STEPS), [TOKENS.index(token) for token in written]]
            writer.writerow([target + "</s>", len(target) + 1, *[f"{value:.4f}" for value in log_probs]])


if __name__ == "__main__":
    main()
