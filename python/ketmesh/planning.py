"""Plans, and what this machine has."""

import json
from typing import Any

from . import _core, _runs
from . import _fields as check
from ._core import Plan
from .config import SimulatorConfig
from .enums import BACKENDS, SimulatorType
from .errors import OptionError
from .qasm import to_circuit

Plan.__module__ = "ketmesh"


def plan(circuit: _core.QuantumCircuit | str, config: SimulatorConfig | None = None, machine: str | dict[str, Any] | None = None) -> Plan:
    """What a run would do, without touching memory: stages, passes, exchanges, bytes, predicted seconds.

    Parameters
    ----------
    circuit : QuantumCircuit or str
    config : SimulatorConfig, optional
    machine : str or Machine-like dict, optional
        A machine file's text, or ``model_machine(...)``; None: this machine.

    Examples
    --------
    >>> import ketmesh
    >>> from ketmesh.circuits import QuantumCircuit
    >>> ketmesh.plan(QuantumCircuit().h(0).cx(0, 1)).num_exchanges
    0
    """
    made = _runs.native(config)
    if isinstance(machine, dict):
        machine = json.dumps(machine)
    return _core.plan(to_circuit(circuit), made, machine)


def model_machine(
    simulator_type: SimulatorType = SimulatorType.Auto, ranks: int = 1, devices_per_rank: int = 1, memory_bytes: int | None = None
) -> str:
    """A machine that need not exist, for ``plan``: its text as a machine file."""
    backend = BACKENDS.get(check.member(SimulatorType)("simulator_type", simulator_type))
    if backend is None:
        raise OptionError(f"simulator_type = {simulator_type.name}: must be one of {', '.join(kind.name for kind in BACKENDS)}")
    ranks = check.integer(1, 65536)("ranks", ranks)
    return _core.model_machine(backend, ranks, check.integer(1, 65536)("devices_per_rank", devices_per_rank), memory_bytes)


def _plan_html(self):
    rows = "".join(
        f"<tr><td>{k}</td><td>{len(stage['passes'])}</td><td>{sum(p['steps'] for p in stage['passes'])}</td>"
        f"<td>{', '.join(f'{a}-{b}' for a, b in stage['exchange'])}</td><td>{stage['exchange_bytes']}</td></tr>"
        for k, stage in enumerate(self.stages)
    )
    return (
        f"<table><caption>{self.num_qubits} qubits, {self.precision} precision, {self.shards} shards, "
        f"{self.seconds_total:.3g} s predicted</caption>"
        "<tr><th>stage</th><th>passes</th><th>steps</th><th>exchange (local-global bit)</th><th>bytes</th></tr>"
        f"{rows}</table>"
    )


Plan._repr_html_ = _plan_html


class Report(dict[str, Any]):
    """A dict whose text is a table."""

    def __repr__(self):
        lines = []
        for key, value in self.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for entry in value:
                    lines.append(f"{key:<12} " + ", ".join(f"{name} {part}" for name, part in entry.items() if part not in ("", None)))
            else:
                lines.append(f"{key:<12} {', '.join(map(str, value)) if isinstance(value, list) else value}")
        return "\n".join(lines)

    def _repr_html_(self):
        return "<pre>" + _runs._escaped(repr(self)) + "</pre>"


def doctor() -> Report:
    """What this machine has: devices and their memory, instruction sets, plugins and why not, the largest n of each placement."""
    return Report(_core.machine_report())


def about() -> Report:
    """Version, Python, platform and libraries, for a report of a problem."""
    import platform

    import numpy

    return Report(
        ketmesh=_core.__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        numpy=numpy.__version__,
        library=_core.__file__,
    )
