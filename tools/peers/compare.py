#!/usr/bin/python3
"""Measures tfx, NumPy, PyTorch and ONNX Runtime side by side on the same weights; see README.md.

Every side is a process that stays up (worker.py says how it is asked). What it computes is compared with the reference
first, number by number; a side that differs is not timed. Then all sides take turns, round after round: each is warmed,
then timed. The medians are over all rounds."""
import argparse
import datetime
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from configurations import CONFIGURATIONS, floor_ms
from report import around, write_report

HERE = os.path.dirname(os.path.abspath(__file__))
OPENMP_BLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
# PyTorch takes and frees large matrices all the time: glibc then keeps their pages, and asks for huge ones.
KEEP_PAGES = {"MALLOC_MMAP_THRESHOLD_": str(1 << 34), "MALLOC_TRIM_THRESHOLD_": str(1 << 35),
              "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
VARIANTS = {
    "A": {"NumPy": ["published", "best", "tiled"], "PyTorch": ["eager", "fused", "sdpa", "traced", "tiled"],
          "ONNX Runtime": ["attention", "multihead", "group_query", "standard", "plain"]},
    "B": {"NumPy": ["best"], "PyTorch": ["eager", "fast", "traced"], "ONNX Runtime": ["fused"]},
    "C": {"PyTorch": ["eager", "fast"]},
    "D": {"NumPy": ["cached"], "PyTorch": ["whole", "cached"], "ONNX Runtime": ["cached"]},
    "E": {"PyTorch": ["eager", "fast", "traced"], "ONNX Runtime": ["fused", "group_query"]},
    "F": {"PyTorch": ["eager", "fast"]},
    "G": {"PyTorch": ["cached"], "ONNX Runtime": ["cached", "group_query"]},
    "H": {"PyTorch": ["eager", "fast"]},
}
# With 8192 tokens they hold n² scores of every head: up to 10 GB, and up to a minute.
TOO_LARGE = {("A4", "NumPy", "published"), ("A4", "PyTorch", "eager"), ("A4", "PyTorch", "sdpa"),
             ("A4", "PyTorch", "traced"), ("A4", "ONNX Runtime", "plain")}
# Largest difference from the reference, relative to max(1, |reference|): float against double, twelve layers deep.
TOLERANCE = 1e-4
LOSS_FACTOR = 2  # a loss with dropout, and of other starting weights: of the same size


class Side:
    """One variant of one program on one configuration, in a process of its own, so that its memory is its own."""

    def __init__(self, program, variant, name, command, environment, outputs):
        self.program, self.variant, self.name, self.outputs = program, variant, name, outputs
        self.times, self.memory, self.difference = [], 0.0, None
        self.process = subprocess.Popen(command, env=environment, cwd=HERE, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if self.process.stdout.readline().strip() != "READY":
            raise RuntimeError(f"{shlex.join(command)} does not start: it should print READY")

    def ask(self, repetitions):
        """The milliseconds of so many repetitions."""
        try:
            self.process.stdin.write(f"{self.variant} {self.name} {repetitions}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"its process has ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        self.memory = answer["rss_mb"]
        return answer["ms"]

    def compare(self, reference):
        """Runs once and compares what it wrote; raises where a number is another one."""
        self.ask(1)
        output = np.load(os.path.join(self.outputs, f"{self.variant}.{self.name}.npy")).astype(np.float64).squeeze()
        reference = reference.squeeze()
        if output.shape != reference.shape:
            raise RuntimeError(f"its output is {output.shape}, not {reference.shape}")
        if self.name in "CFH":
            if not reference / LOSS_FACTOR < output < reference * LOSS_FACTOR:
                raise RuntimeError(f"its loss is {output}, the reference {reference} without dropout")
            return
        with np.errstate(invalid="ignore"):
            self.difference = float((np.abs(output - reference) / np.maximum(1, np.abs(reference))).max())
        if not self.difference <= TOLERANCE:  # nor where it is NaN
            raise RuntimeError(f"differs from the reference by {self.difference:.1e}")

    def close(self):
        self.process.stdin.close()  # a worker ends with its input
        self.process.wait()


def clean_environment():
    """Without OPENBLAS_*: some machines export a core type that halves every program's products."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}


def programs(options):
    """What starts each program, and the variables that make it fastest."""
    python, torch_settings = sys.executable, dict(KEEP_PAGES)
    if os.path.isdir(OPENMP_BLAS):
        torch_settings["LD_LIBRARY_PATH"] = OPENMP_BLAS
    else:
        print(f"{OPENMP_BLAS} is missing (libopenblas0-openmp): PyTorch is slower than it could be", file=sys.stderr)
    core = {"OPENBLAS_CORETYPE": options.core} if options.core else {}
    found = {"NumPy": ([python, "numpy_worker.py", "--inputs", options.inputs], core),
             "PyTorch": ([python, "torch_worker.py", "--inputs", options.inputs], {**torch_settings, **core})}
    if options.graphs:
        found["ONNX Runtime"] = (["node", "ort_worker.cjs", "--graphs", options.graphs], {"ORT_PACKAGE": options.ort})
    if options.tfx:
        found["tfx"] = ([options.tfx, "bench", "--worker", "--inputs", options.inputs], {})
    return found


def start_sides(name, options, outputs):
    """The sides whose output is right, each with the time of one run."""
    reference, sides = np.load(os.path.join(options.inputs, name + ".reference.npy")), []
    for program, (command, settings) in programs(options).items():
        folder = os.path.join(outputs, program.replace(" ", "_"))
        os.makedirs(folder, exist_ok=True)
        for variant in ["own"] if program == "tfx" else VARIANTS[name[0]].get(program, []):
            if (name, program, variant) in TOO_LARGE:
                continue
            environment = {**clean_environment(), **settings}
            side = Side(program, variant, name, [*command, "--outputs", folder], environment, folder)
            try:
                side.compare(reference)
                side.once = min(side.ask(2))
                sides.append(side)
            except RuntimeError as error:
                print(f"{name} {program} {variant} is not timed: {error}", file=sys.stderr)
                side.close()
    return sides


def time_sides(sides, options):
    for round_number in range(options.rounds):
        turn = round_number % len(sides)
        for side in sides[turn:] + sides[:turn]:
            try:
                side.ask(max(1, min(400, int(options.warm * 1e3 / side.once))))
                side.times += side.ask(max(1, min(100, int(options.seconds * 1e3 / side.once))))
            except RuntimeError as error:
                sys.exit(f"{side.name} {side.program} {side.variant}: {error}")
            time.sleep(0.05)  # threads that still look for work go to sleep


def answer_of(options, *arguments):
    """The document of `tfx ARGUMENTS --json`."""
    run = subprocess.run([options.tfx, *arguments, "--json"], env=clean_environment(), text=True, check=True,
                         stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def measured_limits(options):
    """GFLOP/s of fused multiply-adds and GB/s of reads by `tfx bench`, or nothing."""
    if not options.tfx:
        return None
    found = answer_of(options, "bench", "attention", "--preset", "A1", "--repeat", "1")["machine"]
    return found["fma_gflops"], found["read_gb_per_second"]


def best_limits(several):
    """Each limit's best of the run: what the machine can do does not shrink because something ran beside it."""
    return [max(values) for values in zip(*several)] if all(several) else None


def measure(name, options):
    limits = [measured_limits(options)]
    with tempfile.TemporaryDirectory() as outputs:
        sides = start_sides(name, options, outputs)
        if sides:
            time_sides(sides, options)
        for side in sides:
            side.close()
    limits = best_limits(limits + [measured_limits(options)])
    results = [{"program": side.program, "variant": side.variant, "median": statistics.median(side.times),
                "least": min(side.times), "q1": float(np.quantile(side.times, 0.25)),
                "q3": float(np.quantile(side.times, 0.75)), "runs": len(side.times), "memory_mb": side.memory,
                "difference": side.difference} for side in sides]
    results.sort(key=lambda result: result["median"])
    floor = floor_ms(name, *limits) if limits else None
    return {"config": name, "limits": limits, "floor_ms": floor, "results": results}


def show(measured):
    floor = measured["floor_ms"]
    print(f"{measured['config']}" + (f"   limit {floor:.2f} ms" if floor else ""))
    for one in measured["results"]:
        share = f"{floor / one['median']:6.1%}" if floor else ""
        print(f"  {one['program'] + ' ' + one['variant']:26s} {one['median']:10.3f} ms   "
              f"[{one['q1']:.3f} … {one['q3']:.3f}]   {one['runs']:4d} runs   {one['memory_mb']:6.0f} MB   {share}",
              flush=True)


def version_of(command):
    try:
        return subprocess.run(command, text=True, capture_output=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "?"


def machine(options):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    package = os.path.join(options.ort, "node_modules/onnxruntime-node/package.json")
    found = {"date": datetime.date.today().isoformat(), "cpu": names[0] if names else platform.machine(),
             "processors": len(os.sched_getaffinity(0)), "NumPy": np.__version__,
             "PyTorch": version_of([sys.executable, "-c", "import torch; print(torch.__version__)"])}
    if options.graphs and os.path.exists(package):
        with open(package, encoding="utf-8") as file:
            found["ONNX Runtime"] = json.load(file)["version"]
    if options.tfx:
        doctor = answer_of(options, "doctor")
        found["isa"] = doctor["kernels"]["isa"]
        found["OpenBLAS"] = f"{doctor['blas']['version']} ({doctor['blas']['core']})"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", required=True, help="the folder that make_inputs.py filled")
    parser.add_argument("--graphs", help="the folder that onnx_graphs.py filled; without it no ONNX Runtime")
    parser.add_argument("--ort", default=".", help="the folder in which npm installed onnxruntime-node")
    parser.add_argument("--tfx", help="the program; without it only the others are measured, without limits")
    parser.add_argument("--core", help="OPENBLAS_CORETYPE of NumPy and PyTorch, where OpenBLAS does not know the CPU")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", type=float, default=0.4, help="seconds before a side is timed (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.8, help="that a side is timed for in a round (%(default)s)")
    parser.add_argument("--json", help="every figure to this file")
    parser.add_argument("--write", help="the tables to this file, between its markers")
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help=" ".join(CONFIGURATIONS))
    options = parser.parse_args()
    for name in ("inputs", "graphs", "ort", "tfx"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    unknown = set(options.configs) - set(CONFIGURATIONS)
    if unknown:
        parser.error(f"there is no configuration {', '.join(sorted(unknown))}")
    if options.write:
        around(options.write)  # nobody waits 20 minutes to hear that there is no place for the tables

    run = {"machine": machine(options), "configurations": []}
    for name in options.configs or CONFIGURATIONS:
        run["configurations"].append(measure(name, options))
        show(run["configurations"][-1])
        if options.json:  # what was measured stays if a later configuration fails
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(run, file, indent=1)
    if options.write:
        write_report(run, options.write)


if __name__ == "__main__":
    main()
