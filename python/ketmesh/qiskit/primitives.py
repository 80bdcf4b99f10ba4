"""Qiskit's second primitives."""

import warnings

import numpy as np
from qiskit.primitives import BaseEstimatorV2, BaseSamplerV2
from qiskit.primitives.containers import BitArray, DataBin, PrimitiveResult, PubResult, SamplerPubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.sampler_pub import SamplerPub
from qiskit.primitives.primitive_job import PrimitiveJob

from ..circuits import PauliSum
from ..errors import CircuitError
from .backend import default_config, with_seed
from .translate import translate

#: Projectors as sums of Pauli letters.
_LETTERS = {letter: ((letter, 1.0),) for letter in "IXYZ"} | {
    "0": (("I", 0.5), ("Z", 0.5)),
    "1": (("I", 0.5), ("Z", -0.5)),
    "+": (("I", 0.5), ("X", 0.5)),
    "-": (("I", 0.5), ("X", -0.5)),
    "r": (("I", 0.5), ("Y", 0.5)),
    "l": (("I", 0.5), ("Y", -0.5)),
}


class _Seeds:
    """One seed a run: the given one for all, or draws of a generator, or None."""

    def __init__(self, seed):
        self._seed = seed

    def next(self):
        if isinstance(self._seed, np.random.Generator):
            return int(self._seed.integers(1 << 63))
        return None if self._seed is None else int(self._seed)


def _bindings(pub):
    """(index, {parameter: number}) of each parameter set of a pub."""
    parameters = list(pub.circuit.parameters)
    values = pub.parameter_values.as_array(parameters) if parameters else np.empty((*pub.parameter_values.shape, 0))
    for index in np.ndindex(*pub.parameter_values.shape):
        yield index, dict(zip(parameters, values[index].tolist(), strict=True))


class SamplerV2(BaseSamplerV2):
    """Samples circuits; dynamic ones too.

    Parameters
    ----------
    config : SimulatorConfig, optional
    default_shots : int
    seed : int or numpy Generator, optional
    """

    def __init__(self, config=None, *, default_shots=1024, seed=None):
        self._config = default_config(config)
        self._default_shots = default_shots
        self._seed = seed

    @property
    def default_shots(self):
        """Shots of a pub that names none."""
        return self._default_shots

    @property
    def seed(self):
        """Seed or generator."""
        return self._seed

    def run(self, pubs, *, shots=None):
        """A job for pubs ``(circuit, parameter values, shots)``."""
        coerced = [SamplerPub.coerce(pub, self._default_shots if shots is None else shots) for pub in pubs]
        if any(len(pub.circuit.cregs) == 0 for pub in coerced):
            warnings.warn("a circuit has no classical register, so its result is empty", UserWarning, stacklevel=2)
        job = PrimitiveJob(self._run, coerced)
        job._submit()
        return job

    def _run(self, pubs):
        seeds = _Seeds(self._seed)
        return PrimitiveResult([self._run_pub(pub, seeds) for pub in pubs], metadata={"version": 2})

    def _run_pub(self, pub, seeds):
        made = translate(pub.circuit)
        registers = [(register.name, [pub.circuit.find_bit(bit).index for bit in register]) for register in pub.circuit.cregs]
        packed = {name: np.zeros((*pub.shape, pub.shots, (len(bits) + 7) // 8), np.uint8) for name, bits in registers}
        for index, binding in _bindings(pub):
            result = made.circuit.execute(with_seed(self._config, seeds.next()), pub.shots, parameters=made.values(binding))
            shots = _shots(result, made.num_clbits, pub.shots)
            for name, bits in registers:
                # Most significant bit first, padded on its left to whole bytes.
                columns = np.zeros((pub.shots, packed[name].shape[-1] * 8), np.uint8)
                if bits:
                    columns[:, -len(bits) :] = shots[:, bits[::-1]]
                packed[name][index] = np.packbits(columns, axis=1)
        data = {name: BitArray(packed[name], len(bits)) for name, bits in registers}
        return SamplerPubResult(
            DataBin(**data, shape=pub.shape), metadata={"shots": pub.shots, "circuit_metadata": pub.circuit.metadata}
        )


def _shots(result, num_clbits, shots):
    """[shots][classical bits], in an order drawn from the seed."""
    rows = np.zeros((shots, num_clbits), np.uint8)
    start = 0
    for key, count in result["counts"].items():
        bits = np.frombuffer(key.encode(), np.uint8)[:num_clbits] - ord("0")
        rows[start : start + count, : len(bits)] = bits
        start += count
    return rows[np.random.default_rng(result["distribution"]["seed"]).permutation(shots)]


class EstimatorV2(BaseEstimatorV2):
    """Expectation values, exact up to rounding; with a precision, normal noise of that deviation is added as shots would.

    Parameters
    ----------
    config : SimulatorConfig, optional
    default_precision : float
    seed : int or numpy Generator, optional
    """

    def __init__(self, config=None, *, default_precision=0.0, seed=None):
        self._config = default_config(config)
        self._default_precision = default_precision
        self._seed = seed

    @property
    def default_precision(self):
        """Precision of a pub that names none."""
        return self._default_precision

    @property
    def seed(self):
        """Seed or generator."""
        return self._seed

    def run(self, pubs, *, precision=None):
        """A job for pubs ``(circuit, observables, parameter values, precision)``."""
        coerced = [EstimatorPub.coerce(pub, self._default_precision if precision is None else precision) for pub in pubs]
        job = PrimitiveJob(self._run, coerced)
        job._submit()
        return job

    def _run(self, pubs):
        return PrimitiveResult([self._run_pub(pub) for pub in pubs], metadata={"version": 2})

    def _run_pub(self, pub):
        made = translate(pub.circuit)
        if made.circuit.is_dynamic:
            raise CircuitError("a circuit with a reset or a measurement before its end has no one expectation value")
        rng = np.random.default_rng(self._seed)
        evs = np.zeros(pub.shape)
        # Every observable that one parameter set meets is read from one evolution.
        sets = np.empty(pub.parameter_values.shape, dtype=object)
        for index, binding in _bindings(pub):
            sets[index] = binding
        at_sets, observables = np.broadcast_arrays(_numbers(sets.shape), pub.observables)
        wanted = {}
        for index in np.ndindex(*at_sets.shape):
            wanted.setdefault(int(at_sets[index]), []).append(index)
        flat = sets.reshape(-1)
        for number, indices in wanted.items():
            sums = [_pauli_sum(observables[index]) for index in indices]
            values = made.circuit.estimate(sums, self._config, parameters=made.values(flat[number]))["expectation_values"]
            for index, value in zip(indices, values, strict=True):
                evs[index] = value
        if pub.precision:
            evs = rng.normal(evs, pub.precision)
        data = DataBin(evs=evs, stds=np.zeros(pub.shape), shape=pub.shape)
        return PubResult(data, metadata={"target_precision": pub.precision, "circuit_metadata": pub.circuit.metadata})


def _numbers(shape):
    return np.arange(int(np.prod(shape, dtype=int))).reshape(shape)


def _pauli_sum(observable):
    """Qiskit's ``{label: coefficient}``, whose last letter is qubit 0."""
    terms = []
    for label, coefficient in observable.items():
        parts = [(complex(coefficient).real, "")]
        for letter in reversed(label):
            parts = [(weight * factor, letters + pauli) for weight, letters in parts for pauli, factor in _LETTERS[letter]]
        terms += parts
    return PauliSum(terms)
