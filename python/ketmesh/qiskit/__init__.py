"""Qiskit circuits on ketmesh: a backend, a sampler and an estimator. Needs ``pip install qiskit``.

Bit strings, amplitudes and Pauli labels are in Qiskit's order here. Double precision is the default.
"""

from .backend import KetmeshBackend
from .primitives import EstimatorV2, SamplerV2
from .translate import Translated, translate

__all__ = ["EstimatorV2", "KetmeshBackend", "SamplerV2", "Translated", "translate"]
