"""Plans, reports, OpenQASM, doctests, and the cases and scripts that lie beside a checkout."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import ketmesh as m
from ketmesh.circuits import QuantumCircuit

SHARED = pathlib.Path(os.environ.get("KETMESH_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))


def ghz(n):
    circuit = QuantumCircuit().h(0)
    for q in range(n - 1):
        circuit.cx(q, q + 1)
    return circuit


def test_plan():
    machine = m.model_machine(m.DistributedMpiCpu, ranks=4, memory_bytes=64 << 30)
    plan = m.plan(ghz(30), m.SimulatorConfig(simulator_type=m.DistributedCpu), machine)
    assert plan.num_qubits == 30 and plan.shards >= 4 and plan.num_stages == plan.num_exchanges + 1 and plan.fits
    assert plan == m.plan(ghz(30), m.SimulatorConfig(simulator_type=m.DistributedCpu), machine)
    assert "30 qubits" in repr(plan) and "memory" in repr(plan)
    assert plan._repr_html_().count("<tr>") == 1 + plan.num_stages
    assert sum(len(stage["passes"]) for stage in plan.stages) == plan.num_passes
    assert plan.memory["state_bytes"] == 8 << 30


def test_reports():
    report = m.doctor()
    assert report["version"] == m.__version__ and report["devices"][0]["id"] == "cpu" and report["capacities"]
    assert "cpu" in repr(report) and "<pre>" in report._repr_html_()
    assert "ketmesh" in repr(m.about())


def test_qasm_reader():
    reader = m.QasmToCirc()
    text = "OPENQASM 3.0; input float t; qubit q; bit c; rx(t) q; c = measure q;"
    assert reader.parse_and_translate(text, {"t": 0.0}).execute(shots=2)["counts"] == {"0": 2}
    assert reader.get_inputs() == ["t"] and not reader.failed()
    with pytest.raises(ValueError, match="t"):
        reader.parse_and_translate(text)
    assert reader.failed() and reader.get_error_message()
    with pytest.raises(TypeError):
        m.simple_execute(b"OPENQASM 2.0;")


def modules():
    return ["ketmesh"] + [f"ketmesh.{info.name}" for info in pkgutil.iter_modules(m.__path__) if info.name not in ("_core", "qiskit", "pennylane", "plot")]


@pytest.mark.parametrize("name", modules())
def test_doctests(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_finalize_ends_the_mpi_backend_only():
    code = (
        "import ketmesh as m; from ketmesh.circuits import QuantumCircuit as C\n"
        "m.finalize_distributed_mpi_gpu(); m.finalize_distributed_mpi_gpu()\n"
        "assert C().x(0).measure_all().execute(shots=1)['counts'] == {'1': 1}\n"
        "for kind in (m.DistributedMpiCpu, m.DistributedMpiGpu):\n"
        "    try: C().h(0).execute(m.SimulatorConfig(simulator_type=kind)); raise SystemExit('ran')\n"
        "    except RuntimeError as error: assert 'finalized' in str(error)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not (SHARED / "parity").is_dir(), reason="no parity cases beside this checkout")
def test_parity():
    command = [sys.executable, SHARED / "parity" / "run_parity.py", "ketmesh"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].endswith(", 0 failed"), done.stdout


@pytest.mark.skipif(not (SHARED / "parity").is_dir(), reason="no parity cases beside this checkout")
def test_script_of_one_process():
    environment = dict(os.environ, PARITY_TYPE="DistributedCpu", PARITY_QUBITS="24")
    done = subprocess.run([sys.executable, SHARED / "parity" / "script_one_process.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
