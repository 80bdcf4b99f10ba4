"""Names of the types that several functions take."""

import collections.abc
from typing import Any, TypeAlias

import numpy as np

from . import _core

Circuit: TypeAlias = _core.QuantumCircuit
Array: TypeAlias = np.ndarray[Any, Any]
#: Values of a circuit's named parameters.
Values: TypeAlias = collections.abc.Mapping[str | _core.Parameter, float] | None
#: Lists of angles.
Angles: TypeAlias = collections.abc.Iterable[Any]
_Observable: TypeAlias = str | _core.PauliSum | collections.abc.Mapping[str, float]
#: "ZZ;XI", one weighted sum, or a list of strings and sums.
Observables: TypeAlias = _Observable | collections.abc.Iterable[_Observable]
