#!/usr/bin/env python3
"""Writes golden.json: Qiskit's state of every text of tests/fuzz/qasm that Qiskit reads and that has no open measurement.

    pip install qiskit==2.6.1 qiskit-qasm3-import && python3 tests/golden/qasm/make_golden.py

Qiskit drops the phase of version 3's builtin U, so states are compared up to a global phase.
"""
import json
import os
import sys
import warnings
from qiskit import qasm2, qasm3
from qiskit.quantum_info import Statevector

warnings.simplefilter("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = os.path.join(HERE, "..", "..", "fuzz", "qasm")
golden = {}
for name in sorted(os.listdir(SEEDS)):
    text = open(os.path.join(SEEDS, name), encoding="utf-8", errors="replace").read()
    try:
        if "OPENQASM 3" in text:
            circuit = qasm3.loads(text)
        else:
            circuit = qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS, custom_classical=qasm2.LEGACY_CUSTOM_CLASSICAL)
        circuit.remove_final_measurements()
        if not 0 < circuit.num_qubits <= 5:
            continue
        state = Statevector(circuit).data
    except Exception as error:  # what Qiskit does not read has no judge here
        print(f"{name}: not read: {type(error).__name__}", file=sys.stderr)
        continue
    golden[name] = [[round(v.real, 14), round(v.imag, 14)] for v in state]
json.dump(golden, open(os.path.join(HERE, "golden.json"), "w"), separators=(",", ":"), sort_keys=True)
print(len(golden), "states")
