"""Qiskit Aer: state-vector method in single precision; setting: largest fused gate. The time is Aer's own for the experiment."""
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator

SETTINGS = (2, 3, 4, 5)


class Peer:
    def __init__(self, n, gates, threads):
        self.circuit, self.threads = QuantumCircuit(n), threads
        for g in gates:
            if g.name in ("sy", "u4"):
                self.circuit.unitary(g.matrix(), g.qubits)
            else:
                getattr(self.circuit, g.name)(*g.args, *g.qubits)

    def run(self, setting, indices):
        circuit = self.circuit.copy()
        circuit.save_amplitudes(indices)
        simulator = AerSimulator(method="statevector", precision="single", fusion_max_qubit=setting, fusion_threshold=1, max_parallel_threads=self.threads)
        result = simulator.run(circuit, shots=1).result()
        if not result.success:
            raise RuntimeError(result.status)
        return result.results[0].time_taken, result.data()["amplitudes"]
