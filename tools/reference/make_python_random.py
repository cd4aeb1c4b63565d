#!/usr/bin/env python3
"""Writes data/reference/python_random.json: draws of Python's own module random, which tests/random compares bit for bit.
Floats stand as their 16 hexadecimal digits. usage: make_python_random.py OUT"""
import json
import random
import struct
import sys


def digits(values):
    return [struct.pack(">d", value).hex() for value in values]


def run(seed):
    random.seed(seed)
    draws = {"seed": seed, "random": digits(random.random() for _ in range(5))}
    draws["bits"] = [[count, random.getrandbits(count)] for count in (1, 7, 31, 32, 33, 53, 64)]
    draws["below"] = [[bound, random.randrange(bound)] for bound in (1, 2, 3, 10, 27, 1000, 2**32, 2**32 + 1, 2**53)]
    values = list(range(20))
    random.shuffle(values)
    draws["shuffled"] = values
    draws["gauss"] = digits(random.gauss(0, 0.08) for _ in range(5))  # odd: one waits
    draws["gauss_shifted"] = digits(random.gauss(-3, 2.5) for _ in range(4))
    draws["choices"] = [random.choices(range(6), weights=[0.5, 0, 1.25, 3, 0, 0.25])[0] for _ in range(20)]
    draws["last"] = digits([random.random()])[0]
    return draws


with open(sys.argv[1], "w") as out:
    seeds = (0, 1, 42, 1337, 2**31, 2**32 - 1, 2**32, 123456789012345, 2**64 - 1)
    out.write("[\n" + ",\n".join(json.dumps(run(seed)) for seed in seeds) + "\n]\n")
