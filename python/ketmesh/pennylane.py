"""A PennyLane device: ``qml.device("ketmesh", wires=...)``. Needs ``pip install pennylane``.

The engine evolves states, computes energies of Pauli sums and their gradients by the adjoint method; what else PennyLane measures is read from the
amplitudes with its own functions. Double precision is the default.
"""

import dataclasses
import itertools

import numpy as np
import pennylane as qml
from pennylane.devices import Device
from pennylane.devices.execution_config import ExecutionConfig
from pennylane.devices.modifiers import simulator_tracking, single_tape_support
from pennylane.devices.preprocess import (
    decompose,
    no_sampling,
    validate_adjoint_trainable_params,
    validate_device_wires,
    validate_measurements,
    validate_observables,
)
from pennylane.devices.qubit.measure import measure
from pennylane.devices.qubit.sampling import measure_with_samples
from pennylane.measurements import ExpectationMP, SampleMeasurement, StateMeasurement
from pennylane.ops import Adjoint, Controlled
from pennylane.operation import StatePrepBase
from pennylane.transforms import broadcast_expand, defer_measurements

from . import _core, _runs
from .circuits import Parameter, PauliSum, QuantumCircuit
from .config import SimulatorConfig

_WIDEST_MATRIX = 8

#: PennyLane's name -> row of the gate table, same operands and angles.
_GATES = {
    "Identity": "id",
    "PauliX": "x",
    "PauliY": "y",
    "PauliZ": "z",
    "Hadamard": "h",
    "S": "s",
    "T": "t",
    "SX": "sx",
    "CNOT": "cx",
    "CY": "cy",
    "CZ": "cz",
    "CH": "ch",
    "SWAP": "swap",
    "ISWAP": "iswap",
    "CSWAP": "cswap",
    "Toffoli": "ccx",
    "CCZ": "ccz",
    "RX": "rx",
    "RY": "ry",
    "RZ": "rz",
    "PhaseShift": "p",
    "U1": "p",
    "U2": "u2",
    "U3": "u",
    "CRX": "crx",
    "CRY": "cry",
    "CRZ": "crz",
    "ControlledPhaseShift": "cp",
    "CPhase": "cp",
    "IsingXX": "rxx",
    "IsingYY": "ryy",
    "IsingZZ": "rzz",
}
_OTHERS = {"Rot", "CRot", "MultiRZ", "PauliRot", "GlobalPhase", "QubitUnitary", "DiagonalQubitUnitary", "BasisState", "StatePrep", "Barrier", "Snapshot", "MultiControlledX"}


_WITH_ARRAYS = {"QubitUnitary", "DiagonalQubitUnitary", "BasisState", "StatePrep"}


def _supported(op):
    if isinstance(op, Adjoint):
        return _supported(op.base) and op.base.name not in ("BasisState", "StatePrep")
    if isinstance(op, Controlled) and op.name not in _GATES and op.name not in _OTHERS:
        return _supported(op.base)
    if op.name in _GATES or op.name in _OTHERS:
        return op.name not in ("QubitUnitary", "DiagonalQubitUnitary") or len(op.wires) <= _WIDEST_MATRIX
    return op.has_matrix and (len(op.wires) <= 2 or (len(op.wires) <= _WIDEST_MATRIX and not op.has_decomposition))


def _has_angles(op):
    """Whether the parameters of a supported operation reach the engine as angles that it derives by."""
    if isinstance(op, Adjoint) or (isinstance(op, Controlled) and op.name not in _GATES and op.name not in _OTHERS):
        return _has_angles(op.base)
    return op.name in _GATES or (op.name in _OTHERS and op.name not in _WITH_ARRAYS)


def _supported_by_adjoint(op):
    return _supported(op) and (_has_angles(op) or not any(qml.math.requires_grad(d) for d in op.data))


def _append(circuit, op, wires, angles):
    """Adds op; ``wires`` maps labels to qubits, ``angles`` are its parameters as numbers or named."""
    name = op.name
    qubits = [wires[w] for w in op.wires]
    gate = _GATES.get(name)
    if gate is not None:
        if gate != "id":
            circuit.append(gate, qubits, angles)
    elif name in ("Barrier", "Snapshot"):
        pass
    elif name == "Rot":
        phi, theta, omega = angles
        circuit.rz(qubits[0], phi).ry(qubits[0], theta).rz(qubits[0], omega)
    elif name == "MultiRZ":
        circuit.rotation("Z" * len(qubits), qubits, angles[0])
    elif name == "PauliRot":
        word = op.hyperparameters["pauli_word"]
        acting = [(letter, qubit) for letter, qubit in zip(word, qubits, strict=True) if letter != "I"]
        if acting:
            circuit.rotation("".join(letter for letter, _ in acting), [qubit for _, qubit in acting], angles[0])
        else:
            circuit.gphase(-1 * angles[0] / 2)
    elif name == "GlobalPhase":
        circuit.gphase(-1 * angles[0])
    elif name == "QubitUnitary":
        circuit.unitary(qml.math.toarray(op.matrix()), qubits[::-1])  # PennyLane's first wire is the most significant bit
    elif name == "DiagonalQubitUnitary":
        circuit.diagonal(qml.math.toarray(op.data[0]), qubits[::-1])
    elif name == "BasisState":
        for bit, qubit in zip(np.asarray(op.data[0]).reshape(-1), qubits, strict=True):
            if int(bit):
                circuit.x(qubit)
    elif isinstance(op, StatePrepBase):  # the first of a tape comes as it is: amplitudes, embeddings, windows
        circuit.initialize(np.asarray(qml.math.toarray(op.state_vector()), complex).reshape(-1), qubits[::-1])
    elif isinstance(op, Adjoint):
        inner = QuantumCircuit()
        _append(inner, op.base, wires, angles)
        circuit.compose(inner.inverse())
    elif isinstance(op, Controlled):
        inner = QuantumCircuit()
        _append(inner, op.base, wires, angles)
        values = getattr(op, "control_values", [True] * len(op.control_wires))
        controls = [(wires[w], int(bool(v))) for w, v in zip(op.control_wires, values, strict=True)]
        circuit.compose(inner.controlled(controls))
    else:
        circuit.unitary(qml.math.toarray(op.matrix()), qubits[::-1])


def _translate(tape, wires, n, named=()):
    """The circuit of a tape; parameters whose number is in ``named`` are called t0, t1, ... in that order."""
    circuit = QuantumCircuit()
    circuit.id(n - 1)
    names = {number: Parameter(f"t{k}") for k, number in enumerate(named)}
    number = 0
    for op in tape.operations:
        angles = []
        for value in op.data:
            angles.append(names[number] if number in names else value)
            number += 1
        angles = [a if isinstance(a, Parameter) or qml.math.ndim(a) else float(qml.math.toarray(a)) for a in angles]
        _append(circuit, op, wires, angles)
    return circuit


def _pauli_sum(observable, wires):
    """The observable as the engine reads it, or None when it is no sum of Pauli words."""
    rep = observable.pauli_rep
    if rep is None:
        return None
    terms = []
    for word, coefficient in rep.items():
        letters = ["I"] * len(wires)
        for wire, letter in word.items():
            letters[wires[wire]] = letter
        value = complex(qml.math.toarray(coefficient))
        if abs(value.imag) > 1e-12:
            return None
        terms.append((value.real, "".join(letters)))
    return PauliSum(terms) if terms else PauliSum([(0.0, "")])


def _is_energy(m):
    return isinstance(m, ExpectationMP) and m.obs is not None and m.obs.pauli_rep is not None


def _accepts_analytic(m):
    return isinstance(m, StateMeasurement)


def _accepts_samples(m):
    return isinstance(m, SampleMeasurement) or type(m).__name__ in ("ClassicalShadowMP", "ShadowExpvalMP")


@qml.transform
def _without_snapshots(tape):
    """A gradient looks at no state on its way."""
    kept = [op for op in tape.operations if op.name != "Snapshot"]
    return (tape.copy(operations=kept),), lambda results: results[0]


@simulator_tracking
@single_tape_support
class KetmeshDevice(Device):
    """The device ``ketmesh``.

    Parameters
    ----------
    wires : int or iterable, optional
    shots : int, optional
    config : SimulatorConfig, optional
        Where it runs; double precision when it is not given.
    seed : int, optional
        Of the samples.
    """

    def __init__(self, wires=None, shots=None, config=None, seed=None):
        super().__init__(wires=wires, shots=shots)
        if config is None:
            config = SimulatorConfig(precision="double")
        self._config = config
        self._native = _runs.native(config)
        self._rng = np.random.default_rng(seed if seed is not None else config.seed)

    @property
    def name(self):
        return "ketmesh"

    def setup_execution_config(self, config=None, circuit=None):
        config = config or ExecutionConfig()
        updated = {}
        method = config.gradient_method
        if method == "best" and (circuit is None or self._derives(circuit)):
            method = updated["gradient_method"] = "adjoint"
        if method == "device":
            method = updated["gradient_method"] = "adjoint"
        if config.use_device_gradient is None:
            updated["use_device_gradient"] = method == "adjoint"
        if config.grad_on_execution is None:
            updated["grad_on_execution"] = method == "adjoint"
        if config.use_device_jacobian_product is None:
            updated["use_device_jacobian_product"] = False
        mcm = config.mcm_config
        if mcm.mcm_method not in (None, "deferred", "device"):
            raise qml.exceptions.DeviceError(f"mcm_method='{mcm.mcm_method}' is not supported by ketmesh: use 'deferred'")
        updated["mcm_config"] = dataclasses.replace(mcm, mcm_method="deferred")
        return dataclasses.replace(config, **updated)

    def preprocess_transforms(self, execution_config=None):
        config = execution_config or ExecutionConfig()
        program = qml.CompilePipeline()
        program.add_transform(defer_measurements, allow_postselect=False)
        adjoint = config.gradient_method == "adjoint" and config.use_device_gradient
        program.add_transform(
            decompose,
            stopping_condition=_supported_by_adjoint if adjoint else _supported,
            device_wires=self.wires,
            target_gates=set(_GATES) | (_OTHERS - {"Snapshot"}),
            name=self.name,
            skip_initial_state_prep=True,
        )
        program.add_transform(validate_device_wires, self.wires, name=self.name)
        program.add_transform(
            validate_measurements, analytic_measurements=_accepts_analytic, sample_measurements=_accepts_samples, name=self.name
        )
        program.add_transform(broadcast_expand)
        if adjoint:
            program.add_transform(_without_snapshots)
            program.add_transform(no_sampling, name="adjoint + ketmesh")
            program.add_transform(validate_observables, lambda obs: obs.pauli_rep is not None, name="adjoint + ketmesh")
            program.add_transform(
                validate_measurements, analytic_measurements=_is_energy, sample_measurements=lambda m: False, name="adjoint + ketmesh"
            )
            program.add_transform(validate_adjoint_trainable_params)
        return program

    def execute(self, circuits, execution_config=None):
        return tuple(self._execute(tape) for tape in circuits)

    def _on_qubits(self, tape):
        """(tape on wires 0 .. n-1, n, label -> qubit). Wire 0 is the most significant bit of PennyLane's index: the highest qubit."""
        if self.wires is None:
            tape = tape.map_to_standard_wires()
            order = list(range(tape.num_wires))
        else:
            order = list(self.wires)
            if order != list(range(len(order))):
                (tape,), _ = qml.map_wires(tape, {w: k for k, w in enumerate(order)})
        n = max(len(order), 1)
        return tape, n, {k: n - 1 - k for k in range(n)}

    def _execute(self, tape):
        tape, n, wires = self._on_qubits(tape)
        circuit = _translate(tape, wires, n)
        measured = tape.measurements
        if tape.shots:
            state = self._state(circuit, n)
            results = measure_with_samples(measured, state, shots=tape.shots, rng=self._rng)
            if tape.shots.has_partitioned_shots:
                return tuple(tuple(part) if len(measured) > 1 else part[0] for part in results)
            return results[0] if len(measured) == 1 else tuple(results)
        energies = [_pauli_sum(m.obs, wires) if _is_energy(m) else None for m in measured]
        found = iter(())
        wanted = [e for e in energies if e is not None]
        if wanted:
            found = iter(_core.estimate(circuit, wanted, self._native, None)["expectation_values"])
        state = self._state(circuit, n) if len(wanted) < len(measured) else None
        results = tuple(np.float64(next(found)) if e is not None else measure(m, state) for m, e in zip(measured, energies, strict=True))
        return results[0] if len(results) == 1 else results

    def _state(self, circuit, n):
        return _core.statevector(circuit, self._native, None).reshape((2,) * n)

    # ---- gradients

    def _derives(self, tape):
        """Whether the engine has the derivatives of a tape, after decompositions."""
        energies = not tape.shots and all(_is_energy(m) for m in tape.measurements)
        return energies and all(_supported_by_adjoint(op) or op.has_decomposition for op in tape.operations)

    def supports_derivatives(self, execution_config=None, circuit=None):
        if execution_config is None:
            return True
        if execution_config.gradient_method not in ("adjoint", "device", "best"):
            return False
        return circuit is None or self._derives(circuit)

    def compute_derivatives(self, circuits, execution_config=None):
        return tuple(self._derive(tape)[1] for tape in circuits)

    def execute_and_compute_derivatives(self, circuits, execution_config=None):
        both = [self._derive(tape) for tape in circuits]
        return tuple(values for values, _ in both), tuple(jacobian for _, jacobian in both)

    def _derive(self, tape):
        tape, n, wires = self._on_qubits(tape)
        trainable = list(tape.trainable_params)
        flat = list(itertools.chain.from_iterable(op.data for op in tape.operations))
        circuit = _translate(tape, wires, n, trainable)
        names = [f"t{k}" for k in range(len(trainable))]
        values = {name: float(qml.math.toarray(flat[number])) for name, number in zip(names, trainable, strict=True)}
        sums = [_pauli_sum(m.obs, wires) for m in tape.measurements]
        present = set(circuit.parameter_names)
        known = [name for name in names if name in present]
        found = _core.gradient(circuit, sums, self._native, {name: values[name] for name in known}, known, False)
        jacobian = np.zeros((len(sums), len(names)))
        if known:
            jacobian[:, [names.index(name) for name in known]] = found["jacobian"]
        energies = tuple(np.float64(v) for v in found["expectation_values"])
        rows = tuple(tuple(np.array(x) for x in row) if len(row) != 1 else np.array(row[0]) for row in jacobian)
        return (energies, rows) if len(sums) > 1 else (energies[0], rows[0])
