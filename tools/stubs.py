#!/usr/bin/env python3
"""Type stubs of what is made when the package is imported: ketmesh._core (with the methods that Python adds) and ketmesh.config.

    ./dev shell python tools/stubs.py [FOLDER]     writes them beside the sources, or into FOLDER

A test compares them with the package. Needs nanobind (tools/requirements-python.txt).
"""

import pathlib
import sys
import types
import typing

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "python" / "ketmesh"


HEAD = "# Written by tools/stubs.py; do not edit.\n"


def _generator(module):
    import numpy
    from nanobind.stubgen import StubGen

    class Generator(StubGen):
        """Unions and arrays as one writes them."""

        def type_str(self, tp):
            if isinstance(tp, types.UnionType):
                return " | ".join("None" if part is type(None) else self.type_str(part) for part in tp.__args__)
            if typing.get_origin(tp) is numpy.ndarray:
                return self.simplify_types("numpy.typing.NDArray[typing.Any]")
            return super().type_str(tp)

    return Generator(module, quiet=True, include_private=True)  # if_ counts as private


def core():
    """The extension, with the methods that Python adds to its classes."""
    import ketmesh

    module = ketmesh._core
    # What users see as ketmesh.circuits.QuantumCircuit is written where it is made.
    for cls in vars(module).values():
        if isinstance(cls, type) and not issubclass(cls, BaseException):
            cls.__module__ = module.__name__
            for name, member in vars(cls).items():
                if isinstance(member, types.FunctionType):
                    member.__module__ = module.__name__
                    member.__name__ = name if name.startswith("_") else member.__name__
    generator = _generator(module)
    generator.put(module)
    return HEAD + generator.get()


def config():
    """SimulatorConfig, whose fields are rows of a table."""
    import ketmesh.config

    kinds = {name: check.kind for name, (_, check) in ketmesh.config._FIELDS.items()}
    generator = _generator(ketmesh.config)
    shown = {name: generator.type_str(kind).replace("ketmesh.enums.", "").replace("collections.abc.", "") for name, kind in kinds.items()}
    lines = [
        '"""SimulatorConfig: where and how a simulation runs."""',
        "",
        "from collections.abc import Mapping",
        "from typing import Any",
        "",
        "from .enums import SimulationType, SimulatorType",
        "",
        "class SimulatorConfig:",
        "    def __init__(",
        "        self,",
        "        *,",
        *[f"        {name}: {kind} = ...," for name, kind in shown.items()],
        "    ) -> None: ...",
        *[f"    {name}: {kind}" for name, kind in shown.items()],
        "    def __eq__(self, other: object) -> bool: ...",
        "    def __copy__(self) -> SimulatorConfig: ...",
        "    def __deepcopy__(self, memo: Any) -> SimulatorConfig: ...",
        "",
    ]
    return HEAD + "\n".join(lines)


STUBS = {"_core": core, "config": config}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES
    for name, make in STUBS.items():
        (folder / f"{name}.pyi").write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
