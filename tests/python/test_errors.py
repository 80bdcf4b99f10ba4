"""Bad input: the class, the name and the value in the message, and nothing on the terminal."""

import math
import pickle

import numpy as np
import pytest

import ketmesh as m
from ketmesh.circuits import QuantumCircuit


def bell():
    return QuantumCircuit().h(0).cx(0, 1)


BAD = [
    (lambda: bell().x(-1), ValueError, ["x", "qubit", "-1", "0 to 999999"]),
    (lambda: bell().x(10**6), ValueError, ["x", "1000000"]),
    (lambda: bell().x(2**70), ValueError, ["x", str(2**70)]),
    (lambda: bell().x(1.0), TypeError, ["x", "qubit", "float"]),
    (lambda: bell().x(True), TypeError, ["x", "bool"]),
    (lambda: bell().x("0"), TypeError, ["x", "str"]),
    (lambda: bell().x(None), TypeError, ["x"]),
    (lambda: bell().cx(1, 1), ValueError, ["cx", "qubit 1"]),
    (lambda: bell().rx(0, "0.5"), TypeError, ["rx", "theta", "str"]),
    (lambda: bell().rx(0, 1j), TypeError, ["rx", "theta", "complex"]),
    (lambda: bell().rx(0, math.nan), ValueError, ["rx", "theta", "nan"]),
    (lambda: bell().delay(0, -1.0), ValueError, ["delay", "-1"]),
    (lambda: bell().measure([(0, -1)]), ValueError, ["measure", "bit", "-1"]),
    (lambda: bell().measure([0]), TypeError, ["measure"]),
    (lambda: bell().unitary([[1, 1], [1, 1]], [0]), ValueError, ["unitary"]),
    (lambda: bell().unitary(np.eye(3), [0]), ValueError, ["unitary", "4 values", "9"]),
    (lambda: bell().append("nope", [0]), ValueError, ["nope"]),
    (lambda: bell().append("cx", [0]), ValueError, ["cx", "2 qubits"]),
    (lambda: bell().append("x", [0], controls=[(1, 2)]), ValueError, ["control value", "2"]),
    (lambda: bell().execute(shots=-1), ValueError, ["shots", "-1", "4294967295"]),
    (lambda: bell().execute(shots=2**32), ValueError, ["shots", "4294967296"]),
    (lambda: bell().execute(shots=1.5), TypeError, ["shots", "float"]),
    (lambda: bell().execute(5), TypeError, ["config", "int"]),
    (lambda: bell().execute(parameters=3), TypeError, ["parameters"]),
    (lambda: bell().estimate("ZQ"), ValueError, ["ZQ", "Q"]),
    (lambda: bell().estimate([1]), TypeError, ["observable", "int"]),
    (lambda: bell().estimate(5), TypeError, ["observables", "int"]),
    (lambda: bell().estimate({"ZZ": "a"}), TypeError, ["coefficient"]),
    (lambda: bell().prob("012"), ValueError, ["012"]),
    (lambda: bell().prob("0"), ValueError, ["1 characters", "2 qubits"]),
    (lambda: bell().amplitudes([4]), ValueError, ["4", "0 to 3"]),
    (lambda: m.get_probabilities(bell(), None, [2]), ValueError, ["qubit 2"]),
    (lambda: bell().inner_product(None), TypeError, ["other"]),
    (lambda: bell().reset(0).inner_product(bell()), ValueError, ["reset"]),
    (lambda: m.State(0), ValueError, ["num_qubits", "0"]),
    (lambda: m.State(63), ValueError, ["num_qubits", "63", "62"]),
    (lambda: m.State(2).apply("nope", 0), ValueError, ["nope"]),
    (lambda: m.State(2).apply("x", 2).norm(), ValueError, ["2"]),
    (lambda: m.State(2).apply(QuantumCircuit().x(4)), ValueError, ["5 qubits"]),
    (lambda: m.State(2).encode([1, 2], "nope"), ValueError, ["nope", "amplitude"]),
    (lambda: m.State(2).encode([math.nan], "amplitude"), ValueError, ["entry"]),
    (lambda: m.State(2).restore(7), ValueError, ["7"]),
    (lambda: m.select_gpu_device(-1), ValueError, ["gpu_device", "-1"]),
    (lambda: m.plan(3), TypeError, ["circuit"]),
    (lambda: m.plan(bell(), machine="{}"), ValueError, []),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input(case, capfd):
    call, kind, words = BAD[case]
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    assert all(word in text for word in words), text
    assert issubclass(kind, TypeError) == isinstance(caught.value, TypeError)
    assert capfd.readouterr() == ("", "")


def test_places_of_a_text():
    with pytest.raises(m.ParseError) as caught:
        QuantumCircuit.from_qasm('OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[3];\nfoo q[0];\n')
    assert caught.value.line == 4 and caught.value.column == 1 and "foo" in str(caught.value)
    with pytest.raises(OSError):
        QuantumCircuit.from_qasm("/no/such/file.qasm")


def test_what_does_not_fit():
    wide = QuantumCircuit().h(0)
    for q in range(49):
        wide.cx(q, q + 1)
    with pytest.raises(MemoryError) as caught:
        wide.get_statevector()
    assert isinstance(caught.value, m.DoesNotFit) and caught.value.needed_bytes > caught.value.available_bytes > 0
    assert "50" in str(caught.value)


@pytest.mark.parametrize("name", ["ParseError", "CircuitError", "OptionError", "DoesNotFit", "BackendUnavailable", "TransportError", "IoError"])
def test_classes(name):
    bases = {"DoesNotFit": MemoryError, "BackendUnavailable": RuntimeError, "TransportError": RuntimeError, "IoError": OSError}
    cls = getattr(m, name)
    assert issubclass(cls, bases.get(name, ValueError)) and issubclass(cls, m.Error)
    assert str(pickle.loads(pickle.dumps(cls("text")))) == "text"
