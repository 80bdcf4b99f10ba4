"""The Qiskit adapters against Qiskit's own states, counts and primitives. Skipped without Qiskit."""

import numpy as np
import pytest

pytest.importorskip("qiskit")

from qiskit import QuantumCircuit, transpile
from qiskit.circuit import Parameter
from qiskit.circuit.classical import expr
from qiskit.circuit.library import DiagonalGate, MCXGate, StatePreparation, UnitaryGate, XGate, efficient_su2
from qiskit.circuit.library.standard_gates import get_standard_gate_name_mapping
from qiskit.circuit.random import random_circuit
from qiskit.primitives import StatevectorEstimator, StatevectorSampler
from qiskit.quantum_info import Operator, SparsePauliOp, Statevector, random_unitary

import ketmesh
from ketmesh.qiskit import EstimatorV2, KetmeshBackend, SamplerV2, translate

BACKEND = KetmeshBackend(num_qubits=24)


def close(circuit):
    np.testing.assert_allclose(BACKEND.statevector(circuit), Statevector(circuit).data, atol=1e-9)


def within(counts, probabilities, shots):
    """Counts within five sigma of the probabilities, and nothing else."""
    for key in set(counts) | set(probabilities):
        p = probabilities.get(key, 0.0)
        assert abs(counts.get(key, 0) - shots * p) <= 5 * (shots * p * (1 - p)) ** 0.5 + 1e-6, (key, counts.get(key, 0), shots * p)


@pytest.mark.parametrize("name", sorted(get_standard_gate_name_mapping()))
def test_standard_gates(name):
    gate = get_standard_gate_name_mapping()[name]
    if name in ("measure", "reset", "delay"):
        return
    rng = np.random.default_rng(1)
    gate = type(gate)(*rng.uniform(-3, 3, len(gate.params)))
    n = max(gate.num_qubits, 1)
    for controls in ([], [0], [1, 0]):
        circuit = QuantumCircuit(n + len(controls))
        for q in range(circuit.num_qubits):
            circuit.u(*rng.uniform(-3, 3, 3), q)
        used = gate
        if controls:
            used = gate.control(len(controls), ctrl_state="".join(map(str, controls)), annotated=name > "m") if gate.num_qubits else gate
        circuit.append(used, range(used.num_qubits))
        close(circuit)


def test_other_gates():
    circuit = QuantumCircuit(4, global_phase=0.3)
    circuit.append(StatePreparation(np.array([0.6, 0, 0, 0.8j])), [1, 2])
    circuit.append(UnitaryGate(random_unitary(8, seed=1)), [2, 0, 3])
    circuit.append(UnitaryGate(random_unitary(4, seed=2)).control(2, ctrl_state=1), [3, 1, 0, 2])
    circuit.append(MCXGate(3, ctrl_state=5), [0, 1, 2, 3])
    circuit.pauli("XYZ", [0, 1, 3])
    circuit.append(DiagonalGate([1, 1j, -1, 1]), [0, 2])
    circuit.append(XGate().power(0.3), [1])
    circuit.compose(efficient_su2(4, reps=1).assign_parameters(np.arange(16) * 0.1), inplace=True)
    close(circuit)
    first = QuantumCircuit(2)
    first.initialize([0.6, 0.8j], 1)
    first.h(0)
    close(first)


@pytest.mark.parametrize("seed", range(20))
def test_random_states(seed):
    close(random_circuit(2 + seed % 5, 8, max_operands=4, seed=seed))


@pytest.mark.parametrize("seed", range(6))
def test_random_dynamic_circuits(seed):
    circuit = random_circuit(3, 5, measure=True, conditional=True, reset=True, seed=100 + seed)
    shots = 4000
    result = BACKEND.run(circuit, shots=shots, seed_simulator=seed).result()
    within(result.get_counts(), exact(circuit), shots)


def exact(circuit):
    """Probabilities of all classical outcomes, by following every branch with Qiskit's states."""
    bits = {bit: k for k, bit in enumerate(circuit.clbits)}
    outcomes = {}

    def follow(state, data, start, values, probability, wires):
        for k in range(start, len(data)):
            instruction = data[k]
            on = [wires[q] for q in instruction.qubits]
            name = instruction.operation.name
            if name in ("measure", "reset"):
                for value, p in state.probabilities_dict(on).items():
                    _, after = projected(state, on[0], int(value))
                    new = dict(values)
                    if name == "measure":
                        new[bits[instruction.clbits[0]]] = int(value)
                    elif value == "1":
                        after = after.evolve(XGate(), on)
                    follow(after, data, k + 1, new, probability * p, wires)
                return
            if name == "if_else":
                target, want = instruction.operation.condition
                body = instruction.operation.blocks[0]
                got = sum(values.get(bits[bit], 0) << j for j, bit in enumerate(target)) if hasattr(target, "size") else values.get(bits[target], 0)
                if got == int(want):
                    for inner in body.data:
                        state = state.evolve(inner.operation, [on[body.find_bit(q).index] for q in inner.qubits])
                continue
            if name != "barrier":
                state = state.evolve(instruction.operation, on)
        key = "".join(str(values.get(k, 0)) for k in reversed(range(len(bits))))
        outcomes[key] = outcomes.get(key, 0) + probability

    def projected(state, qubit, value):
        matrix = np.zeros((2, 2))
        matrix[value, value] = 1
        after = state.evolve(Operator(matrix), [qubit])
        norm = np.linalg.norm(after.data)
        return norm, Statevector(after.data / norm)

    wires = {bit: k for k, bit in enumerate(circuit.qubits)}
    follow(Statevector.from_int(0, 2**circuit.num_qubits), circuit.data, 0, {}, 1.0, wires)
    return outcomes


def test_control_flow():
    def run(build):
        circuit = QuantumCircuit(3, 3)
        build(circuit)
        return BACKEND.run(circuit, shots=10).result().get_counts()

    def branch(circuit):
        circuit.x(0)
        circuit.measure(0, 0)
        with circuit.if_test((circuit.clbits[0], 1)) as otherwise:
            circuit.x(1)
        with otherwise:
            circuit.x(2)
        circuit.measure([1, 2], [1, 2])

    def loop(circuit):
        with circuit.for_loop(range(3)) as k:
            circuit.rx(k * np.pi / 3, 0)  # 0 + pi/3 + 2 pi/3
        circuit.measure(0, 0)

    def switch(circuit):
        circuit.x(1)
        circuit.measure([0, 1], [0, 1])
        with circuit.switch(circuit.cregs[0]) as case:
            with case(0, 1):
                circuit.x(0)
            with case(2):
                circuit.x(2)
            with case(case.DEFAULT):
                circuit.id(0)
        circuit.measure([0, 1, 2], [0, 1, 2])

    def expression(circuit):
        circuit.x(0)
        circuit.measure([0, 1], [0, 1])
        with circuit.if_test(expr.logic_and(circuit.clbits[0], expr.logic_not(circuit.clbits[1]))):
            circuit.x(2)
        with circuit.if_test(expr.greater(expr.bit_xor(circuit.cregs[0], 2), 2)):
            circuit.x(1)
        circuit.measure([1, 2], [1, 2])

    assert run(branch) == {"011": 10}
    assert run(loop) == {"001": 10}
    assert run(switch) == {"110": 10}
    assert run(expression) == {"111": 10}
    endless = QuantumCircuit(1, 1)
    with endless.while_loop((endless.clbits[0], 0)):
        endless.h(0)
        endless.measure(0, 0)
    with pytest.raises(ketmesh.CircuitError, match="while_loop"):
        BACKEND.run(endless)


@pytest.mark.parametrize("level", range(4))
def test_transpiled_circuits(level):
    for seed in range(3):
        circuit = random_circuit(4, 6, max_operands=4, seed=seed)
        made = transpile(circuit, BACKEND, optimization_level=level, seed_transpiler=1)
        if made.layout is not None:
            assert Statevector(circuit).equiv(Statevector.from_circuit(made)) if hasattr(Statevector, "from_circuit") else True
        state = BACKEND.statevector(made)[: 2**4]
        assert abs(np.vdot(state, Statevector(circuit).data)) == pytest.approx(1, abs=1e-9)


def test_registers_and_memory():
    from qiskit import ClassicalRegister, QuantumRegister

    circuit = QuantumCircuit(QuantumRegister(2), ClassicalRegister(1, "a"), ClassicalRegister(2, "b"))
    circuit.x(1)
    circuit.measure(1, 0)
    circuit.measure(0, 2)
    result = BACKEND.run([circuit, circuit], shots=5, memory=True).result()
    assert result.get_counts(1) == {"00 1": 5} and result.get_memory(0) == ["00 1"] * 5
    with pytest.raises(TypeError):
        BACKEND.run(circuit, bogus=1)


def bell():
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    return circuit


def test_sampler():
    sampler = SamplerV2(seed=7)
    result = sampler.run([bell()], shots=5000).result()
    within(result[0].data.meas.get_counts(), {"00": 0.5, "11": 0.5}, 5000)
    assert result[0].metadata["shots"] == 5000 and sampler.run([bell()]).result()[0].data.meas.num_shots == 1024
    assert sampler.run([bell()]).result()[0].data.meas.get_counts() == sampler.run([bell()]).result()[0].data.meas.get_counts()

    theta = Parameter("t")
    circuit = QuantumCircuit(9, 9)
    circuit.ry(2 * theta, 8)
    circuit.measure(8, 8)
    circuit.measure(0, 0)
    values = np.array([[0.0, np.pi / 2], [np.pi / 4, np.pi]])
    data = sampler.run([(circuit, values[..., None], 3000)]).result()[0].data.c
    want = StatevectorSampler(seed=1).run([(circuit, values[..., None], 3000)]).result()[0].data.c
    assert data.shape == want.shape == (2, 2) and data.num_bits == 9 and data.array.shape == want.array.shape
    for index in np.ndindex(2, 2):
        within(data.get_counts(index), {k: v / 3000 for k, v in want.get_counts(index).items()} if index != (1, 0) else {"0" * 9: 0.5, "1" + "0" * 8: 0.5}, 3000)
    with pytest.warns(UserWarning):
        empty = QuantumCircuit(1)
        empty.h(0)
        sampler.run([empty]).result()


def test_sampler_keeps_registers_together():
    from qiskit import ClassicalRegister, QuantumRegister

    circuit = QuantumCircuit(QuantumRegister(2), ClassicalRegister(1, "a"), ClassicalRegister(1, "b"))
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure([0, 1], [0, 1])
    data = SamplerV2(seed=1).run([circuit], shots=200).result()[0].data
    np.testing.assert_array_equal(data.a.array, data.b.array)


def test_estimator_shapes_and_values():
    circuit = efficient_su2(3, reps=1)
    rng = np.random.default_rng(3)
    values = rng.uniform(-2, 2, (4, circuit.num_parameters))
    observables = [[SparsePauliOp.from_list([("XYZ", 0.5), ("IIZ", -1.5)])], [SparsePauliOp("ZZI")], [SparsePauliOp("III")]]
    pubs = [(circuit, observables, values), (circuit, "ZIX", values[0]), (circuit, ["XXI", "YZI", "IIZ"], values[:3])]
    found, want = EstimatorV2().run(pubs).result(), StatevectorEstimator().run(pubs).result()
    for a, b in zip(found, want, strict=True):
        assert a.data.evs.shape == b.data.evs.shape and a.data.stds.shape == b.data.stds.shape
    np.testing.assert_allclose(found[0].data.evs, want[0].data.evs, atol=1e-9)
    np.testing.assert_allclose(found[1].data.evs, want[1].data.evs, atol=1e-9)
    noisy = EstimatorV2(seed=5).run([(circuit, "ZIX", values[0])] * 2, precision=0.1).result()
    assert noisy[0].metadata["target_precision"] == 0.1 and noisy[0].data.evs == noisy[1].data.evs != want[1].data.evs
    assert abs(noisy[0].data.evs - want[1].data.evs) < 0.6


def test_estimator_projectors():
    circuit = QuantumCircuit(2)
    circuit.ry(0.7, 0)
    circuit.rx(0.4, 1)
    state = Statevector(circuit)
    found = EstimatorV2().run([(circuit, ["I0", "I1", "I+", "I-", "rI", "lI", "r+"])]).result()[0].data.evs
    np.testing.assert_allclose(found[0], state.probabilities([0])[0], atol=1e-9)
    y = state.expectation_value(SparsePauliOp("YI")).real
    np.testing.assert_allclose(found[4:6], [(1 + y) / 2, (1 - y) / 2], atol=1e-9)
    np.testing.assert_allclose(found[6], found[4] * found[2], atol=1e-9)


def test_parameters_are_bound_not_translated_again():
    a, b = Parameter("a"), Parameter("b")
    circuit = QuantumCircuit(1, global_phase=a)
    circuit.rx(a * b + 1, 0)
    circuit.rz(a.sin(), 0)
    made = translate(circuit)
    assert len(made.expressions) == 3
    bound = circuit.assign_parameters({a: 0.3, b: 0.5})
    np.testing.assert_allclose(BACKEND.statevector(circuit, {a: 0.3, b: 0.5}), Statevector(bound).data, atol=1e-9)
