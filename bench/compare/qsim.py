#!/usr/bin/env python3
"""Ketmesh beside qsim (qsimcirq 0.22.1): the eight benchmark families on the same cores, in one run.

    python3 bench/compare/qsim.py [--n 24] [--families qft,rqc] [--repeat 5] [--threads 2] [--json OUT] [--ketmesh PATH]

Both are timed from the parsed circuit to the finished state in single precision, planning and allocation included; qsim's translation
from Python objects is left out. Runs alternate; minima are compared. qsim runs at the best of its fusion settings (swept once first).
Amplitudes of both are compared. Needs qsimcirq and NumPy; `./dev bench compare` makes the environment.
"""
import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time

import cirq
import numpy as np
import qsimcirq

FAMILIES = ["qft", "rqc", "qv", "qaoa", "ising", "hea", "heisenberg", "ghz"]
TOLERANCE = 2e-5  # single precision on both sides


def pair_rotation(letter, theta):
    """exp(-i theta PP / 2) on two qubits."""
    pauli = {"x": np.array([[0, 1], [1, 0]]), "y": np.array([[0, -1j], [1j, 0]]), "z": np.diag([1, -1])}[letter]
    return math.cos(theta / 2) * np.eye(4) - 1j * math.sin(theta / 2) * np.kron(pauli, pauli)


def cirq_gate(name, args):
    fixed = {"h": cirq.H, "x": cirq.X, "t": cirq.T, "sx": cirq.X**0.5, "sy": cirq.Y**0.5, "cx": cirq.CNOT, "cz": cirq.CZ}
    if name in fixed:
        return fixed[name]
    if name in ("rx", "ry", "rz"):
        return getattr(cirq, name)(args[0])
    if name == "cp":
        return cirq.CZPowGate(exponent=args[0] / math.pi)
    if name in ("rxx", "ryy", "rzz"):
        return cirq.MatrixGate(pair_rotation(name[1], args[0]))
    if name == "u4":  # row-major, first qubit is the low bit; cirq's first qubit is the high one
        m = np.array(args[0::2]) + 1j * np.array(args[1::2])
        swap = [0, 2, 1, 3]
        return cirq.MatrixGate(m.reshape(4, 4)[np.ix_(swap, swap)])
    raise SystemExit(f"no cirq gate for {name}")


def cirq_circuit(flat):
    lines = flat.strip().splitlines()
    n = int(lines[0])
    qubits = cirq.LineQubit.range(n)
    two = {"cx", "cz", "cp", "rxx", "ryy", "rzz", "u4"}
    ops = []
    for line in lines[1:]:
        name, *rest = line.split()
        k = 2 if name in two else 1
        ops.append(cirq_gate(name, [float(v) for v in rest[k:]])(*[qubits[int(v)] for v in rest[:k]]))
    return cirq.Circuit(ops), list(reversed(qubits))  # the last qubit is the most significant


class Qsim:
    """Times only the C++ call of qsim: the translation of the circuit is made once before."""

    def __init__(self, flat, threads):
        circuit, order = cirq_circuit(flat)
        self.simulator = qsimcirq.QSimSimulator({"t": threads})
        self.module = self.simulator._sim_module
        translated, _ = self.simulator._translate_circuit(qsimcirq.QSimCircuit(circuit), "translate_cirq_to_qsim", order)
        self.options = {**self.simulator.qsim_options, "c": translated, "s": 1}
        self.fusion = 2

    def run(self, fusion=None):
        options = {**self.options, "f": fusion or self.fusion}
        start = time.perf_counter()
        state = self.module.qsim_simulate_fullstate(options, 0)
        return time.perf_counter() - start, np.asarray(state).view(np.complex64)

    def sweep(self):
        times = {f: min(self.run(f)[0] for _ in range(2)) for f in (2, 3, 4, 5)}
        self.fusion = min(times, key=times.get)
        return times


def ketmesh(command, *args):
    out = subprocess.run([command, *args], capture_output=True, text=True)
    if out.returncode:
        raise SystemExit(f"{command} {' '.join(args)}: exit {out.returncode}: {out.stderr.strip()}")
    return out.stdout


def check_amplitudes(command, family, n, state, folder):
    """The amplitudes of both at 64 indices spread over the state and at the largest of a sample."""
    path = os.path.join(folder, "circuit.qasm")
    with open(path, "w") as f:
        f.write(ketmesh(command, "bench", family, str(n), "--emit", "qasm"))
    rng = np.random.default_rng(1)
    indices = sorted({0, 2**n - 1, *map(int, rng.integers(0, 2**n, 62))})
    answer = json.loads(ketmesh(command, "run", path, "--amplitudes", ",".join(map(str, indices)), "--json"))
    ours = np.array([complex(*answer["amplitudes"][str(i)]) for i in indices])
    theirs = state[indices]
    pivot = int(np.argmax(np.abs(theirs)))  # qsim drops global phases of some gates
    if abs(theirs[pivot]) > 0:
        ours = ours * (theirs[pivot] / ours[pivot]) / abs(theirs[pivot] / ours[pivot])
    worst = float(np.max(np.abs(ours - theirs)))
    if worst > TOLERANCE:
        raise SystemExit(f"{family}: amplitudes differ by {worst:.2g}")
    return worst


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--n", default="24", help="comma list")
    p.add_argument("--families", default=",".join(FAMILIES))
    p.add_argument("--repeat", type=int, default=5)
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--ketmesh", default="ketmesh")
    p.add_argument("--json")
    a = p.parse_args()
    rows = []
    print(f"{platform.processor() or platform.machine()}, {a.threads} threads; seconds, minima of {a.repeat} alternating runs")
    print(f"{'circuit':<12}{'n':>3}  {'ketmesh':>9}  {'qsim':>9}  {'fusion':>6}  {'ratio':>6}  {'passes':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for n in map(int, a.n.split(",")):
            for family in a.families.split(","):
                peer = Qsim(ketmesh(a.ketmesh, "bench", family, str(n), "--emit", "flat"), a.threads)
                sweep = peer.sweep()
                ours, theirs, record = [], [], {}
                for _ in range(a.repeat):
                    seconds, state = peer.run()
                    theirs.append(seconds)
                    record = json.loads(ketmesh(a.ketmesh, "bench", family, str(n), "--repeat", "1", "--threads", str(a.threads), "--json"))
                    s = record["seconds"]
                    ours.append(s["plan"] + s["allocate"] + s["evolve"])
                worst = check_amplitudes(a.ketmesh, family, n, state, folder)
                row = {"family": family, "n": n, "ketmesh": min(ours), "qsim": min(theirs), "ratio": min(theirs) / min(ours), "fusion": peer.fusion,
                       "fusion_sweep": sweep, "ketmesh_runs": ours, "qsim_runs": theirs, "largest_difference": worst,
                       "passes": record["distribution"]["passes"]}
                rows.append(row)
                print(f"{family:<12}{n:>3}  {row['ketmesh']:>9.4f}  {row['qsim']:>9.4f}  {row['fusion']:>6}  {row['ratio']:>6.2f}  {row['passes']:>6}", flush=True)
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"threads": a.threads, "rows": rows}, f, indent=1)
    return 0 if all(r["ratio"] >= 1 for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
