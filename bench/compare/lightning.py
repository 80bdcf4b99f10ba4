"""What the two Lightning peers share: gates applied one by one through the C++ state vector, without the Python layers above it."""
import time

import numpy as np

_NAMES = {"h": "Hadamard", "x": "PauliX", "t": "T", "rx": "RX", "ry": "RY", "rz": "RZ", "cx": "CNOT", "cz": "CZ", "cp": "ControlledPhaseShift", "rxx": "IsingXX",
          "ryy": "IsingYY", "rzz": "IsingZZ"}


class LightningPeer:
    """`make(n)` gives a state |0..0>, `read(state)` its amplitudes."""

    def __init__(self, n, gates, make, read):
        self.n, self.make, self.read, self.calls = n, make, read, []
        for g in gates:  # wire 0 is the most significant, and so is the first wire of a matrix
            wires = [n - 1 - q for q in g.qubits]
            if g.name in _NAMES:
                self.calls.append((_NAMES[g.name], wires, g.args))
            else:
                self.calls.append((g.matrix().astype(np.complex64), wires[::-1], None))

    def run(self, setting, indices):
        del setting
        start = time.perf_counter()
        state = self.make(self.n)
        for what, wires, args in self.calls:
            if isinstance(what, str):
                getattr(state, what)(wires, False, args)
            else:
                state.applyMatrix(what, wires, False)
        seconds = time.perf_counter() - start
        return seconds, self.read(state)[indices]
