"""Qulacs: double precision (it has no other); setting: size of the blocks that its optimiser makes (0: none), made before the clock starts."""
import time

import numpy as np
import qulacs
from qulacs import gate as qg

SETTINGS = (0, 1, 2, 3)


def _gate(g):
    if g.name in ("h", "x", "t", "cx", "cz"):
        return {"h": qg.H, "x": qg.X, "t": qg.T, "cx": qg.CNOT, "cz": qg.CZ}[g.name](*g.qubits)
    if g.name in ("rx", "ry", "rz"):
        return {"rx": qg.RX, "ry": qg.RY, "rz": qg.RZ}[g.name](g.qubits[0], -g.args[0])  # its angles have the other sign
    if g.name == "cp":
        made = qg.to_matrix_gate(qg.U1(g.qubits[1], g.args[0]))
        made.add_control_qubit(g.qubits[0], 1)
        return made
    return qg.DenseMatrix(g.qubits if len(g.qubits) > 1 else g.qubits[0], g.matrix())


class Peer:
    def __init__(self, n, gates, threads):
        self.n, self.circuits = n, {}
        self.gates = [_gate(g) for g in gates]

    def circuit(self, setting):
        if setting not in self.circuits:
            circuit = qulacs.QuantumCircuit(self.n)
            for g in self.gates:
                circuit.add_gate(g)
            if setting:
                qulacs.circuit.QuantumCircuitOptimizer().optimize(circuit, setting)
            self.circuits = {setting: circuit}
        return self.circuits[setting]

    def run(self, setting, indices):
        circuit = self.circuit(setting)
        start = time.perf_counter()
        state = qulacs.QuantumState(self.n)
        circuit.update_quantum_state(state)
        seconds = time.perf_counter() - start
        return seconds, np.asarray(state.get_vector())[indices]
