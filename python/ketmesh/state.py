"""A state that lives between calls."""

import collections.abc
import itertools
import math
import os
from typing import Any

import numpy.typing as npt

from . import _core, _runs
from ._types import Array, Observables, Values
from .circuits import QuantumCircuit
from .config import SimulatorConfig
from .errors import OptionError, described


class State:
    """n qubits, |0...0> at first: apply, look, measure, view, export. A context manager.

    Parameters
    ----------
    num_qubits : int
        1 to 62, as far as the memory reaches.
    config : SimulatorConfig, optional
    mesh : DeviceMesh, optional
        The devices of this process to spread it over; None: those that ``config`` chooses.

    Examples
    --------
    >>> from ketmesh import State
    >>> from ketmesh.circuits import QuantumCircuit
    >>> with State(2) as state:
    ...     state.apply(QuantumCircuit().h(0).cx(0, 1)).expectation("ZZ;XX")
    [1.0, 1.0]
    """

    def __init__(self, num_qubits: int, config: SimulatorConfig | None = None, mesh: _core.DeviceMesh | None = None) -> None:
        if mesh is not None and not isinstance(mesh, _core.DeviceMesh):
            raise TypeError(f"mesh must be a DeviceMesh, not {described(mesh)}")
        self._made = _runs.native(config)
        self._state = _core.State(num_qubits, self._made, mesh)
        self._seeds = None

    def __enter__(self) -> "State":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory, once no array looks into it. Everything but close() is refused afterwards."""
        self._state.close()

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._state.closed

    @property
    def num_qubits(self) -> int:
        """Number of qubits."""
        return self._state.num_qubits

    @property
    def precision(self) -> str:
        """``"single"`` or ``"double"``."""
        return self._state.precision

    @property
    def layout(self) -> list[int]:
        """Physical bit of each qubit."""
        return self._state.layout()

    def apply(self, what: QuantumCircuit | str, *operands: Any, parameters: Values = None) -> "State":
        """Apply a circuit, or one gate by its name: ``apply("rx", 0, 0.3)``. Gates given one by one are planned together."""
        if isinstance(what, QuantumCircuit):
            if operands:
                raise TypeError("apply takes nothing beside a circuit but parameters")
            self._state.apply(what, parameters)
        elif isinstance(what, str):
            gate = QuantumCircuit()
            method = getattr(gate, what, None) if what in _GATES else None
            if method is None:
                raise OptionError(f"apply: there is no gate {what!r}")
            method(*operands)
            self._state.queue(gate if parameters is None else gate.bind(parameters))
        else:
            raise TypeError(f"apply: a QuantumCircuit or the name of a gate, not {described(what)}")
        return self

    def flush(self) -> "State":
        """Apply the gates that are waiting; every call that looks at the state does so first."""
        self._state.flush()
        return self

    def norm(self) -> float:
        """Square root of the sum of all probabilities: 1 up to rounding."""
        return math.sqrt(self._state.norm_squared())

    def probabilities(self, qubits: collections.abc.Iterable[int] | None = None) -> Array:
        """Probabilities of the outcomes of ``qubits`` (None: all); the first is the least significant bit."""
        return self._state.probabilities(qubits)

    def sample(self, shots: int, seed: int | None = None) -> dict[str, int]:
        """Counts of measuring all qubits, without collapse: character i of a key is qubit i."""
        if seed is None:
            if self._seeds is None:  # all ranks agree on the seed of a run
                first = _core.execute(QuantumCircuit(), self._made, 0, None)["distribution"]["seed"]
                self._seeds = (draw % 2**64 for draw in itertools.count(first))
            seed = next(self._seeds)
        return self._state.sample(shots, seed)

    def expectation(self, observables: Observables) -> list[float]:
        """Expectation values; observables as ``QuantumCircuit.estimate`` takes them."""
        return self._state.expectation(observables)

    def amplitudes(self, indices: collections.abc.Iterable[int]) -> Array:
        """Amplitudes of chosen basis states."""
        return self._state.amplitudes(indices)

    def measure(self, qubits: int | collections.abc.Iterable[int]) -> int:
        """Measure qubits and collapse; bit j of the result is ``qubits[j]``."""
        return self._state.measure([qubits] if isinstance(qubits, int) else qubits)

    def encode(self, data: npt.ArrayLike, method: str = "amplitude", layers: int = 2, entanglement: str = "full") -> "State":
        """Set the state to an encoding of one sample: amplitude, angle, basis, phase, iqp, iqp-z, zz-feature-map.

        ``layers`` and ``entanglement`` (full, linear, circular) are for zz-feature-map. Over ranks every rank keeps its own part.
        """
        self._state.encode(data, method, layers, entanglement)
        return self

    def snapshot(self) -> int:
        """Keep a copy of the state; returns a number for restore()."""
        return self._state.snapshot()

    def restore(self, snapshot: int) -> "State":
        """Go back to a snapshot."""
        self._state.restore(snapshot)
        return self

    def drop(self, snapshot: int) -> None:
        """Free a snapshot."""
        self._state.drop(snapshot)

    def local_shards(self, writable: bool = False) -> list[_core.Shard]:
        """Zero-copy views of this rank's shards: ``.numpy()``, DLPack, ``.device``, ``.range``.

        Amplitudes lie in physical order, read with ``layout``. Arrays keep the memory alive, after close() too; they are read-only
        unless ``writable``, and DLPack consumers that know no read-only arrays need writable ones.
        """
        return self._state.local_shards(writable)

    def gather(self, device: str = "cpu", writable: bool = False) -> _core.Shard:
        """All amplitudes in logical order in memory of their own on one device (``"cpu"``, ``"cuda:0"``), on every rank.

        The view is used as those of ``local_shards``; later changes of the state, and close(), do not reach it. What the device
        cannot hold raises DoesNotFit with the sizes.

        Examples
        --------
        >>> from ketmesh import State
        >>> State(2).apply("x", 1).gather().numpy().real
        array([0., 0., 1., 0.], dtype=float32)
        """
        return self._state.gather(device, writable)

    def canonicalise(self) -> "State":
        """Make physical order the logical one."""
        self._state.canonicalise()
        return self

    def to_host(self, begin: int = 0, end: int | None = None) -> Array:
        """Copy of the logical amplitudes begin .. end - 1."""
        return self._state.to_host(begin, end)

    def from_host(self, values: npt.ArrayLike, begin: int = 0) -> "State":
        """Overwrite the logical amplitudes from begin on."""
        self._state.from_host(begin, values)
        return self

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a checkpoint: every shard with a checksum, and a manifest that is renamed into place last."""
        self._state.save(os.fspath(folder))

    @classmethod
    def load(cls, folder: str | os.PathLike[str], config: SimulatorConfig | None = None) -> "State":
        """A state from a checkpoint, on any number of devices and shards; in its precision unless config names one."""
        self = cls.__new__(cls)
        self._made = _runs.native(config)
        self._state = _core.State.load(os.fspath(folder), self._made)
        self._seeds = None
        return self

    def save_npy(self, path: str | os.PathLike[str]) -> None:
        """Write all amplitudes in logical order as a .npy file."""
        self._state.write_npy(os.fspath(path))

    def distribution(self) -> dict[str, Any]:
        """What was done so far: passes, exchanges, bytes, devices."""
        return self._state.distribution()

    def __repr__(self) -> str:
        if self.closed:
            return "State(closed)"
        return f"State({self.num_qubits} qubits, {self.precision})"


_GATES = frozenset(name for row in _core.gate_table() for name in (row[0], *row[6])) | {"reset"}
