"""The loop of a worker. It prints READY; for each line `VARIANT CONFIG REPS` it does the work REPS times and answers
with one line of JSON: {"ms": [...], "check": [first, middle, last, mean of |x|], "rss_mb": ...} or {"error": ...}.
The first output of a configuration goes to OUTPUTS/VARIANT.CONFIG.npy, where every number is compared."""
import argparse
import json
import os
import resource
import sys
import time

import numpy as np

from configurations import check_of


def serve(make):
    """make(variant, configuration, folder of the inputs) gives a function that does the work and returns its output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--outputs")
    options = parser.parse_args()
    works = {}
    print("READY", flush=True)
    for line in sys.stdin:
        if not line.split():
            continue
        variant, name, repetitions = line.split()
        try:
            is_first = (variant, name) not in works
            if is_first:
                works[variant, name] = make(variant, name, options.inputs)
            work, times, output = works[variant, name], [], None
            for _ in range(int(repetitions)):
                start = time.perf_counter()
                output = work()
                times.append((time.perf_counter() - start) * 1e3)
            output = np.asarray(output)
            if is_first and options.outputs:
                np.save(os.path.join(options.outputs, f"{variant}.{name}.npy"), output)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            answer = {"ms": times, "check": check_of(output), "rss_mb": memory}
        except Exception as error:  # whatever a library says: the comparison names it and goes on
            answer = {"error": repr(error)[:300]}
        print(json.dumps(answer), flush=True)
