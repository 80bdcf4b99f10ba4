"""OpenQASM text into circuits, as an object that remembers how it went."""

import collections.abc

from . import _core
from .errors import described


class QasmToCirc:
    """Reads OpenQASM 2 or 3.

    Examples
    --------
    >>> from ketmesh import QasmToCirc
    >>> QasmToCirc().parse_and_translate("OPENQASM 2.0; qreg q[2]; creg c[2]; x q[0]; measure q -> c;").num_qubits
    2
    """

    def __init__(self) -> None:
        self._error = ""
        self._failed = False
        self._inputs: list[str] = []

    def parse_and_translate(self, qasm_str: str, params: collections.abc.Mapping[str, float] | None = None) -> _core.QuantumCircuit:
        """The circuit of a text; every ``input`` needs its value in ``params``."""
        if not isinstance(qasm_str, str):
            raise TypeError(f"qasm_str must be a str, not {described(qasm_str)}")
        self._error, self._failed, self._inputs = "", False, []
        try:
            circuit = _core._read_qasm(qasm_str)
            self._inputs = circuit.parameter_names
            values = {} if params is None else dict(params)
            if values:
                circuit = _core._read_qasm(qasm_str, values)
            if circuit.parameter_names:
                raise _unbound(circuit.parameter_names)
        except ValueError as error:
            self._failed, self._error = True, str(error)
            raise
        return circuit

    def failed(self) -> bool:
        """Whether the last text could not be read."""
        return self._failed

    def get_error_message(self) -> str:
        """Why; empty when it could."""
        return self._error

    def get_inputs(self) -> list[str]:
        """Names of the last text's inputs."""
        return list(self._inputs)


def _unbound(names):
    from .errors import ParseError

    return ParseError(f"input {', '.join(names)} has no value: give it in params")


def to_circuit(value, name="circuit"):
    """A circuit as it is, or the circuit of OpenQASM text."""
    if isinstance(value, _core.QuantumCircuit):
        return value
    if isinstance(value, str):
        return _core._read_qasm(value)
    raise TypeError(f"{name} must be a QuantumCircuit or OpenQASM text, not {described(value)}")
