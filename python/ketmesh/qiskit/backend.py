"""A Qiskit backend."""

import datetime
import uuid

from qiskit.circuit import ForLoopOp, IfElseOp, SwitchCaseOp
from qiskit.circuit.library import Barrier, Diagonal, Initialize, MCPhaseGate, MCXGate, PauliGate, UnitaryGate
from qiskit.circuit.library.standard_gates import get_standard_gate_name_mapping
from qiskit.providers import BackendV2, JobStatus, JobV1, Options
from qiskit.result import Result
from qiskit.transpiler import Target

from .. import _core
from ..config import SimulatorConfig
from .translate import translate
from ..errors import described

_WIDE = {
    "barrier": Barrier,
    "unitary": UnitaryGate,
    "initialize": Initialize,
    "pauli": PauliGate,
    "mcx": MCXGate,
    "mcphase": MCPhaseGate,
    "diagonal": Diagonal,
    "if_else": IfElseOp,
    "for_loop": ForLoopOp,
    "switch_case": SwitchCaseOp,
}


def default_config(config):
    """The adapters compute in double precision unless they are told otherwise."""
    if config is None:
        return SimulatorConfig(precision="double")
    if not isinstance(config, SimulatorConfig):
        raise TypeError(f"config must be a SimulatorConfig, not {described(config)}")
    return config


def with_seed(config, seed):
    """The configuration with another seed."""
    if seed is None:
        return config
    twin = config.__copy__()
    twin.seed = seed
    return twin


class KetmeshBackend(BackendV2):
    """Runs Qiskit circuits, dynamic ones too; ``transpile`` leaves what it knows as it is.

    Parameters
    ----------
    config : SimulatorConfig, optional
        Where it runs; double precision when it is not given.
    num_qubits : int, optional
        Width of the target; by default the largest state that fits in this machine's memory.
    """

    def __init__(self, config=None, num_qubits=None, **options):
        super().__init__(name="ketmesh", description="Distributed state vector", backend_version=_core.__version__)
        self._config = default_config(config)
        self.options.update_options(**options)
        if num_qubits is None:
            capacity = _core.machine_report()["capacities"][0]
            num_qubits = capacity["single_qubits" if self._config.precision == "single" else "double_qubits"]
        self._target = Target(description="ketmesh", num_qubits=num_qubits)
        for name, gate in get_standard_gate_name_mapping().items():
            self._target.add_instruction(gate, None, name=name)
        for name, cls in _WIDE.items():
            self._target.add_instruction(cls, None, name=name)

    @property
    def target(self):
        return self._target

    @property
    def max_circuits(self):
        return None

    @classmethod
    def _default_options(cls):
        return Options(shots=1024, seed_simulator=None, memory=False)

    def run(self, run_input, **options):
        """Count shots of one circuit or several; returns a job whose ``result()`` is Qiskit's."""
        circuits = run_input if isinstance(run_input, list | tuple) else [run_input]
        unknown = set(options) - {"shots", "seed_simulator", "memory"}
        if unknown:
            raise TypeError(f"run has no option {sorted(unknown)[0]!r}")
        settings = {name: options.get(name, getattr(self.options, name)) for name in ("shots", "seed_simulator", "memory")}
        config = with_seed(self._config, settings["seed_simulator"])
        return KetmeshJob(self, [_run_one(circuit, config, settings) for circuit in circuits])

    def statevector(self, circuit, parameters=None):
        """All amplitudes of a circuit, measurements at its end left out; ``parameters`` is ``{qiskit Parameter: number}``."""
        made = translate(circuit)
        return made.circuit.get_statevector(self._config, parameters=made.values(parameters or {}))


def _run_one(circuit, config, settings):
    made = translate(circuit)
    result = made.circuit.execute(config, settings["shots"])
    counts = {}
    for key, count in result["counts"].items():
        value = int(key[: made.num_clbits][::-1] or "0", 2)
        counts[hex(value)] = counts.get(hex(value), 0) + count
    data = {"counts": counts}
    if settings["memory"]:
        data["memory"] = shuffled([key for key, count in counts.items() for _ in range(count)], result["distribution"]["seed"])
    return {
        "shots": settings["shots"],
        "success": True,
        "status": "DONE",
        "seed_simulator": result["distribution"]["seed"],
        "time_taken": result["time_taken"],
        "metadata": result["distribution"],
        "data": data,
        "header": {
            "name": circuit.name,
            "metadata": circuit.metadata,
            "memory_slots": circuit.num_clbits,
            "n_qubits": circuit.num_qubits,
            "creg_sizes": [[register.name, register.size] for register in circuit.cregs],
            "qreg_sizes": [[register.name, register.size] for register in circuit.qregs],
        },
    }


def shuffled(values, seed):
    """Shots come as counts; their order is drawn from the seed."""
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(values))
    return [values[k] for k in order]


class KetmeshJob(JobV1):
    """A job that is done when it is made."""

    def __init__(self, backend, experiments):
        super().__init__(backend, str(uuid.uuid4()))
        self._result = Result.from_dict(
            {
                "backend_name": backend.name,
                "backend_version": backend.backend_version,
                "job_id": self.job_id(),
                "qobj_id": self.job_id(),
                "success": True,
                "date": datetime.datetime.now().isoformat(),
                "results": experiments,
            }
        )

    def submit(self):
        """Nothing is left to do."""

    def result(self):
        return self._result

    def status(self):
        return JobStatus.DONE

    def cancel(self):
        return False
