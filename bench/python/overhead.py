#!/usr/bin/env python3
"""What a call costs: a circuit of 10 qubits and 50 gates, run again and again with new parameters, beside other simulators.

    python bench/python/overhead.py [--repeat N] [--json]

Each simulator runs in the way that its own users would repeat a circuit: built once, bound for each run, 100 shots (or one energy). Simulators that are
not installed are left out and said to be. Times are medians of one call in microseconds, over rounds in which the simulators take turns.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np

QUBITS, GATES = 10, 50
PARAMETERS = 40


def layout():
    """(gate, qubits, parameter number): 40 rotations and 10 cz."""
    gates, k = [], 0
    for layer in range(4):
        for q in range(QUBITS):
            gates.append(("ry" if layer % 2 == 0 else "rz", (q,), k))
            k += 1
        if layer % 2 == 0:
            gates += [("cz", (q, q + 1), None) for q in range(layer // 2, QUBITS - 1, 2)]
    gates.append(("cz", (0, 9), None))
    assert len(gates) == GATES and k == PARAMETERS, (len(gates), k)
    return gates


def ketmesh_counts():
    import ketmesh
    from ketmesh.circuits import Parameter, QuantumCircuit

    circuit = QuantumCircuit()
    for gate, qubits, k in layout():
        getattr(circuit, gate)(*qubits, *([] if k is None else [Parameter(f"p{k:02d}")]))
    circuit.measure_all()
    names = [f"p{k:02d}" for k in range(PARAMETERS)]
    config = ketmesh.SimulatorConfig(simulator_type=ketmesh.Cpu)
    return lambda values: circuit.execute(config, 100, parameters=dict(zip(names, values, strict=True)))


def ketmesh_rebuilt():
    import ketmesh
    from ketmesh.circuits import QuantumCircuit

    config = ketmesh.SimulatorConfig(simulator_type=ketmesh.Cpu)
    gates = layout()

    def run(values):
        circuit = QuantumCircuit()
        for gate, qubits, k in gates:
            getattr(circuit, gate)(*qubits, *([] if k is None else [values[k]]))
        return circuit.measure_all().execute(config, 100)

    return run


def aer():
    from qiskit import QuantumCircuit
    from qiskit.circuit import Parameter
    from qiskit_aer import AerSimulator

    circuit, parameters = QuantumCircuit(QUBITS), [Parameter(f"p{k:02d}") for k in range(PARAMETERS)]
    for gate, qubits, k in layout():
        getattr(circuit, gate)(*([] if k is None else [parameters[k]]), *qubits)
    circuit.measure_all()
    simulator = AerSimulator(method="statevector", precision="single")
    return lambda values: simulator.run(circuit, shots=100, parameter_binds=[{p: [v] for p, v in zip(parameters, values, strict=True)}]).result()


def lightning():
    import pennylane as qml

    device = qml.device("lightning.qubit", wires=QUBITS, c_dtype=np.complex64)
    operations = {"ry": qml.RY, "rz": qml.RZ, "cz": qml.CZ}
    gates = layout()

    def run(values):
        made = [operations[gate](*([] if k is None else [values[k]]), wires=qubits) for gate, qubits, k in gates]
        return device.execute([qml.tape.QuantumScript(made, [qml.counts()], shots=100)])

    return run


def qsimcirq():
    import cirq
    import qsimcirq as qsim
    import sympy

    wires = cirq.LineQubit.range(QUBITS)
    operations = {"ry": cirq.ry, "rz": cirq.rz}
    moments = [
        cirq.CZ(*(wires[q] for q in qubits)) if k is None else operations[gate](sympy.Symbol(f"p{k:02d}"))(wires[qubits[0]])
        for gate, qubits, k in layout()
    ]
    circuit = cirq.Circuit(moments, cirq.measure(*wires, key="m"))
    simulator = qsim.QSimSimulator()
    return lambda values: simulator.run(circuit, {f"p{k:02d}": v for k, v in enumerate(values)}, repetitions=100)


SIMULATORS = {
    "ketmesh": ketmesh_counts,
    "ketmesh, circuit rebuilt": ketmesh_rebuilt,
    "qiskit-aer": aer,
    "pennylane-lightning": lightning,
    "qsimcirq": qsimcirq,
}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeat", type=int, default=200)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--json", action="store_true")
    options = options.parse_args()
    ready, missing = {}, {}
    for name, make in SIMULATORS.items():
        try:
            ready[name] = make()
        except ImportError as error:
            missing[name] = str(error)
    rng = np.random.default_rng(1)
    times = {name: [] for name in ready}
    for _ in range(options.rounds):
        for name, run in ready.items():
            time.sleep(0.05)  # threads of the one before come to rest
            for k in range(options.repeat // options.rounds + 5):
                values = rng.uniform(-3, 3, PARAMETERS).tolist()
                start = time.perf_counter()
                run(values)
                if k >= 5:
                    times[name].append((time.perf_counter() - start) * 1e6)
    medians = {name: statistics.median(found) for name, found in times.items()}
    if options.json:
        json.dump({"microseconds": medians, "missing": missing}, sys.stdout)
        return
    for name, value in medians.items():
        print(f"{name:<26} {value:10.1f} us   {value / medians['ketmesh']:8.1f} x")
    for name, why in missing.items():
        print(f"{name:<26} not there: {why}")


if __name__ == "__main__":
    main()
