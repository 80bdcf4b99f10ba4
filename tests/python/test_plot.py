"""Pictures: that they show what they were given. Skipped without matplotlib."""

import json

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import ketmesh
from ketmesh import plot
from ketmesh.circuits import QuantumCircuit


def test_histogram():
    ax = plot.histogram({"00": 30, "11": 60, "01": 10})
    assert [t.get_text() for t in ax.get_xticklabels()] == ["00", "01", "11"]
    assert [round(bar.get_height(), 3) for bar in ax.patches] == [0.3, 0.1, 0.6]
    many = plot.histogram(QuantumCircuit().h(0).h(1).h(2).measure_all().execute(shots=800), most=3)
    assert len(many.patches) == 4 and many.get_xticklabels()[-1].get_text() == "5 others"
    with pytest.raises(ValueError):
        plot.histogram({})


def test_state():
    ax = plot.state(QuantumCircuit().h(0).s(0).x(2).get_statevector())
    assert [t.get_text() for t in ax.get_xticklabels()] == ["001", "101"]
    assert [round(bar.get_height(), 5) for bar in ax.patches] == [0.5, 0.5]
    with pytest.raises(ValueError):
        plot.state(np.ones(3))


def test_timeline(tmp_path):
    events = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "cpu"}}] + [
        {"ph": "X", "name": name, "ts": 1000.0 * k, "dur": 500.0, "pid": 0, "tid": 1} for k, name in enumerate(["pass", "exchange", "pass"])
    ]
    (tmp_path / "trace.json").write_text(json.dumps({"traceEvents": events}))
    ax = plot.timeline(tmp_path / "trace.json")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["cpu"] and len(ax.collections) == 2


def test_scaling_and_roofline():
    ax = plot.scaling({"qft": {1: 4.0, 2: 2.1, 4: 1.2}, "qv": {1: 8.0, 2: 4.1}})
    assert len(ax.lines) == 4 and [t.get_text() for t in ax.get_xticklabels()] == ["1", "2", "4"]
    plan = ketmesh.plan(QuantumCircuit().h(0).cx(0, 1))
    ax = plot.roofline({"bell": (plan.flops, plan.bytes_local, plan.seconds_evolve)}, bandwidth=4e10, flops=1e11)
    assert len(ax.lines) == 2
