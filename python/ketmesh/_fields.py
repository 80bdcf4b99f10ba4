"""Fields of SimulatorConfig: one row each with its check. A check returns the value to keep, or raises; its ``kind`` is the type for stubs."""

import collections.abc
import enum
import math
import numbers
import operator
from typing import Any

from . import _core
from .errors import OptionError, described


def _integer(low, high):
    def check(name, value):
        if isinstance(value, bool) or not hasattr(type(value), "__index__"):
            raise TypeError(f"{name} must be an integer, not {described(value)}")
        number = operator.index(value)
        if not low <= number <= high:
            raise OptionError(f"{name} = {number}: must be an integer from {low} to {high}")
        return number

    check.kind = int
    return check


def _real(name, value):
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, not {described(value)}")
    if not (math.isfinite(value) and value >= 0):
        raise OptionError(f"{name} = {value}: must be finite and not negative")
    return float(value)


def _flag(name, value):
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {described(value)}")
    return value


def _word(*words):
    def check(name, value):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a str, not {described(value)}")
        if value not in words:
            raise OptionError(f"{name} = {value!r}: must be one of {', '.join(words)}")
        return value

    check.kind = str
    return check


def _member(cls: type[enum.Enum]):
    def check(name, value):
        if not isinstance(value, cls):
            raise TypeError(f"{name} must be a member of {cls.__name__}, not {described(value)}")
        return value

    check.kind = cls
    return check


def _text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {described(value)}")
    return value


def _options(name, value):
    if not isinstance(value, collections.abc.Mapping):
        raise TypeError(f"{name} must be a mapping of str to str, not {described(value)}")
    value = dict(value)
    if hasattr(value.get("mpi_communicator"), "py2f"):  # a communicator of mpi4py as it is
        value["mpi_communicator"] = str(value["mpi_communicator"].py2f())
    for key, text in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{name}: a key must be a str, not {described(key)}")
        if not isinstance(text, str):
            raise TypeError(f"{name}[{key!r}] must be a str, not {described(text)}")
        _core._check_option(key, text)
    return value


def optional(check):
    """None clears the field."""

    def cleared(name, value):
        return None if value is None else check(name, value)

    cleared.kind = check.kind | None
    return cleared


_real.kind, _flag.kind, _text.kind, _options.kind = float, bool, str, collections.abc.Mapping[str, Any]

integer, real, flag, word, member, text, options = _integer, _real, _flag, _word, _member, _text, _options
