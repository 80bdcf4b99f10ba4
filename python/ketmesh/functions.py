"""The same as the methods of QuantumCircuit, as functions that take OpenQASM text too."""

import collections.abc
from typing import Any

from . import _core, _runs
from . import _fields as check
from ._types import Array, Circuit, Observables, Values
from .config import SimulatorConfig, _selection
from .errors import BackendUnavailable
from ._runs import adjoint_jacobian  # noqa: F401 - a function of the module too
from .qasm import to_circuit

_MISSING: Any = object()


def _one(circuit, qasm_circuit):
    if (circuit is _MISSING) == (qasm_circuit is _MISSING):
        raise TypeError("give circuit or qasm_circuit, one of the two")
    if circuit is not _MISSING:
        return to_circuit(circuit)
    return to_circuit(qasm_circuit, "qasm_circuit")


def simple_execute(
    circuit: Circuit | str = _MISSING,
    config: SimulatorConfig | None = None,
    shots: int = 1024,
    *,
    qasm_circuit: str = _MISSING,
    parameters: Values = None,
) -> dict[str, Any]:
    """``QuantumCircuit.execute`` of a circuit or of OpenQASM text.

    Examples
    --------
    >>> import ketmesh
    >>> ketmesh.simple_execute("OPENQASM 2.0; qreg q[1]; creg c[1]; x q[0]; measure q -> c;", shots=3)["counts"]
    {'1': 3}
    """
    return _runs.execute(_one(circuit, qasm_circuit), config, shots, parameters=parameters)


def simple_estimate(
    circuit: Circuit | str = _MISSING,
    observables: Observables = _MISSING,
    config: SimulatorConfig | None = None,
    *,
    qasm_circuit: str = _MISSING,
    parameters: Values = None,
) -> dict[str, Any]:
    """``QuantumCircuit.estimate`` of a circuit or of OpenQASM text."""
    if observables is _MISSING:
        raise TypeError("simple_estimate needs observables")
    return _runs.estimate(_one(circuit, qasm_circuit), observables, config, parameters=parameters)


def get_statevector(circuit: Circuit | str, config: SimulatorConfig | None = None, *, parameters: Values = None) -> Array:
    """``QuantumCircuit.get_statevector``."""
    return _runs.get_statevector(to_circuit(circuit), config, parameters=parameters)


def get_probabilities(
    circuit: Circuit | str, config: SimulatorConfig | None = None, qubits: collections.abc.Iterable[int] | None = None, *, parameters: Values = None
) -> Array:
    """``QuantumCircuit.get_probabilities``."""
    return _runs.get_probabilities(to_circuit(circuit), config, qubits, parameters=parameters)


def inner_product(circuit_1: Circuit | str, circuit_2: Circuit | str, config: SimulatorConfig | None = None) -> complex:
    """``circuit_1.inner_product(circuit_2)``."""
    return _runs.inner_product(to_circuit(circuit_1, "circuit_1"), to_circuit(circuit_2, "circuit_2"), config)


def state_probability(
    circuit: Circuit | str, target_state: str, config: SimulatorConfig | None = None, *, parameters: Values = None
) -> dict[str, Any]:
    """``QuantumCircuit.prob``."""
    return _runs.prob(to_circuit(circuit), target_state, config, parameters=parameters)


def mirror_fidelity(
    circuit: Circuit | str,
    config: SimulatorConfig | None = None,
    shots: int = 1024,
    full_amplitude: bool = False,
    observables: Observables | None = None,
) -> float | list[float]:
    """``QuantumCircuit.mirror_fidelity``."""
    return _runs.mirror_fidelity(to_circuit(circuit), config, shots, full_amplitude, observables)


def _gpus():
    return _core.num_gpus()


def is_gpu_available() -> bool:
    """Whether a GPU can be used. Never raises."""
    return _gpus() > 0


def get_gpu_device_count() -> int:
    """How many GPUs this process may use. Never raises."""
    return _gpus()


def is_distributed_gpu_available() -> bool:
    """Whether the GPUs of this node can hold a state together. Never raises, allocates nothing."""
    return _gpus() > 0


def init_gpu() -> bool:
    """Look for GPUs; whether there is one."""
    return _gpus() > 0


def select_gpu_device(gpu_device: int) -> None:
    """Make a GPU the one that configurations without ``gpu_device`` take; raises when there is no such GPU."""
    gpu_device = check.integer(0, 2**31 - 1)("gpu_device", gpu_device)
    count = _gpus()
    if gpu_device >= count:
        raise BackendUnavailable(f"gpu_device = {gpu_device}: this process sees {count} GPUs")
    _selection.gpu = gpu_device
