"""Writes gates.json: the matrix of every unitary row of the gate table at fixed angles, as Qiskit computes it.

Qiskit is the judge here, not a dependency: the tests read the file. To make it again:
    pip install qiskit==2.6.1 && python tests/golden/make_gates.py
"""

import json
import pathlib

import numpy as np
import qiskit
from qiskit.circuit import library as lib
from qiskit.quantum_info import Operator, SparsePauliOp
from scipy.linalg import expm

ANGLES = [0.37, -1.21, 2.45, 0.83]
ROOT = 2**-0.5


def paulis(*labels):
    """Matrix of a sum of Pauli strings; Qiskit's labels begin with the highest qubit."""
    return SparsePauliOp([label for _, label in labels], [c for c, _ in labels]).to_matrix()


a = ANGLES
ROWS = {
    "x": lib.XGate(), "y": lib.YGate(), "z": lib.ZGate(), "h": lib.HGate(), "s": lib.SGate(), "sdg": lib.SdgGate(),
    "t": lib.TGate(), "tdg": lib.TdgGate(), "sx": lib.SXGate(), "sxdg": lib.SXdgGate(),
    "sy": lib.YGate().power(0.5), "sydg": lib.YGate().power(-0.5), "k": paulis((ROOT, "Y"), (ROOT, "Z")), "id": lib.IGate(),
    "p": lib.PhaseGate(a[0]), "rx": lib.RXGate(a[0]), "ry": lib.RYGate(a[0]), "rz": lib.RZGate(a[0]), "r": lib.RGate(a[0], a[1]),
    "u": lib.UGate(*a[:3]), "u1": lib.U1Gate(a[0]), "u2": lib.U2Gate(a[0], a[1]), "u3": lib.U3Gate(*a[:3]),
    "cx": lib.CXGate(), "cy": lib.CYGate(), "cz": lib.CZGate(), "ch": lib.CHGate(), "cs": lib.CSGate(), "csdg": lib.CSdgGate(),
    "csx": lib.CSXGate(), "csxdg": lib.SXdgGate().control(1), "cp": lib.CPhaseGate(a[0]), "crx": lib.CRXGate(a[0]),
    "cry": lib.CRYGate(a[0]), "crz": lib.CRZGate(a[0]), "cu": lib.CUGate(*a), "cu1": lib.CU1Gate(a[0]), "cu3": lib.CU3Gate(*a[:3]),
    "swap": lib.SwapGate(), "iswap": lib.iSwapGate(), "dcx": lib.DCXGate(), "ecr": lib.ECRGate(), "rxx": lib.RXXGate(a[0]),
    "ryy": lib.RYYGate(a[0]), "rzz": lib.RZZGate(a[0]), "rzx": lib.RZXGate(a[0]), "xx_plus_yy": lib.XXPlusYYGate(a[0], a[1]),
    "xx_minus_yy": lib.XXMinusYYGate(a[0], a[1]), "ccx": lib.CCXGate(), "ccz": lib.CCZGate(), "cswap": lib.CSwapGate(),
    "rccx": lib.RCCXGate(), "c3x": lib.C3XGate(), "c3sqrtx": lib.C3SXGate(), "c4x": lib.C4XGate(), "rc3x": lib.RC3XGate(),
    "mcx": lib.MCXGate(2), "mcp": lib.MCPhaseGate(a[0], 2),
    "pauli": paulis((1, "ZXY")), "rotation": expm(-0.5j * a[0] * paulis((1, "ZXY"))), "gphase": lib.GlobalPhaseGate(a[0]),
}


def entries(gate):
    matrix = gate if isinstance(gate, np.ndarray) else Operator(gate).data
    return [[float(v.real) + 0.0, float(v.imag) + 0.0] for v in np.asarray(matrix).ravel()]


path = pathlib.Path(__file__).with_name("gates.json")
lines = [f"  {json.dumps(name)}: {json.dumps(entries(gate))}" for name, gate in ROWS.items()]
path.write_text(
    "{\n" + f'"qiskit": "{qiskit.__version__}",\n"angles": {json.dumps(ANGLES)},\n"matrices": {{\n' + ",\n".join(lines) + "\n}\n}\n")
