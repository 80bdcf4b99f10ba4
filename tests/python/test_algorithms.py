"""Algorithms of MQT Bench through the Qiskit backend, against Qiskit's own states. Skipped without mqt-bench."""

import pytest

pytest.importorskip("mqt.bench")

from mqt.bench import BenchmarkLevel, get_benchmark
from qiskit import transpile
from qiskit.quantum_info import Statevector

from ketmesh.qiskit import KetmeshBackend

BACKEND = KetmeshBackend(num_qubits=16)
SHOTS = 4000
ALGORITHMS = [
    "ae", "bv", "dj", "draper_qft_adder", "ghz", "graphstate", "grover", "hhl", "multiplier", "qaoa", "qftentangled", "qnn", "qpeinexact",
    "qwalk", "randomcircuit", "vqe_two_local", "wstate",
]  # fmt: skip


def measured(circuit):
    """{key as Qiskit's counts have it: probability} of a circuit whose measurements are at its end."""
    positions = {clbit: k for k, clbit in enumerate(circuit.clbits)}
    wires = {qubit: k for k, qubit in enumerate(circuit.qubits)}
    pairs = [(positions[one.clbits[0]], wires[one.qubits[0]]) for one in circuit.data if one.operation.name == "measure"]
    pairs.sort()
    assert pairs and [bit for bit, _ in pairs] == list(range(len(circuit.clbits)))
    state = Statevector(circuit.remove_final_measurements(inplace=False))
    return state.probabilities_dict([qubit for _, qubit in pairs])


@pytest.mark.parametrize("size", [4, 8, 12])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_counts_and_states(name, size):
    circuit = get_benchmark(name, BenchmarkLevel.INDEP, size)
    assert circuit.num_qubits == size
    if circuit.num_clbits == 0:
        circuit.measure_all()
    want = measured(circuit)
    counts = BACKEND.run(transpile(circuit, BACKEND), shots=SHOTS, seed_simulator=size).result().get_counts()
    counts = {key.replace(" ", ""): count for key, count in counts.items()}
    assert sum(counts.values()) == SHOTS
    # Outcomes of ten shots and more one by one, the rare ones together, within five sigma.
    rare_shots, rare_share = SHOTS, 1.0
    for key, p in want.items():
        if p * SHOTS >= 10:
            found = counts.get(key, 0)
            assert abs(found - SHOTS * p) <= 5 * (SHOTS * p * (1 - p)) ** 0.5 + 1e-6, (key, found, SHOTS * p)
            rare_shots, rare_share = rare_shots - found, rare_share - p
    assert abs(rare_shots - SHOTS * rare_share) <= 5 * (SHOTS * abs(rare_share)) ** 0.5 + 1e-6
    assert all(want.get(key, 0.0) > 1e-12 for key in counts), "an outcome that cannot be"


def test_dynamic_algorithms():
    """Those that measure on their way: all bits of a shot of a GHZ state agree, the Fourier transform of |0> is uniform."""
    ghz = get_benchmark("ghz_dynamic", BenchmarkLevel.INDEP, 6)
    counts = BACKEND.run(transpile(ghz, BACKEND), shots=500, seed_simulator=1).result().get_counts()
    ends = {part for key in counts for part in key.split() if len(part) == 6}  # beside those of the register measured on the way
    assert ends == {"0" * 6, "1" * 6}, counts
    fourier = get_benchmark("dynamic_qft", BenchmarkLevel.INDEP, 3)
    counts = BACKEND.run(transpile(fourier, BACKEND), shots=4000, seed_simulator=1).result().get_counts()
    assert len(counts) == 8 and all(abs(count - 500) < 5 * 500**0.5 for count in counts.values()), counts
