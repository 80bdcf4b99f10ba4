"""SimulatorConfig: where and how a simulation runs."""

import inspect

from . import _core
from . import _fields as check
from .enums import BACKENDS, SimulationType, SimulatorType
from .errors import OptionError

_INT32 = 2**31 - 1
_SVD = check.word("gesvd", "gesvdj", "gesvdp", "gesvdr")

#: name -> (default, check). These have an effect.
_OWN = {
    "simulator_type": (SimulatorType.Auto, check.member(SimulatorType)),
    "simulation_type": (SimulationType.Statevector, check.member(SimulationType)),
    "precision": (None, check.optional(check.word("single", "double"))),
    "seed": (None, check.optional(check.integer(0, 2**64 - 1))),
    "gpu_device": (None, check.optional(check.integer(0, _INT32))),
    "distributed_options": ({}, check.options),
    "enable_causal_cone_reduction": (True, check.flag),
    "engine": ("ex", check.word("ex", "conventional")),
    "tile_qubits": (0, check.integer(0, 24)),
    "threads": (0, check.integer(0, 4096)),
    "simd": ("", check.word("", "avx512", "avx2", "sse4", "neon", "scalar", "reference")),
    "machine": ("", check.text),
}
#: Fields of other methods: accepted, checked, stored and pickled, without effect on a state vector.
_FOREIGN = {
    "max_bond_dimension": (None, check.optional(check.integer(1, _INT32))),
    "singular_value_threshold": (None, check.optional(check.real)),
    "truncation_mode": (None, check.optional(check.word("relative", "absolute", "discarded_weight"))),
    "disable_optimized_swapping": (False, check.flag),
    "lookahead_depth": (-1, check.integer(-1, _INT32)),
    "mps_sampling": ("probabilities", check.word("probabilities", "apply_measure")),
    "mps_svd_solver": (None, check.optional(_SVD)),
    "mpo_svd_solver": (None, check.optional(_SVD)),
    "tensor_network_svd_solver": (None, check.optional(_SVD)),
    "mpo_kraus_completeness_check": (None, check.optional(check.word("strict", "warn", "off"))),
    "mpo_restore_trace_after_truncation": (False, check.flag),
    "mpo_hermitize_after_truncation": (False, check.flag),
    "pp_coefficient_threshold": (None, check.optional(check.real)),
    "pp_max_pauli_weight": (None, check.optional(check.integer(0, _INT32))),
    "pp_gates_between_trims": (None, check.optional(check.integer(1, _INT32))),
    "pp_gates_between_deduplications": (None, check.optional(check.integer(1, _INT32))),
    "path_integral_threshold": (None, check.optional(check.real)),
    "gate_fusion": (None, check.optional(check.flag)),
    "enable_observable_clustering": (True, check.flag),
    "max_cluster_qubits": (None, check.optional(check.integer(1, _INT32))),
    "min_cluster_qubits": (None, check.optional(check.integer(1, _INT32))),
    "observable_error_tolerance": (None, check.optional(check.real)),
    "enable_sampling_reduction": (False, check.flag),
    "allow_reset_marginalization": (False, check.flag),
    "auto_reduce": (True, check.flag),
    "trajectory_policy": (None, check.optional(check.word("auto", "shot_v1"))),
    "trajectory_max_memory_mb": (None, check.optional(check.integer(1, _INT32))),
    "max_simulators": (None, check.optional(check.integer(1, 1024))),
    "mps_routing_virtual_bonds": (False, check.flag),
    "mps_routing_truncation_weight": (None, check.optional(check.real)),
}
_FIELDS = _OWN | _FOREIGN
_NATIVE = ("engine", "tile_qubits", "threads", "simd", "machine")


def _field(name, validate):
    slot = "_" + name

    def get(self):
        value = getattr(self, slot)
        return dict(value) if name == "distributed_options" else value

    def put(self, value):
        setattr(self, slot, validate(name, value))
        self._made = None

    return property(get, put, doc=f"``{name}``; setting it checks the value and leaves the configuration unchanged on error.")


class _selection:
    """The GPU that select_gpu_device() chose."""

    gpu: int | None = None


class SimulatorConfig:
    """Where and how a simulation runs. Keyword-only; every field may be set later too.

    Parameters
    ----------
    simulator_type : SimulatorType
        Where the state lives; ``Auto`` by default.
    simulation_type : SimulationType
        ``Statevector``; the others are names that raise ValueError when run.
    precision : {None, "single", "double"}
        None is single.
    seed : int, optional
        0 to 2**64 - 1; drawn once and reported when it is not given.
    gpu_device : int, optional
        Which GPU ``Gpu`` takes.
    distributed_options : mapping of str to str
        See ``ketmesh.option_keys()``.
    enable_causal_cone_reduction : bool
        Whether ``estimate`` computes each observable on its light cone when that is smaller.
    engine, tile_qubits, threads, simd, machine
        ``ex`` or ``conventional``; qubits of a tile, threads (0: by the machine); instruction set; text of a machine file.

    Examples
    --------
    >>> from ketmesh import SimulatorConfig, SimulatorType
    >>> config = SimulatorConfig(simulator_type=SimulatorType.DistributedCpu, seed=7)
    >>> config.seed
    7
    >>> config.precision = "half"
    Traceback (most recent call last):
    ketmesh.errors.OptionError: precision = 'half': must be one of single, double
    """

    __slots__ = tuple("_" + name for name in _FIELDS) + ("_made", "_made_for")

    def __init__(self, **fields):
        for name in fields:
            if name not in _FIELDS:
                raise TypeError(f"SimulatorConfig has no field {name!r}")
        for name, (default, validate) in _FIELDS.items():
            setattr(self, "_" + name, validate(name, fields[name]) if name in fields else default)
        self._made = None

    def _changed(self):
        return {name: getattr(self, name) for name, (default, _) in _FIELDS.items() if getattr(self, "_" + name) != default}

    def __repr__(self):
        def shown(value):
            return str(value) if isinstance(value, SimulatorType | SimulationType) else repr(value)

        return "SimulatorConfig(" + ", ".join(f"{name}={shown(value)}" for name, value in self._changed().items()) + ")"

    def __eq__(self, other):
        if not isinstance(other, SimulatorConfig):
            return NotImplemented
        return all(getattr(self, "_" + name) == getattr(other, "_" + name) for name in _FIELDS)

    __hash__ = None

    def __reduce__(self):
        return _restored, (self._changed(),)

    def __copy__(self):
        return _restored(self._changed())

    def __deepcopy__(self, memo):
        return _restored(self._changed())

    def _native(self):
        """What the library reads; rules that join fields are checked by the run."""
        made = self._made
        if made is None or self._made_for is not _selection.gpu:
            if self._simulation_type is not SimulationType.Statevector:
                raise OptionError(f"simulation_type = {self._simulation_type.name}: ketmesh simulates with Statevector only")
            backend = BACKENDS.get(self._simulator_type)
            if backend is None:
                raise OptionError(
                    f"simulator_type = {self._simulator_type.name} is a simulator of another program: "
                    f"must be one of {', '.join(kind.name for kind in BACKENDS)}"
                )
            self._made_for = _selection.gpu
            made = self._made = _core.Config(
                self._simulator_type.name,
                backend,
                self._precision,
                self._seed,
                _selection.gpu if self._gpu_device is None else self._gpu_device,
                self._enable_causal_cone_reduction,
                self._distributed_options,
                {name: getattr(self, "_" + name) for name in _NATIVE},
            )
        return made


for _name, (_default, _validate) in _FIELDS.items():
    setattr(SimulatorConfig, _name, _field(_name, _validate))
# What help() and type checkers are shown of **fields.
SimulatorConfig.__init__.__signature__ = inspect.Signature(
    [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    + [
        inspect.Parameter(_name, inspect.Parameter.KEYWORD_ONLY, default=_default, annotation=_validate.kind)
        for _name, (_default, _validate) in _FIELDS.items()
    ],
    return_annotation=None,
)


def _restored(fields):
    return SimulatorConfig(**fields)
