"""Every exception that ketmesh raises on its own account; wrong types are TypeError.

``hint`` says what to do about it; errors of a text have ``file``, ``line`` and ``column``.
"""


def described(value):
    """Type and value, for messages: ``str 'abc'``."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


class Error(Exception):
    """Base of the exceptions below."""

    hint = ""


class ParseError(Error, ValueError):
    """OpenQASM text that cannot be understood."""

    file = line = column = None


class CircuitError(Error, ValueError):
    """A gate, qubit, parameter or observable that cannot be."""

    file = line = column = None


class OptionError(Error, ValueError):
    """An option whose value is out of its range, or options that exclude each other."""


class DoesNotFit(Error, MemoryError):
    """A request larger than the memory; ``needed_bytes`` and ``available_bytes`` are those of the fullest device."""

    needed_bytes = available_bytes = None


class BackendUnavailable(Error, RuntimeError):
    """A backend that was asked for by name and cannot run here."""


class TransportError(Error, RuntimeError):
    """A rank that differs or is lost, or a transfer that failed."""


class IoError(Error, OSError):
    """A file that cannot be read or written."""


class Internal(Error, RuntimeError):
    """A broken promise inside the library; please report."""
