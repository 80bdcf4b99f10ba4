"""QuantumCircuit: its methods against the gate table and dense matrices, copies, pickles, conditions."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import ketmesh
from ketmesh import _core
from ketmesh.circuits import Bits, Parameter, PauliSum, QuantumCircuit

SQRT = 2**-0.5


def everything():
    t = Parameter("theta")
    circuit = QuantumCircuit().h(0).rx(1, 2 * t + 0.1).unitary([[0, 1], [1, 0]], [2]).initialize([0, 1], [3])
    circuit.ccx(0, 1, 2).measure([(0, 1)]).if_(Bits([0, 1]) == 2, QuantumCircuit().x(3), QuantumCircuit().y(2)).gphase(0.3)
    circuit.permutation([1, 2, 3, 0], [0, 1]).diagonal([1, 1j], [2]).rotation("XY", [0, 1], t**2).append("h", [0], controls=[(1, 0)])
    return circuit.measure_all()


def test_every_row_of_the_gate_table_has_a_method():
    for name, qubits, _, parameters, names, summary, aliases in _core.gate_table():
        if qubits <= 0:
            continue
        for method in (name, *aliases):
            circuit = QuantumCircuit()
            bound = getattr(circuit, method)
            assert bound(*range(qubits), *[0.1 * (k + 1) for k in range(parameters)]) is circuit, method
            assert circuit[0][0] == name and circuit[0][1] == tuple(range(qubits)), method
            assert len(circuit[0][2]) == parameters == len([n for n in names.split(",") if n])
            assert summary in bound.__doc__


def test_keywords_of_gates():
    circuit = QuantumCircuit().cu(control=1, target=0, theta=0.1, phi=0.2, lam=0.3, gamma=0.4)
    circuit.rzz(qubit0=0, qubit1=2, theta=0.5).mcx(controls=[0, 1], target=2).mcp(lam=0.2, controls=[0], target=1)
    assert [op[0] for op in circuit] == ["cu", "rzz", "mcx", "mcp"]
    assert circuit[0][1:3] == ((1, 0), (0.1, 0.2, 0.3, 0.4))


@pytest.mark.parametrize(
    ("build", "matrix"),
    [
        (lambda c: c.sx(0), 0.5 * np.array([[1 + 1j, 1 - 1j], [1 - 1j, 1 + 1j]])),
        (lambda c: c.k(0), SQRT * np.array([[1, -1j], [1j, -1]])),
        (lambda c: c.p(0, 0.7), np.diag([1, np.exp(0.7j)])),
        (lambda c: c.rz(0, 0.7), np.diag([np.exp(-0.35j), np.exp(0.35j)])),
        (lambda c: c.unitary([[0, 1j], [1, 0]], [0]), np.array([[0, 1j], [1, 0]])),
    ],
)
def test_matrices(build, matrix, double):
    for basis in range(2):
        circuit = QuantumCircuit()
        if basis:
            circuit.x(0)
        np.testing.assert_allclose(build(circuit).get_statevector(double), matrix[:, basis], atol=1e-12)


def test_first_listed_qubit_is_the_least_significant(double):
    matrix = np.eye(4)[[0, 2, 1, 3]][:, [1, 0, 2, 3]]  # some permutation
    circuit = QuantumCircuit().x(0).unitary(matrix, [0, 1])
    np.testing.assert_allclose(circuit.get_statevector(double), matrix[:, 1], atol=1e-12)


def test_controls_of_any_gate(double):
    circuit = QuantumCircuit().x(1).append("x", [0], controls=[1, (2, 0)])
    assert circuit.get_statevector(double)[3] == pytest.approx(1)
    controlled = QuantumCircuit().h(0).controlled([1])
    assert QuantumCircuit().x(1).compose(controlled).get_statevector(double)[3] == pytest.approx(SQRT)


def test_copies_and_pickles():
    circuit = everything()
    assert circuit == everything()
    for twin in (copy.copy(circuit), copy.deepcopy(circuit), circuit.copy(), pickle.loads(pickle.dumps(circuit))):
        assert twin == circuit and twin is not circuit and twin.grows
        assert twin.x(9) != circuit and circuit.num_qubits == 4
    fixed = QuantumCircuit.from_qasm("qreg q[2]; x q[0];")
    assert pickle.loads(pickle.dumps(fixed)) == fixed
    assert pickle.loads(pickle.dumps(Parameter("a") * 2 + 1)) == Parameter("a") * 2 + 1
    total = PauliSum({"ZZ": 0.5, "X": -1})
    assert pickle.loads(pickle.dumps(total)) == total
    assert QuantumCircuit.from_qasm(circuit.to_qasm()) == circuit


def test_repr_draw_html():
    circuit = everything()
    assert repr(circuit) == "QuantumCircuit(4 qubits, 13 operations, 4 bits, parameters theta)"
    assert repr(QuantumCircuit()) == "QuantumCircuit(1 qubits, 0 operations)"
    drawn = circuit.draw()
    assert drawn.splitlines()[0].startswith("q0: -h") and drawn.count("q3: ") == 1
    assert "<pre>" in circuit._repr_html_()
    assert QuantumCircuit().cx(2, 0).draw() == "q0: -x-\n     |\nq1: -|-\n     |\nq2: -*-"


def test_named_parameters(double):
    a, b = Parameter("a"), Parameter("b")
    circuit = QuantumCircuit().rx(0, a + 2 * b).ry(1, a / 2 - b**2)
    assert circuit.parameter_names == ["a", "b"]
    values = {"a": 0.3, "b": 0.4}
    want = QuantumCircuit().rx(0, 0.3 + 0.8).ry(1, 0.15 - 0.16).get_statevector(double)
    np.testing.assert_allclose(circuit.get_statevector(double, parameters=values), want, atol=1e-12)
    np.testing.assert_allclose(circuit.get_statevector(double, parameters={a: 0.3, b: 0.4}), want, atol=1e-12)
    np.testing.assert_allclose(circuit.bind(values).get_statevector(double), want, atol=1e-12)
    assert circuit.bind({"a": 1.0}).parameter_names == ["b"]
    with pytest.raises(ketmesh.CircuitError, match='"a" has no value'):
        circuit.get_statevector()
    with pytest.raises(ketmesh.CircuitError, match='no parameter "c"'):
        circuit.get_statevector(parameters=values | {"c": 1})
    assert (a * b).derivative("a") == b and float((a + 1).evaluate({"a": 2})) == 3
    with pytest.raises(TypeError):
        a + "1"


def test_inverse_and_power(double):
    circuit = QuantumCircuit().u(0, 0.3, 0.4, 0.5).csx(0, 1).cu(0, 1, 0.1, 0.2, 0.3, 0.4).iswap(0, 1)
    np.testing.assert_allclose(circuit.copy().compose(circuit.inverse()).get_statevector(double), [1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(circuit.mirrored().get_statevector(double), [1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(QuantumCircuit().x(0).power(0.5).get_statevector(double), QuantumCircuit().sx(0).get_statevector(double), atol=1e-12)
    with pytest.raises(ketmesh.CircuitError, match="measure"):
        QuantumCircuit().h(0).measure(0, 0).inverse()


def test_conditions():
    def counts(condition, then, otherwise=None, **keywords):
        circuit = QuantumCircuit().x(0).measure([(0, 0), (1, 1)]).if_(condition, then, otherwise, **keywords).measure(2, 2)
        return circuit.execute(shots=10)["counts"]

    flip = QuantumCircuit().x(2)
    assert counts(0, flip) == {"101": 10}
    assert counts(1, flip) == {"100": 10}
    assert counts([0, 1], flip) == {"101": 10}
    assert counts([0, 1], flip, value=2) == {"100": 10}
    assert counts(Bits([0, 1]) < 2, flip) == {"101": 10}
    assert counts(~Bits(0) & 1, flip) == {"100": 10}
    assert counts(1, QuantumCircuit().id(2), flip) == {"101": 10}
    with pytest.raises(TypeError):
        bool(Bits(0) == 1)


def test_initialize(double):
    np.testing.assert_allclose(QuantumCircuit().initialize([SQRT, 1j * SQRT]).get_statevector(double), [SQRT, 1j * SQRT], atol=1e-12)
    np.testing.assert_allclose(QuantumCircuit().initialize(np.array([0, 1])).get_statevector(double), [0, 1], atol=1e-12)
    assert QuantumCircuit().h(0).h(1).initialize(2, [0, 1]).get_statevector(double)[2] == pytest.approx(1)
    with pytest.raises(ketmesh.CircuitError, match="norm"):
        QuantumCircuit().initialize([1, 1])


def test_measure_forms():
    assert QuantumCircuit().x(0).measure(0, 1).execute(shots=2)["counts"] == {"01": 2}
    assert QuantumCircuit().x(0).measure(qubits=[(0, 0)]).execute(shots=2)["counts"] == {"1": 2}
    assert QuantumCircuit().x(1).measure([(1, 0), (0, 0)]).execute(shots=2)["counts"] == {"00": 2}
    assert QuantumCircuit().x(0).barrier().barrier(0).barrier([0, 1]).reset_qubits([0]).measure_all().execute(shots=2)["counts"] == {"00": 2}


def test_signatures_tell_types():
    assert "theta: float" in QuantumCircuit.rx.__doc__
    assert list(inspect.signature(QuantumCircuit.execute).parameters) == ["self", "config", "shots", "parameters"]
