"""A Qiskit circuit as a ketmesh circuit."""

import dataclasses

from qiskit import QuantumCircuit as QiskitCircuit
from qiskit.circuit import (
    AnnotatedOperation,
    Clbit,
    ControlFlowOp,
    ControlledGate,
    ControlModifier,
    ForLoopOp,
    IfElseOp,
    InverseModifier,
    ParameterExpression,
    SwitchCaseOp,
)
from qiskit.circuit.classical import expr

from .. import _core
from ..circuits import Bits, Parameter, QuantumCircuit
from ..errors import CircuitError, described

#: Rows on a fixed number of qubits, by every name that Qiskit may give them.
_GATES = {
    name: (row[0], row[1], row[3]) for row in _core.gate_table() for name in (row[0], *row[6]) if row[1] > 0
}
_BINARY = {
    expr.Binary.Op.BIT_AND: "__and__",
    expr.Binary.Op.BIT_OR: "__or__",
    expr.Binary.Op.BIT_XOR: "__xor__",
    expr.Binary.Op.LOGIC_AND: "logical_and",
    expr.Binary.Op.LOGIC_OR: "logical_or",
    expr.Binary.Op.EQUAL: "__eq__",
    expr.Binary.Op.NOT_EQUAL: "__ne__",
    expr.Binary.Op.LESS: "__lt__",
    expr.Binary.Op.LESS_EQUAL: "__le__",
    expr.Binary.Op.GREATER: "__gt__",
    expr.Binary.Op.GREATER_EQUAL: "__ge__",
    expr.Binary.Op.SHIFT_LEFT: "__lshift__",
    expr.Binary.Op.SHIFT_RIGHT: "__rshift__",
}


@dataclasses.dataclass
class Translated:
    """A circuit, and the Qiskit expression of each of its named parameters."""

    circuit: QuantumCircuit
    num_qubits: int
    num_clbits: int
    expressions: dict[str, ParameterExpression]

    def values(self, binding):
        """Values of the named parameters for ``{qiskit Parameter: number}``."""
        return {
            name: float(expression.bind({p: binding[p] for p in expression.parameters}).numeric())
            for name, expression in self.expressions.items()
        }


def translate(circuit):
    """The ketmesh circuit that does the same, with as many qubits; parameters stay open.

    Raises CircuitError that names what cannot be: while loops, break, continue, and classical variables.
    """
    if not isinstance(circuit, QiskitCircuit):
        raise TypeError(f"circuit must be a qiskit QuantumCircuit, not {described(circuit)}")
    work = _Translator()
    qubits = {bit: k for k, bit in enumerate(circuit.qubits)}
    bits = {bit: k for k, bit in enumerate(circuit.clbits)}
    out = QuantumCircuit()
    if circuit.num_qubits:
        out.id(circuit.num_qubits - 1)  # as wide as the other one
    work.operations(circuit, qubits, bits, out, {})
    return Translated(out, circuit.num_qubits, circuit.num_clbits, work.names())


class _Translator:
    def __init__(self):
        self._expressions = {}

    def names(self):
        return {name: expression for expression, name in self._expressions.items()}

    def angle(self, value, loop):
        if not isinstance(value, ParameterExpression):
            if isinstance(value, complex):
                raise CircuitError(f"parameter {value} is not real")
            return float(value)
        known = {p: loop[p] for p in value.parameters if p in loop}
        if known:
            value = value.bind(known)
        if not value.parameters:
            return float(value.numeric())
        return Parameter(self._expressions.setdefault(value, f"p{len(self._expressions)}"))

    def operations(self, circuit, qubits, bits, out, loop):
        phase = circuit.global_phase
        if isinstance(phase, ParameterExpression) or phase:
            out.gphase(self.angle(phase, loop))
        for instruction in circuit.data:
            on = [qubits[q] for q in instruction.qubits]
            into = [bits[c] for c in instruction.clbits]
            self.operation(instruction.operation, on, into, bits, out, loop)

    def operation(self, op, on, into, bits, out, loop):
        name = op.name
        if isinstance(op, ControlFlowOp):
            self.control_flow(op, on, into, bits, out, loop)
        elif name == "measure":
            out.measure(on[0], into[0])
        elif name == "reset":
            out.reset(on[0])
        elif name in ("barrier", "delay"):
            pass
        elif name == "initialize" and not isinstance(op.params[0], str) and len(op.params) == 1 << len(on):
            out.initialize([complex(a) for a in op.params], on)
        elif name in ("break_loop", "continue_loop", "store"):
            raise CircuitError(f"{name} cannot be simulated")
        else:
            self.gate(op, on, bits, out, loop)

    def gate(self, op, on, bits, out, loop):
        name = op.name
        open_controls = isinstance(op, ControlledGate) and op.ctrl_state != (1 << op.num_ctrl_qubits) - 1
        row = _GATES.get(name)
        if row is not None and not open_controls and row[1:] == (len(on), len(op.params)):
            out.append(row[0], on, [self.angle(p, loop) for p in op.params])
        elif name == "u" and len(op.params) == 4:  # the base of a multiply controlled cu
            theta, phi, lam, gamma = (self.angle(p, loop) for p in op.params)
            out.u(on[0], theta, phi, lam).gphase(gamma)
        elif name == "unitary":
            out.unitary(op.to_matrix(), on)
        elif name == "diagonal":
            out.diagonal([complex(a) for a in op.params], on)
        elif name == "pauli":
            out.pauli(op.params[0][::-1], on)
        elif name == "global_phase":
            out.gphase(self.angle(op.params[0], loop))
        elif isinstance(op, AnnotatedOperation):
            self.annotated(op, on, bits, out, loop)
        elif isinstance(op, ControlledGate):
            count = op.num_ctrl_qubits
            inner = QuantumCircuit()
            self.operation(op.base_gate, list(range(len(on) - count)), [], bits, inner, loop)
            controls = [(on[k], (op.ctrl_state >> k) & 1) for k in range(count)]
            out.compose(_moved(inner, on[count:], controls))
        elif op.definition is not None:
            definition = op.definition
            self.operations(definition, dict(zip(definition.qubits, on, strict=True)), {}, out, loop)
        elif hasattr(op, "to_matrix"):
            out.unitary(op.to_matrix(), on)
        else:
            raise CircuitError(f"{name} has no definition and no matrix")

    def annotated(self, op, on, bits, out, loop):
        controls, width = [], op.base_op.num_qubits
        inner = QuantumCircuit()
        self.operation(op.base_op, list(range(width)), [], bits, inner, loop)
        for modifier in op.modifiers:
            if isinstance(modifier, ControlModifier):
                # Each modifier puts its controls in front of what it modifies.
                state = [(modifier.ctrl_state >> k) & 1 for k in range(modifier.num_ctrl_qubits)]
                controls = [(k, value) for k, value in enumerate(state)] + [(k + len(state), value) for k, value in controls]
            elif isinstance(modifier, InverseModifier):
                inner = inner.inverse()
            else:
                inner = inner.power(modifier.power)
        out.compose(_moved(inner, on[len(controls) :], [(on[k], value) for k, value in controls]))

    def control_flow(self, op, on, into, bits, out, loop):
        def block(body, values=loop):
            inner = QuantumCircuit()
            inner_bits = dict(bits)
            inner_bits.update(zip(body.clbits, into, strict=True))
            self.operations(body, dict(zip(body.qubits, on, strict=True)), inner_bits, inner, values)
            return inner

        if isinstance(op, IfElseOp):
            then, otherwise = (*op.blocks, None)[:2]
            out.if_(_condition(op.condition, bits), block(then), None if otherwise is None else block(otherwise))
        elif isinstance(op, ForLoopOp):
            indices, parameter, body = op.params
            for index in indices:
                out.compose(block(body, loop if parameter is None else loop | {parameter: index}))
        elif isinstance(op, SwitchCaseOp):
            self.switch(op, block, bits, out)
        elif op.name == "box":
            out.compose(block(op.blocks[0]))
        else:
            raise CircuitError(f"{op.name} cannot be simulated: how often it runs is not known before")

    def switch(self, op, block, bits, out):
        target = op.target
        value = _expression(target, bits) if isinstance(target, expr.Expr) else _bits(target, bits)
        chosen = None
        for labels, body in reversed(list(op.cases_specifier())):
            if any(not isinstance(label, int) for label in labels):  # the default case
                chosen = block(body)
                continue
            condition = None
            for label in labels:
                same = value == label
                condition = same if condition is None else condition.logical_or(same)
            chosen = QuantumCircuit().if_(condition, block(body), chosen)
        if chosen is not None:
            out.compose(chosen)


def _moved(inner, targets, controls):
    """inner on other qubits, under controls."""
    if inner.num_qubits < len(targets):
        inner.id(len(targets) - 1)
    return inner.remapped(targets[: inner.num_qubits]).controlled(controls)


def _bits(target, bits):
    if isinstance(target, Clbit):
        return Bits(bits[target])
    return Bits([bits[bit] for bit in target])


def _condition(condition, bits):
    if isinstance(condition, expr.Expr):
        return _expression(condition, bits)
    target, value = condition
    return _bits(target, bits) == int(value)


def _expression(node, bits):
    if isinstance(node, expr.Var):
        if node.standalone:
            raise CircuitError(f"classical variable {node.name} cannot be simulated")
        return _bits(node.var, bits)
    if isinstance(node, expr.Value):
        return int(node.value)
    if isinstance(node, expr.Cast):
        return _expression(node.operand, bits)
    if isinstance(node, expr.Unary):
        operand = _expression(node.operand, bits)
        if isinstance(operand, int):
            operand = _constant(operand)
        return operand.logical_not() if node.op is expr.Unary.Op.LOGIC_NOT else ~operand
    if isinstance(node, expr.Index):
        return (_expression(node.target, bits) >> _expression(node.index, bits)) & 1
    if isinstance(node, expr.Binary):
        left, right = _expression(node.left, bits), _expression(node.right, bits)
        if isinstance(left, int):
            left = _constant(left)
        method = _BINARY.get(node.op)
        if method is None:
            raise CircuitError(f"classical operation {node.op.name} cannot be simulated")
        return getattr(left, method)(right)
    raise CircuitError(f"classical expression {type(node).__name__} cannot be simulated")


def _constant(value):
    return Bits.constant(value)
