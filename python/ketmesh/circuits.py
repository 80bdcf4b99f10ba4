"""Circuits: ``QuantumCircuit``, named parameters, conditions and observables."""

from . import _core, _drawing, _runs
from ._core import Bits, Parameter, PauliSum, QuantumCircuit

__all__ = ["Bits", "Parameter", "PauliSum", "QuantumCircuit"]

for _class in (Bits, Parameter, PauliSum, QuantumCircuit):
    _class.__module__ = __name__
for _name in (
    "execute",
    "estimate",
    "get_statevector",
    "get_probabilities",
    "amplitudes",
    "prob",
    "inner_product",
    "gradient",
    "run_batch",
    "mirror_fidelity",
    "_repr_html_",
):
    setattr(QuantumCircuit, _name, getattr(_runs, _name))
QuantumCircuit.state_probability = _runs.prob
QuantumCircuit.draw = _drawing.draw


# Circuits and parameters travel as OpenQASM 3, which gives back equal ones.
def _circuit_from(text, grows):
    return _core._restored_circuit(text, grows)


def _parameter_from(text):
    return _core._parameter_from_qasm(text)


def _reduce_circuit(self):
    return _circuit_from, (self.to_qasm(), self.grows)


def _reduce_parameter(self):
    return _parameter_from, (QuantumCircuit().rx(0, self).to_qasm(),)


QuantumCircuit.__reduce__ = _reduce_circuit
Parameter.__reduce__ = _reduce_parameter
