"""Running circuits: counts, energies, amplitudes, light cones, threads, interruption, logging."""

import logging
import threading

import numpy as np
import pytest

import ketmesh as m
from ketmesh.circuits import PauliSum, QuantumCircuit


def test_counts_order():
    assert QuantumCircuit().x(0).cx(0, 2).measure_all().execute(shots=7)["counts"] == {"101": 7}
    assert QuantumCircuit().x(0).measure([(0, 1), (1, 0)]).execute(shots=7)["counts"] == {"01": 7}
    assert QuantumCircuit().x(3).execute(shots=2)["counts"] == {"0000": 2}


def test_energies_of_weighted_sums(double):
    bell = QuantumCircuit().h(0).cx(0, 1)
    observables = ["XX", {"ZZ": 0.5, "YY": 2}, PauliSum([(0.25, "XX"), (1, "")])]
    assert bell.estimate(observables, double)["expectation_values"] == pytest.approx([1, -1.5, 1.25])
    assert bell.estimate({"ZZ": 0.5, "YY": 2}, double)["expectation_values"] == pytest.approx([-1.5])


def test_light_cones():
    circuit = QuantumCircuit()
    for q in range(100):
        circuit.ry(q, 0.1)
    result = circuit.cx(0, 1).estimate("I" * 99 + "Z")
    assert result["qubits_before"] == 100 and result["qubits_after"] == 1
    assert result["expectation_values"][0] == pytest.approx(np.cos(0.1), abs=1e-6)


def test_amplitudes_and_probabilities(double):
    circuit = QuantumCircuit().h(0).cx(0, 1).p(1, 0.3)
    vector = circuit.get_statevector(double)
    assert vector.dtype == np.complex128 and vector.shape == (4,)
    np.testing.assert_allclose(circuit.amplitudes([3, 0], double), vector[[3, 0]], atol=1e-12)
    np.testing.assert_allclose(circuit.get_probabilities(double), abs(vector) ** 2, atol=1e-12)
    np.testing.assert_allclose(circuit.get_probabilities(double, [1]), [0.5, 0.5], atol=1e-12)
    wide = QuantumCircuit().x(40)
    assert wide.amplitudes([1 << 40, 0]) == pytest.approx([1, 0])  # idle qubits cost no memory


def test_mirror_fidelity_refuses_what_cannot_be_undone():
    for circuit in (QuantumCircuit().h(0).measure(0, 0).h(0), QuantumCircuit().h(0).reset(0).x(0)):
        with pytest.raises(ValueError):
            circuit.mirror_fidelity()


def test_threads_share_nothing():
    results = {}

    def work(seed):
        config = m.SimulatorConfig(seed=seed)
        circuit = QuantumCircuit().h(0).h(1).h(2).measure_all()
        results[seed] = [circuit.execute(config, 200)["counts"] for _ in range(20)]

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for seed, counts in results.items():
        assert all(c == counts[0] for c in counts), seed


def test_logging_not_printing(caplog, capfd):
    with caplog.at_level(logging.DEBUG, logger="ketmesh"):
        QuantumCircuit().h(0).execute(shots=1)
    assert "execute: cpu" in caplog.text or "execute: gpu" in caplog.text
    assert capfd.readouterr() == ("", "")
