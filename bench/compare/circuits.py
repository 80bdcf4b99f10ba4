"""Circuits of the benchmark families as `ketmesh bench NAME N --emit flat` prints them: a gate a line."""
import math
from dataclasses import dataclass

import numpy as np

FAMILIES = ["qft", "rqc", "qv", "qaoa", "ising", "hea", "heisenberg", "ghz"]
_PAULI = {"x": np.array([[0, 1], [1, 0]]), "y": np.array([[0, -1j], [1j, 0]]), "z": np.diag([1, -1])}
_TWO = {"cx", "cz", "cp", "rxx", "ryy", "rzz", "u4"}


@dataclass
class Gate:
    name: str
    qubits: list
    args: list

    def matrix(self):
        """Row-major; the first qubit is the low bit of the index. For gates whose matrix a peer must be given."""
        if self.name in ("rxx", "ryy", "rzz"):
            pauli = _PAULI[self.name[1]]
            return math.cos(self.args[0] / 2) * np.eye(4) - 1j * math.sin(self.args[0] / 2) * np.kron(pauli, pauli)
        if self.name == "u4":
            return (np.array(self.args[0::2]) + 1j * np.array(self.args[1::2])).reshape(4, 4)
        half = (1 + 1j) / 2
        if self.name == "sx":
            return half * np.array([[1, -1j], [-1j, 1]])
        if self.name == "sy":
            return half * np.array([[1, -1], [1, 1]])
        raise ValueError(f"no matrix for {self.name}")


def parse(flat):
    """(number of qubits, gates)."""
    lines = flat.strip().splitlines()
    gates = []
    for line in lines[1:]:
        name, *rest = line.split()
        k = 2 if name in _TWO else 1
        gates.append(Gate(name, [int(v) for v in rest[:k]], [float(v) for v in rest[k:]]))
    return int(lines[0]), gates
