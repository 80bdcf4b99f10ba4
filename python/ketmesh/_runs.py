"""Methods of QuantumCircuit that run it. They are attached to the class in ketmesh.circuits."""

import collections.abc
import logging
import time
from typing import Any

import numpy as np

from . import _core, _mpi
from . import _fields as check
from ._types import Angles, Array, Circuit, Observables, Values
from .config import SimulatorConfig
from .errors import CircuitError, OptionError, described

_log = logging.getLogger("ketmesh")
_DEFAULT = SimulatorConfig()


def native(config):
    """The library's configuration of a SimulatorConfig (None: the default one)."""
    if config is None:
        config = _DEFAULT
    elif not isinstance(config, SimulatorConfig):
        raise TypeError(f"config must be a SimulatorConfig, not {described(config)}")
    made = config._native()
    _mpi.check_alive(config)
    return made


def _circuit(value, name):
    if not isinstance(value, _core.QuantumCircuit):
        raise TypeError(f"{name} must be a QuantumCircuit, not {described(value)}")
    return value


def _tell(what, result):
    """Everything that a run reports goes to the log, never to the terminal."""
    if _log.isEnabledFor(logging.INFO):
        told = result["distribution"]
        _log.info("%s: %s, %d passes, %d exchanges, %.6f s", what, told["backend"], told["passes"], told["exchanges"], result["time_taken"])
        for note in told["notes"]:
            _log.debug("%s", note)
    return result


def execute(self: Circuit, config: SimulatorConfig | None = None, shots: int = 1024, *, parameters: Values = None) -> dict[str, Any]:
    """Run the circuit and count measured bits.

    Parameters
    ----------
    config : SimulatorConfig, optional
        Where and how; the default one takes the smallest placement that fits.
    shots : int
        0 to 2**32 - 1.
    parameters : mapping of names to numbers, optional
        Values of the circuit's named parameters.

    Returns
    -------
    dict
        ``counts`` (character i of a key is classical bit i), ``time_taken`` in seconds, ``simulator`` and ``method`` (ints),
        ``distribution`` (what was done), ``seconds``, ``registers``.

    Examples
    --------
    >>> from ketmesh.circuits import QuantumCircuit
    >>> QuantumCircuit().x(0).cx(0, 2).measure_all().execute(shots=5)["counts"]
    {'101': 5}
    """
    made = native(config)
    result = _core.execute(self, made, shots, parameters)
    if config is not None and config._gpu_device is not None and result["simulator"] == 2:
        result["gpu_device"] = config._gpu_device
    return _tell("execute", result)


def estimate(
    self: Circuit, observables: Observables, config: SimulatorConfig | None = None, *, parameters: Values = None
) -> dict[str, Any]:
    """Expectation values of Pauli observables.

    Parameters
    ----------
    observables : str, list or mapping
        ``"ZZ;XI"``, a list of strings, or weighted sums: ``{"ZZ": 0.5, "XI": -1.0}``, ``PauliSum``. Character i acts on qubit i.
    config : SimulatorConfig, optional
    parameters : mapping of names to numbers, optional

    Returns
    -------
    dict
        ``expectation_values``, ``qubits_before`` and ``qubits_after`` (of the largest light cone), and what ``execute`` says.

    Examples
    --------
    >>> from ketmesh.circuits import QuantumCircuit
    >>> bell = QuantumCircuit().h(0).cx(0, 1)
    >>> [round(value, 6) + 0.0 for value in bell.estimate("XX;YY;ZZ;ZI")["expectation_values"]]
    [1.0, -1.0, 1.0, 0.0]
    """
    return _tell("estimate", _core.estimate(self, observables, native(config), parameters))


def get_statevector(self: Circuit, config: SimulatorConfig | None = None, *, parameters: Values = None) -> Array:
    """All 2**n amplitudes as a complex NumPy array; qubit 0 is the least significant bit of the index.

    Measurements at the end are left out; those before follow one random branch, fixed by the seed.

    Examples
    --------
    >>> from ketmesh.circuits import QuantumCircuit
    >>> QuantumCircuit().x(1).get_statevector().real
    array([0., 0., 1., 0.])
    """
    return _core.statevector(self, native(config), parameters)


def get_probabilities(
    self: Circuit, config: SimulatorConfig | None = None, qubits: collections.abc.Iterable[int] | None = None, *, parameters: Values = None
) -> Array:
    """Probabilities of all 2**n basis states, or of the outcomes of chosen qubits (the first is the least significant bit)."""
    return _core.probabilities(self, native(config), qubits, parameters)


def amplitudes(
    self: Circuit, indices: collections.abc.Iterable[int], config: SimulatorConfig | None = None, *, parameters: Values = None
) -> Array:
    """Amplitudes of chosen basis states, without the whole state in host memory."""
    return _core.amplitudes(self, indices, native(config), parameters)


def _target_index(circuit, target_state):
    if not isinstance(target_state, str):
        raise TypeError(f"target_state must be a str of 0 and 1, not {described(target_state)}")
    for position, letter in enumerate(target_state):
        if letter not in "01":
            raise CircuitError(f"target_state {target_state!r}: {letter!r} at position {position} must be 0 or 1")
    if len(target_state) != circuit.num_qubits:
        raise CircuitError(
            f"target_state {target_state!r} has {len(target_state)} characters, the circuit {circuit.num_qubits} qubits"
        )
    return int(target_state[::-1], 2)


def prob(self: Circuit, target_state: str, config: SimulatorConfig | None = None, *, parameters: Values = None) -> dict[str, Any]:
    """Amplitude and probability of one basis state, given as a str whose character i is qubit i.

    Examples
    --------
    >>> from ketmesh.circuits import QuantumCircuit
    >>> round(QuantumCircuit().x(0).h(2).prob("101")["probability"], 6)
    0.5
    """
    made = native(config)
    start = time.perf_counter()
    amplitude = complex(_core.amplitudes(self, [_target_index(self, target_state)], made, parameters)[0])
    return {
        "amplitude": amplitude,
        "probability": abs(amplitude) ** 2,
        "target_state": target_state,
        "time_taken": time.perf_counter() - start,
    }


def inner_product(self: Circuit, other: Circuit, config: SimulatorConfig | None = None) -> complex:
    """``<self|other>``; qubits that one of the two does not have are |0>. Refuses resets and measurements before the end."""
    return _core.inner_product(self, _circuit(other, "other"), native(config))


def gradient(
    self: Circuit,
    observables: Observables,
    parameters: Values = None,
    config: SimulatorConfig | None = None,
    *,
    with_respect_to: collections.abc.Iterable[str | _core.Parameter] | None = None,
) -> dict[str, Any]:
    """Expectation values and their derivatives by named parameters, by the adjoint method.

    About the time of four runs, whatever the number of parameters.

    Returns
    -------
    dict
        ``expectation_values``, ``jacobian`` (array of observables x parameters), ``parameters`` (names of the columns).

    Examples
    --------
    >>> from ketmesh.circuits import Parameter, QuantumCircuit
    >>> circuit = QuantumCircuit().ry(0, 2 * Parameter("t"))
    >>> circuit.gradient("Z", {"t": 0.25})["jacobian"].round(5)
    array([[-0.95885]])
    """
    return _core.gradient(self, observables, native(config), parameters, with_respect_to, False)


def run_batch(
    self: Circuit,
    rows: Angles,
    config: SimulatorConfig | None = None,
    *,
    observables: Observables | None = None,
    shots: int = 0,
    statevectors: bool = False,
    parameter_names: collections.abc.Iterable[str] | None = None,
) -> dict[str, Any]:
    """The circuit with many rows of parameters, from one plan; small circuits run several at a time.

    Parameters
    ----------
    rows : array of rows x parameters
        Columns in the order of ``parameter_names`` (by default the circuit's own).
    observables, shots, statevectors
        What is wanted of each row.

    Returns
    -------
    dict
        ``expectation_values`` (array of rows x observables), ``counts`` (a dict a row), ``statevectors`` when asked for, ``distribution``.

    Examples
    --------
    >>> from ketmesh.circuits import Parameter, QuantumCircuit
    >>> circuit = QuantumCircuit().ry(0, Parameter("t"))
    >>> circuit.run_batch([[0.0], [3.141592653589793]], observables="Z")["expectation_values"].round(5)
    array([[ 1.],
           [-1.]])
    """
    check.flag("statevectors", statevectors)
    table = np.asarray(rows)
    names = self.parameter_names if parameter_names is None else parameter_names
    if not hasattr(names, "__len__"):
        raise TypeError(f"parameter_names must be a sequence of names, not {described(names)}")
    if table.dtype.kind not in "fiu":
        raise TypeError(f"rows must be numbers, not {described(rows)}")
    if table.ndim != 2 or table.shape[1] != len(names):
        raise OptionError(f"rows of shape {table.shape}: must be (rows, {len(names)}), a column for each parameter")
    return _core.run_batch(self, table, native(config), observables, shots, parameter_names, statevectors)


def adjoint_jacobian(
    circuit: Circuit, observables: Observables, params: Angles | None = None, config: SimulatorConfig | None = None
) -> dict[str, Any]:
    """Values and derivatives by every angle of every gate, in the order of the circuit, for one or many lists of angles.

    Parameters
    ----------
    circuit : QuantumCircuit
    observables : as ``QuantumCircuit.estimate`` takes them
    params : sequence of floats, or of such sequences, optional
        Angles in place of the circuit's; None: its own.
    config : SimulatorConfig, optional

    Returns
    -------
    dict
        ``expectation_values`` [batch][observables] and ``jacobian`` [batch][observables][angles], as lists.

    Examples
    --------
    >>> import ketmesh
    >>> circuit = ketmesh.circuits.QuantumCircuit().rx(0, 0.0)
    >>> ketmesh.adjoint_jacobian(circuit, "Z", [[0.0], [3.0]])["expectation_values"]
    [[1.0], [-0.98999...]]
    """
    made = native(config)
    _circuit(circuit, "circuit")
    if params is None:
        batch = [circuit]
    else:
        if isinstance(params, str) or not hasattr(params, "__iter__"):
            raise TypeError(f"params must be a sequence of angles, or of such sequences, not {described(params)}")
        rows = list(params)
        rows = rows if rows and hasattr(rows[0], "__iter__") else [rows]
        wanted = _core.num_angles(circuit)
        for row in rows:
            if len(row) != wanted:
                raise CircuitError(f"params: the circuit's gates have {wanted} parameters, got {len(row)}")
        batch = [_core.with_angles(circuit, row) for row in rows]
    results = [_core.gradient(one, observables, made, None, None, True) for one in batch]
    return {
        "expectation_values": [result["expectation_values"] for result in results],
        "jacobian": [result["jacobian"].tolist() for result in results],
        "time_taken": sum(result["time_taken"] for result in results),
        "distribution": results[-1]["distribution"] if results else {},
    }


def mirror_fidelity(
    self: Circuit,
    config: SimulatorConfig | None = None,
    shots: int = 1024,
    full_amplitude: bool = False,
    observables: Observables | None = None,
) -> float | list[float]:
    """How well the circuit followed by its inverse returns to |0...0>.

    The share of shots that do; with ``full_amplitude`` the probability itself; with ``observables`` their values after both.
    Refuses circuits with reset or with measurements before the end.
    """
    made = native(config)
    check.flag("full_amplitude", full_amplitude)
    if observables is None and not full_amplitude and shots == 0:
        raise OptionError("shots = 0: must be an integer from 1 to 4294967295")
    if self.is_dynamic:
        raise CircuitError("mirror_fidelity: a circuit with a reset or a measurement before its end cannot be undone")
    mirror = self.mirrored()
    if observables is not None:
        return _core.estimate(mirror, observables, made, None)["expectation_values"]
    if full_amplitude:
        return float(abs(_core.amplitudes(mirror, [0], made, None)[0]) ** 2)
    counts = _core.execute(mirror.measure_all(), made, shots, None)["counts"]
    zeros = sum(count for key, count in counts.items() if "1" not in key)
    return zeros / shots


def _repr_html_(self: Circuit) -> str:
    return f"<pre>{_escaped(self.draw())}</pre>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
