"""The in-sequence floor of a family: sweeps at the measured copy speed plus arithmetic at the measured multiply-add peak.

Multiply-adds an amplitude: 2 for h, sx, sy, rx and ry (lifted; the first layer on |0..0> is written, not computed), 3 for an xx+yy+zz block on
one pair, 10 for a general two-qubit block, 1 for cx, 8 for a layer of diagonal gates merged into one table-driven phase.
"""
import json
import subprocess
from collections import Counter


def multiply_adds(family, n, gates):
    count = Counter(g.name for g in gates)
    rotations = sum(count[k] for k in ("h", "sx", "sy", "rx", "ry"))
    if family == "qft":
        return 0  # |0..0> stays a product
    if family == "ghz":
        return count["cx"]
    if family == "qv":
        return 10 * count["u4"]
    if family == "heisenberg":
        return 3 * count["rzz"]
    if family == "hea":
        return 2 * (rotations - n) + count["cx"]
    if family == "ising":  # cx rz cx are one diagonal gate
        return 2 * rotations + 8 * (rotations // n)
    if family == "qaoa":
        layers = count["rx"] // n
        return 2 * count["rx"] + 8 * layers
    if family == "rqc":  # a layer of t and cz beside each layer of roots
        layers = -(-(rotations - n) // n)
        return 2 * (rotations - n) + 8 * layers
    raise ValueError(family)


def measure(micro):
    """(copy bytes/s, flop/s, seconds of a bare pass of 2^24) from bench/micro_kernels."""
    out = subprocess.run([micro, "--benchmark_filter=pass/bare", "--benchmark_format=json"], capture_output=True, text=True, check=True)
    answer = json.loads(out.stdout)
    context = answer["context"]
    return float(context["copy bytes/s"]), float(context["multiply-add peak flop/s (measured, all threads)"]), answer["benchmarks"][0]["best_ms"] * 1e-3


def seconds(adds, passes, n, copy_bytes, flops):
    """Passes read and write 8-byte amplitudes once each; the start state is written."""
    return (16 * passes + 8) * 2**n / copy_bytes + 2 * adds * 2**n / flops
