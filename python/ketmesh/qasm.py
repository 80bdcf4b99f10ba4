"""OpenQASM text into circuits, as an object that remembers how it went."""

from . import _core


class QasmToCirc:
    """Reads OpenQASM 2 or 3.

    Examples
    --------
    >>> from ketmesh import QasmToCirc
    >>> QasmToCirc().parse_and_translate("OPENQASM 2.0; qreg q[2]; creg c[2]; x q[0]; measure q -> c;").num_qubits
    2
    """

    def __init__(self):
        self._error = ""
        self._failed = False
        self._inputs = []

    def parse_and_translate(self, qasm_str, params=None):
        """The circuit of a text; every ``input`` needs its value in ``params``."""
        if not isinstance(qasm_str, str):
            raise TypeError(f"qasm_str must be a str, not {type(qasm_str).__name__}")
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

    def failed(self):
        """Whether the last text could not be read."""
        return self._failed

    def get_error_message(self):
        """Why; empty when it could."""
        return self._error

    def get_inputs(self):
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
    raise TypeError(f"{name} must be a QuantumCircuit or OpenQASM text, not {type(value).__name__}")
