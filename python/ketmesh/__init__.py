"""Ketmesh: one quantum state vector over many memories.

>>> from ketmesh.circuits import QuantumCircuit
>>> bell = QuantumCircuit().h(0).cx(0, 1).measure_all()
>>> sorted(bell.execute(shots=100)["counts"])
['00', '11']
"""

import logging as _logging

from . import circuits, errors
from ._core import DeviceMesh, __version__, option_keys
from ._mpi import finalize_distributed_mpi_gpu, init_mpi
from .config import SimulatorConfig
from .enums import SimulationType, SimulatorType
from .errors import (
    BackendUnavailable,
    CircuitError,
    DoesNotFit,
    Error,
    Internal,
    IoError,
    OptionError,
    ParseError,
    TransportError,
)
from .functions import (
    adjoint_jacobian,
    get_gpu_device_count,
    get_probabilities,
    get_statevector,
    init_gpu,
    inner_product,
    is_distributed_gpu_available,
    is_gpu_available,
    mirror_fidelity,
    select_gpu_device,
    simple_estimate,
    simple_execute,
    state_probability,
)
from .planning import Plan, about, doctor, model_machine, plan
from .qasm import QasmToCirc
from .state import State

DeviceMesh.__module__ = __name__
_logging.getLogger("ketmesh").addHandler(_logging.NullHandler())

globals().update(SimulatorType.__members__)
globals().update(SimulationType.__members__)

__all__ = [
    "BackendUnavailable",
    "CircuitError",
    "DeviceMesh",
    "DoesNotFit",
    "Error",
    "Internal",
    "IoError",
    "OptionError",
    "ParseError",
    "Plan",
    "QasmToCirc",
    "SimulationType",
    "SimulatorConfig",
    "SimulatorType",
    "State",
    "TransportError",
    "__version__",
    "about",
    "adjoint_jacobian",
    "circuits",
    "doctor",
    "errors",
    "finalize_distributed_mpi_gpu",
    "get_gpu_device_count",
    "get_probabilities",
    "get_statevector",
    "init_gpu",
    "init_mpi",
    "inner_product",
    "is_distributed_gpu_available",
    "is_gpu_available",
    "mirror_fidelity",
    "model_machine",
    "option_keys",
    "plan",
    "select_gpu_device",
    "simple_estimate",
    "simple_execute",
    "state_probability",
]
__all__ += list(SimulatorType.__members__)
__all__ += list(SimulationType.__members__)
