"""The PennyLane device against default.qubit: values, gradients, shots. Skipped without PennyLane. (PennyLane's own suite: pl-device-test.)"""

import numpy as np
import pytest

qml = pytest.importorskip("pennylane")

from pennylane import numpy as pnp

import ketmesh
from ketmesh.pennylane import KetmeshDevice


def layers(x, y):
    qml.BasisState(np.array([1, 0]), wires=[0, 3])
    qml.RX(x, 0)
    qml.Rot(x, y, 0.3, 1)
    qml.CNOT([0, 1])
    qml.CRY(y, [1, 2])
    qml.adjoint(qml.S(2))
    qml.ctrl(qml.RZ(x * y, 2), [0, 1], control_values=[0, 1])
    qml.IsingXX(y, [0, 2])
    qml.PauliRot(x, "XIY", wires=[0, 1, 3])
    qml.MultiRZ(y, wires=[0, 2, 3])
    qml.QubitUnitary(np.array([[0, 1j, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]), wires=[3, 1])
    qml.GlobalPhase(x)
    qml.QFT(wires=[0, 1, 2])
    qml.MultiControlledX(wires=[0, 1, 2, 3], control_values=[1, 0, 1])


def both(measurements, *arguments, **more):
    def run(device):
        @qml.qnode(device, **more)
        def circuit(x, y):
            layers(x, y)
            return measurements()

        return circuit(*arguments)

    return run(KetmeshDevice(wires=4)), run(qml.device("default.qubit", wires=4))


MEASUREMENTS = {
    "energies": lambda: (qml.expval(qml.Z(0) @ qml.X(2)), qml.expval(0.3 * qml.Y(1) - 2 * qml.Z(3) @ qml.Z(0))),
    "hermitian": lambda: qml.expval(qml.Hermitian(np.diag([1.0, 2.0, 3.0, 4.0]), wires=[1, 3])),
    "state": lambda: qml.state(),
    "probabilities": lambda: (qml.probs(wires=[2, 0]), qml.var(qml.Z(1))),
    "density": lambda: (qml.density_matrix([1]), qml.purity([0, 1]), qml.vn_entropy([0])),
}


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_values(name):
    found, want = both(MEASUREMENTS[name], 0.4, -0.7)
    if not isinstance(want, tuple):
        found, want = (found,), (want,)
    for a, b in zip(found, want, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


@pytest.mark.parametrize("method", ["best", "adjoint", "parameter-shift"])
def test_gradients(method):
    x, y = pnp.array(0.4, requires_grad=True), pnp.array(-0.7, requires_grad=True)

    def jacobian(device, how):
        @qml.qnode(device, diff_method=how)
        def circuit(a, b):
            layers(a, b)
            return qml.expval(qml.Z(0) @ qml.X(2)), qml.expval(0.3 * qml.Y(1) - 2 * qml.Z(3) @ qml.Z(0))

        return qml.jacobian(lambda a, b: pnp.stack(circuit(a, b)))(x, y)

    for found, want in zip(jacobian(KetmeshDevice(wires=4), method), jacobian(qml.device("default.qubit"), "backprop"), strict=True):
        np.testing.assert_allclose(found, want, atol=1e-8)


def test_broadcasting_labels_and_no_wires():
    device = KetmeshDevice(wires=["a", "b"])

    @qml.qnode(device)
    def circuit(x):
        qml.RX(x, wires="a")
        qml.CNOT(["a", "b"])
        return qml.expval(qml.Z("b"))

    np.testing.assert_allclose(circuit(np.array([0.1, 0.2, 0.3])), np.cos([0.1, 0.2, 0.3]), atol=1e-9)

    @qml.qnode(KetmeshDevice())
    def loose():
        qml.X(7)
        return qml.probs(wires=[3, 7])

    np.testing.assert_allclose(loose(), [0, 1, 0, 0], atol=1e-9)


def test_shots():
    @qml.set_shots(4000)
    @qml.qnode(KetmeshDevice(wires=2, seed=3))
    def circuit():
        qml.RY(0.8, 0)
        qml.CNOT([0, 1])
        return qml.counts(), qml.expval(qml.Z(0) @ qml.Z(1)), qml.sample(wires=[1])

    counts, parity, samples = circuit()
    assert set(counts) == {"00", "11"} and sum(counts.values()) == 4000 and parity == 1
    assert abs(np.mean(samples) - np.sin(0.4) ** 2) < 5 * 0.5 / 4000**0.5


def test_measurements_in_between_are_deferred():
    @qml.qnode(KetmeshDevice(wires=3))
    def circuit():
        qml.RY(0.8, 0)
        bit = qml.measure(0)
        qml.cond(bit, qml.X)(1)
        return qml.expval(qml.Z(1))

    assert circuit() == pytest.approx(np.cos(0.8))


def test_config_is_used():
    config = ketmesh.SimulatorConfig(simulator_type=ketmesh.DistributedCpu, distributed_options={"distributed_shards": "4"})
    device = KetmeshDevice(wires=5, config=config)

    @qml.qnode(device)
    def circuit(x):
        for w in range(5):
            qml.RX(x, w)
        return qml.expval(qml.Z(4))

    assert circuit(0.3) == pytest.approx(np.cos(0.3), abs=1e-5)
