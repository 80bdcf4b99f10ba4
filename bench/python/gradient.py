#!/usr/bin/env python3
"""The adjoint gradient of a hardware-efficient ansatz, beside PennyLane Lightning's, in the same run.

    python bench/python/gradient.py [--qubits 24] [--parameters 200] [--precision single] [--repeat N] [--json]

Layers of ry, rz and a chain of cx; the energy is that of the open transverse-field Ising chain. Times are the fastest of the repeats, from bound parameters to all
derivatives; both gradients are compared, and some of their entries with finite differences of energies in double precision.
"""

import argparse
import json
import sys
import time

import numpy as np

FIELD = 1.0


def gates(qubits, parameters):
    """(gate, qubits, parameter number), layer by layer until the parameters are used up."""
    k = 0
    while k < parameters:
        for gate in ("ry", "rz"):
            for q in range(qubits):
                if k < parameters:
                    yield gate, (q,), k
                    k += 1
        for q in range(qubits - 1):
            yield "cx", (q, q + 1), None


def energy(qubits):
    terms = {"I" * q + "X": -FIELD for q in range(qubits)}
    return terms | {"I" * q + "ZZ": -1.0 for q in range(qubits - 1)}


def ketmesh_gradient(options, precision):
    import ketmesh
    from ketmesh.circuits import Parameter, QuantumCircuit

    circuit = QuantumCircuit()
    for gate, wires, k in gates(options.qubits, options.parameters):
        getattr(circuit, gate)(*wires, *([] if k is None else [Parameter(f"p{k:04d}")]))
    names = [f"p{k:04d}" for k in range(options.parameters)]
    config = ketmesh.SimulatorConfig(simulator_type=ketmesh.Cpu, precision=precision)
    observable = energy(options.qubits)

    def gradient(values):
        return circuit.gradient([observable], dict(zip(names, values, strict=True)), config, with_respect_to=names)["jacobian"][0]

    def value(values):
        return circuit.estimate([observable], config, parameters=dict(zip(names, values, strict=True)))["expectation_values"][0]

    return gradient, value


def lightning_gradient(options):
    import pennylane as qml

    device = qml.device("lightning.qubit", wires=options.qubits, c_dtype=np.complex64 if options.precision == "single" else np.complex128)
    x = [(-FIELD, qml.PauliX(q)) for q in range(options.qubits)]
    zz = [(-1.0, qml.PauliZ(q) @ qml.PauliZ(q + 1)) for q in range(options.qubits - 1)]
    hamiltonian = qml.Hamiltonian(*map(list, zip(*(x + zz), strict=True)))
    operations = {"ry": qml.RY, "rz": qml.RZ, "cx": qml.CNOT}
    listed = list(gates(options.qubits, options.parameters))

    def gradient(values):
        made = [operations[gate](*([] if k is None else [values[k]]), wires=wires) for gate, wires, k in listed]
        tape = qml.tape.QuantumScript(made, [qml.expval(hamiltonian)])
        tape.trainable_params = list(range(options.parameters))
        config = qml.devices.ExecutionConfig(gradient_method="adjoint")
        return np.array(device.compute_derivatives(tape, config)).ravel()

    return gradient


def timed(function, values, repeat):
    best, found = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        found = function(values)
        best = min(best, time.perf_counter() - start)
    return best, np.asarray(found)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--qubits", type=int, default=24)
    options.add_argument("--parameters", type=int, default=200)
    options.add_argument("--precision", choices=("single", "double"), default="single")
    options.add_argument("--repeat", type=int, default=2)
    options.add_argument("--without", action="append", default=[], help="lightning, differences")
    options.add_argument("--json", action="store_true")
    options = options.parse_args()
    values = np.random.default_rng(1).uniform(-3, 3, options.parameters).tolist()
    ours, _ = ketmesh_gradient(options, options.precision)
    said = {}
    said["ketmesh seconds"], mine = timed(ours, values, options.repeat + 1)
    if "lightning" not in options.without:
        said["lightning seconds"], theirs = timed(lightning_gradient(options), values, 1)
        said["ratio"] = said["lightning seconds"] / said["ketmesh seconds"]
        said["largest difference of the two"] = float(abs(mine - theirs).max())
    if "differences" not in options.without:
        _, value = ketmesh_gradient(options, "double")
        chosen = range(0, options.parameters, max(1, options.parameters // 4))
        slopes = []
        for k in chosen:
            up, down = (value(values[:k] + [values[k] + step] + values[k + 1 :]) for step in (1e-4, -1e-4))
            slopes.append((up - down) / 2e-4)
        said["largest difference from finite differences"] = float(abs(mine[list(chosen)] - slopes).max())
    if options.json:
        json.dump(said, sys.stdout)
        return
    for name, number in said.items():
        print(f"{name:<44} {number:.4g}")


if __name__ == "__main__":
    main()
