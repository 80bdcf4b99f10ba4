#!/usr/bin/env python3
"""Qiskit as an independent judge of OpenQASM files: amplitudes for unitary circuits, counts for dynamic ones.

    python3 qiskit_judge.py --ketmesh PATH FOLDER... [--max-qubits 20]

Needs qiskit 2.6.1 and qiskit-aer 0.18.2. Exit status 77 (skipped, for ctest) when Qiskit or every folder is absent.
A file that Qiskit refuses must be refused by Ketmesh too, with a line number. The last line is "N passed, M failed, K skipped".
"""
import argparse
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
SHOTS = 4096
SHOTS_WIDE = 100  # of dynamic circuits on more than 12 qubits: Aer simulates each shot
TOLERANCE = {"single": (1e-6, 1e-7), "double": (1e-14, 1e-15)}  # a + b sqrt(gates) an amplitude


class Differs(Exception):
    pass


def run(command, *args):
    out = subprocess.run([command, "run", *args, "--json"], capture_output=True, text=True)
    try:
        answer = json.loads(out.stdout)
    except ValueError:
        raise Differs(f"no JSON, exit {out.returncode}: {out.stderr.strip()[-200:]}") from None
    return out.returncode, answer


def is_dynamic(circuit):
    seen = set()
    for instruction in circuit.data:
        name, qubits = instruction.operation.name, instruction.qubits
        if name == "barrier":
            continue
        if name in ("reset", "if_else") or seen & set(qubits):
            return True
        if name == "measure":
            seen |= set(qubits)
    return False


def check_refused(command, path):
    code, answer = run(command, path)
    if code != 1 or not answer["error"]["line"]:
        raise Differs(f"Qiskit refuses it, Ketmesh does not say where: exit {code}")


def check_state(command, path, circuit, precision, folder):
    import numpy as np
    from qiskit.quantum_info import Statevector

    want = np.asarray(Statevector(circuit.remove_final_measurements(inplace=False)))
    out = os.path.join(folder, "state.npy")
    code, answer = run(command, path, "--precision", precision, "--statevector", out)
    if code:
        raise Differs(answer["error"]["message"])
    got = np.load(out)
    gates = circuit.decompose(reps=4).size()
    a, b = TOLERANCE[precision]
    worst = float(np.max(np.abs(got - want)))
    if not worst <= a + b * math.sqrt(gates):
        raise Differs(f"{precision}: largest difference {worst:.2g} > {a + b * math.sqrt(gates):.2g}")


def check_counts(command, path, circuit, precision):
    from qiskit import transpile
    from qiskit_aer import AerSimulator

    judge = AerSimulator(method="statevector", seed_simulator=11)
    shots = SHOTS if circuit.num_qubits <= 12 else SHOTS_WIDE
    want = {}
    for key, count in judge.run(transpile(circuit, judge), shots=shots).result().get_counts().items():
        bits = key.replace(" ", "")[::-1]  # Qiskit prints bit 0 rightmost
        want[bits] = want.get(bits, 0) + count
    code, answer = run(command, path, "--precision", precision, "--shots", str(shots), "--seed", "5")
    if code:
        raise Differs(answer["error"]["message"])
    width = len(next(iter(want)))
    got = {}
    for key, count in answer["counts"].items():
        got[key[:width].ljust(width, "0")] = got.get(key[:width].ljust(width, "0"), 0) + count
    for key in set(got) | set(want):
        p = (got.get(key, 0) + want.get(key, 0)) / (2 * shots)
        sigma = math.sqrt(2 * shots * p * (1 - p)) + 1e-9  # of the difference of two samples
        if abs(got.get(key, 0) - want.get(key, 0)) > 5 * sigma + 0.5:
            raise Differs(f"{precision}: outcome {key}: {got.get(key, 0)} and Aer {want.get(key, 0)} of {shots}")


def judge(command, path, max_qubits):
    """Name of what was checked; None when the file is too wide, or of version 3, which this Qiskit does not read by itself."""
    from qiskit import qasm2

    with open(path, encoding="utf-8", errors="replace") as f:
        if re.search(r"^\s*OPENQASM\s+3", f.read(), re.M):
            return None
    try:
        circuit = qasm2.load(path, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    except qasm2.QASM2ParseError:
        check_refused(command, path)
        return "refused by both"
    if circuit.num_qubits > max_qubits:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for precision in TOLERANCE:
            if is_dynamic(circuit):
                check_counts(command, path, circuit, precision)
            else:
                check_state(command, path, circuit, precision, folder)
    return "counts" if is_dynamic(circuit) else "amplitudes"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ketmesh", required=True)
    p.add_argument("--max-qubits", type=int, default=20)
    p.add_argument("folders", nargs="+")
    a = p.parse_args()
    files = sorted(f for folder in a.folders for f in glob.glob(os.path.join(folder, "*.qasm")))
    try:
        import qiskit  # noqa: F401
        import qiskit_aer  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    if not files:
        print(f"skipped: no .qasm file in {a.folders}")
        return SKIPPED
    passed, failed, skipped = 0, 0, 0
    for path in files:
        try:
            what = judge(a.ketmesh, path, a.max_qubits)
        except Differs as difference:
            failed += 1
            print(f"FAILED {path}: {difference}")
            continue
        passed += what is not None
        skipped += what is None
        print(f"{os.path.basename(path)}: {what or 'not judged'}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
