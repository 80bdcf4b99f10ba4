"""Derivatives against finite differences and shifted angles; checkpoints of states."""

import numpy as np
import pytest

import ketmesh as m
from ketmesh.circuits import Parameter, QuantumCircuit


def ansatz(n=5, layers=2):
    circuit, names = QuantumCircuit(), []
    for layer in range(layers):
        for q in range(n):
            names += [f"a{layer}_{q}", f"b{layer}_{q}"]
            circuit.ry(q, Parameter(names[-2])).rz(q, 2 * Parameter(names[-1]) + 0.1)
        for q in range(n - 1):
            circuit.cx(q, q + 1)
    return circuit, names


@pytest.mark.parametrize("kind", [m.Cpu, m.DistributedCpu])
def test_named_parameters_by_finite_differences(kind):
    config = m.SimulatorConfig(simulator_type=kind, precision="double")
    circuit, names = ansatz()
    values = dict(zip(names, np.random.default_rng(1).uniform(-2, 2, len(names)), strict=True))
    observables = ["ZZIII", {"XIYII": 0.5, "IIIIZ": -2.0}]
    found = circuit.gradient(observables, values, config)
    assert found["parameters"] == names and found["jacobian"].shape == (2, len(names))
    assert found["expectation_values"] == pytest.approx(circuit.estimate(observables, config, parameters=values)["expectation_values"])
    for column, name in enumerate(names[::7]):
        up, down = (circuit.estimate(observables, config, parameters=values | {name: values[name] + step}) for step in (1e-5, -1e-5))
        slope = (np.array(up["expectation_values"]) - down["expectation_values"]) / 2e-5
        np.testing.assert_allclose(found["jacobian"][:, 7 * column], slope, atol=1e-8)
    some = circuit.gradient(observables, values, config, with_respect_to=[names[3], Parameter(names[0])])
    np.testing.assert_allclose(some["jacobian"], found["jacobian"][:, [3, 0]], atol=1e-12)


def test_every_angle_in_batches(double):
    circuit = QuantumCircuit().rx(0, 0.3).u(1, 0.1, 0.2, 0.3).crz(0, 1, 0.5).h(1).delay(0, 1.0).rotation("XY", [0, 1], 0.4)
    rows = np.random.default_rng(2).uniform(-2, 2, (3, 6))
    found = m.adjoint_jacobian(circuit, "ZI;XX", rows, double)
    assert np.shape(found["jacobian"]) == (3, 2, 6) and np.shape(found["expectation_values"]) == (3, 2)
    for row, jacobian in zip(rows, found["jacobian"], strict=True):
        for k in range(6):
            values = [m.adjoint_jacobian(circuit, "ZI;XX", row + step * np.eye(6)[k], double)["expectation_values"][0] for step in (1e-5, -1e-5)]
            np.testing.assert_allclose(np.array(jacobian)[:, k], np.subtract(*values) / 2e-5, atol=1e-8)
    own = m.adjoint_jacobian(circuit, "ZI;XX", [0.3, 0.1, 0.2, 0.3, 0.5, 0.4], double)
    assert own["jacobian"] == m.adjoint_jacobian(circuit, "ZI;XX", config=double)["jacobian"]
    with pytest.raises(ValueError, match="6 parameters, got 1"):
        m.adjoint_jacobian(circuit, "Z", [0.1])
    with pytest.raises(ValueError, match="reset"):
        m.adjoint_jacobian(QuantumCircuit().rx(0, 0.1).reset(0).rx(0, 0.1), "Z")


def test_batches_equal_single_runs(double):
    circuit, names = ansatz(4)
    rows = np.random.default_rng(4).uniform(-2, 2, (7, len(names)))
    found = circuit.run_batch(rows, double, observables=["ZZII", {"XIII": 0.5}], statevectors=True)
    assert found["expectation_values"].shape == (7, 2) and found["counts"] == []
    for row, energies, state in zip(rows, found["expectation_values"], found["statevectors"], strict=True):
        values = dict(zip(names, row, strict=True))
        np.testing.assert_allclose(energies, circuit.estimate(["ZZII", {"XIII": 0.5}], double, parameters=values)["expectation_values"], atol=1e-12)
        np.testing.assert_allclose(state, circuit.get_statevector(double, parameters=values), atol=1e-12)
    counts = circuit.copy().measure_all().run_batch(rows, double, shots=50)["counts"]
    assert [sum(c.values()) for c in counts] == [50] * 7
    with pytest.raises(ValueError):
        circuit.run_batch(rows[:, :3], double, observables="Z")


def test_checkpoints(tmp_path):
    config = m.SimulatorConfig(simulator_type=m.DistributedCpu, precision="double", distributed_options={"distributed_shards": "4"})
    with m.State(6, config) as state:
        state.apply(QuantumCircuit().h(0).cx(0, 5).ry(3, 0.4)).save(tmp_path / "saved")
        want = state.to_host()
    for again in (m.State.load(tmp_path / "saved", config), m.State.load(tmp_path / "saved")):
        assert again.precision == "double"
        np.testing.assert_array_equal(again.to_host(), want)
    with pytest.raises(OSError):
        m.State.load(tmp_path / "nothing")
