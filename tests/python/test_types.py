"""The committed type stubs are those of this package, and a user's program passes a type checker with them."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import ketmesh

ROOT = pathlib.Path(__file__).resolve().parents[2]
WRITE = "import sys; sys.path.insert(0, sys.argv[1]); import stubs; print(stubs.STUBS[sys.argv[2]](), end='')"


@pytest.mark.parametrize("module", ["_core", "config"])
def test_stubs_are_those_of_the_package(module):
    pytest.importorskip("nanobind")
    # A process of its own: writing stubs renames modules of classes.
    done = subprocess.run([sys.executable, "-c", WRITE, ROOT / "tools", module], capture_output=True, text=True, check=True)
    kept = (ROOT / "python" / "ketmesh" / f"{module}.pyi").read_text(encoding="utf-8")
    assert kept == done.stdout, "out of date: ./dev shell python tools/stubs.py"


PROGRAM = """
    import numpy as np
    import ketmesh
    from ketmesh.circuits import Bits, Parameter, PauliSum, QuantumCircuit

    theta = Parameter("theta")
    circuit: QuantumCircuit = QuantumCircuit().h(0).cx(0, 1).rx(1, 2 * theta + 0.1).measure_all().if_(Bits(0) == 1, QuantumCircuit().x(1))
    config = ketmesh.SimulatorConfig(simulator_type=ketmesh.SimulatorType.Cpu, precision="double", seed=1)
    config.distributed_options = {"distributed_shards": "2"}
    counts: dict[str, int] = circuit.execute(config, 100, parameters={"theta": 0.1})["counts"]
    values: list[float] = circuit.estimate(["ZZ", {"XX": 0.5}, PauliSum("Z")], config)["expectation_values"]
    with ketmesh.State(4, config, mesh=ketmesh.DeviceMesh.cpu(2)) as state:
        state.apply(circuit).apply("h", 0)
        total: float = state.norm() + sum(abs(shard.numpy()).sum() for shard in state.local_shards())
        whole = state.gather().numpy()
    plan: ketmesh.Plan = ketmesh.plan(circuit, config)
    stages: int = plan.num_stages
"""
WRONG = """
    import ketmesh
    from ketmesh.circuits import QuantumCircuit

    QuantumCircuit().h("0")
    QuantumCircuit().execute(shots="many")
    ketmesh.SimulatorConfig(precision=3)
    ketmesh.SimulatorConfig(no_such_field=3)
    QuantumCircuit().no_such_gate(0)
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no mypy")
@pytest.mark.parametrize(("text", "errors"), [(PROGRAM, 0), (WRONG, 5)], ids=["right", "wrong"])
def test_programs_pass_a_type_checker(text, errors, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", tmp_path / "cache", file]
    package = pathlib.Path(ketmesh.__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ, MYPYPATH=str(package)))
    found = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(found) == errors, done.stdout + done.stderr
