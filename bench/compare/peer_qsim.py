"""qsim (qsimcirq): single precision, AVX-512 or AVX2 as it finds it; setting: largest fused gate."""
import math
import time

import cirq
import numpy as np
import qsimcirq

SETTINGS = (2, 3, 4, 5)
_FIXED = {"h": cirq.H, "x": cirq.X, "t": cirq.T, "sx": cirq.X**0.5, "sy": cirq.Y**0.5, "cx": cirq.CNOT, "cz": cirq.CZ}


def _gate(gate):
    if gate.name in _FIXED:
        return _FIXED[gate.name]
    if gate.name in ("rx", "ry", "rz"):
        return getattr(cirq, gate.name)(gate.args[0])
    if gate.name == "cp":
        return cirq.CZPowGate(exponent=gate.args[0] / math.pi)
    swap = [0, 2, 1, 3]  # cirq's first qubit is the high one
    return cirq.MatrixGate(gate.matrix()[np.ix_(swap, swap)])


class Peer:
    """The translation of the circuit is made once; a run is the C++ call."""

    def __init__(self, n, gates, threads):
        qubits = cirq.LineQubit.range(n)
        circuit = cirq.Circuit(_gate(g)(*[qubits[q] for q in g.qubits]) for g in gates)
        simulator = qsimcirq.QSimSimulator({"t": threads})
        self.module = simulator._sim_module
        order = list(reversed(qubits))  # the last qubit is the most significant
        translated, _ = simulator._translate_circuit(qsimcirq.QSimCircuit(circuit), "translate_cirq_to_qsim", order)
        self.options = {**simulator.qsim_options, "c": translated, "s": 1}

    def run(self, setting, indices):
        start = time.perf_counter()
        state = self.module.qsim_simulate_fullstate({**self.options, "f": setting}, 0)
        seconds = time.perf_counter() - start
        return seconds, np.asarray(state).view(np.complex64)[indices]
