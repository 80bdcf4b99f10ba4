"""The pictures of pictures.md, made by ketmesh.plot: python docs/make_pictures.py FOLDER [PROGRAM]

PROGRAM, the command line `ketmesh`, makes the trace of the timeline; without it that picture is a note that says so.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")

import ketmesh
from ketmesh import plot
from ketmesh.circuits import QuantumCircuit

BRICKS = pathlib.Path(__file__).resolve().parents[1] / "examples" / "circuits" / "ising_quench.qasm"


def layers(n, count):
    """Layers of ry and cz."""
    circuit = QuantumCircuit()
    for layer in range(count):
        for q in range(n):
            circuit.ry(q, 0.1 + layer)
        for q in range(n - 1):
            circuit.cz(q, q + 1)
    return circuit


def histogram():
    return plot.histogram(QuantumCircuit().h(0).cx(0, 1).measure_all().execute(ketmesh.SimulatorConfig(seed=7), shots=1000))


def state():
    circuit = QuantumCircuit()
    for q in range(4):
        circuit.h(q).p(q, 0.6 * q + 0.3)
    return plot.state(circuit.cx(0, 3).ry(1, 0.7).get_statevector())


def timeline(program):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        command = [program, "run", BRICKS, "--backend", "distributed-cpu", "--shards", "4", "--shots", "100", "--trace", trace, "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        return plot.timeline(json.loads(trace.read_text(encoding="utf-8")))


def scaling():
    seconds = {}
    for name, circuit in (("4 layers", layers(32, 4)), ("8 layers", layers(32, 8))):
        seconds[name] = {}
        for ranks in (1, 2, 4, 8, 16, 32):
            machine = ketmesh.model_machine(ketmesh.SimulatorType.DistributedMpiCpu, ranks=ranks, memory_bytes=128 << 30)
            seconds[name][ranks] = ketmesh.plan(circuit, machine=machine).seconds_total
    return plot.scaling(seconds)


def roofline():
    points = {}
    for count in (1, 4, 16):
        circuit = layers(20, count)
        plan = ketmesh.plan(circuit)
        seconds = min(circuit.execute(shots=0)["seconds"]["evolve"] for _ in range(3))
        points[f"{count} layers"] = (plan.flops, plan.bytes_local, seconds)
    device = ketmesh.DeviceMesh.all().devices[0]
    return plot.roofline(points, bandwidth=device.memory_bandwidth, flops=device.flops_single)


def main():
    folder = pathlib.Path(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) > 2 else None
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"histogram": histogram, "state": state, "scaling": scaling, "roofline": roofline}
    if program:
        pictures["timeline"] = lambda: timeline(program)
    for name, make in pictures.items():
        make().figure.savefig(folder / f"{name}.svg")
    if not program:
        figure = matplotlib.figure.Figure(figsize=(6, 1))
        figure.text(0.5, 0.5, "no program `ketmesh` was given, so there is no trace", ha="center")
        figure.savefig(folder / "timeline.svg")


if __name__ == "__main__":
    main()
