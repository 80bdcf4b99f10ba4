"""A circuit as text: time goes to the right, one line a qubit."""

_MAX_COLUMNS = 2000


def _label(gate, parameters):
    if not parameters:
        return gate
    return f"{gate}({', '.join(str(p) if not isinstance(p, float) else f'{p:.4g}' for p in parameters)})"


def _boxes(circuit, operation):
    """{qubit: text} of one operation, and what stands at the end of its column."""
    gate, qubits, parameters, controls, bits = operation
    boxes = {qubit: "o" if value == 0 else "*" for qubit, value in controls}
    if gate == "measure":
        return boxes | {qubit: f"M{bit}" for qubit, bit in zip(qubits, bits, strict=True)}
    own = _OWN_CONTROLS.get(gate, 0)
    if own < 0:
        own = len(qubits) - 1
    name = _BASE.get(gate, gate) if own else gate
    boxes |= {qubit: "*" for qubit in qubits[:own]}
    targets = qubits[own:]
    label = _label(name, parameters)
    if gate == "barrier":
        return boxes | {qubit: "|" for qubit in targets}
    if len(targets) == 1:
        return boxes | {targets[0]: label}
    if gate in ("swap", "cswap"):
        return boxes | {qubit: "x" for qubit in targets}
    if gate in ("if_else", "gphase") and not targets:
        return {qubit: label for qubit in range(circuit.num_qubits)} if gate == "if_else" else boxes
    return boxes | {qubit: f"{label}:{k}" for k, qubit in enumerate(targets)}


_OWN_CONTROLS: dict[str, int] = {}
_BASE: dict[str, str] = {}


def _read_table():
    from . import _core

    rows = {row[0]: row for row in _core.gate_table()}
    for name, row in rows.items():
        if row[2] != 0:
            _OWN_CONTROLS[name] = row[2]
            _BASE[name] = next((b for b in (name[k:] for k in range(1, len(name))) if b in rows and rows[b][2] == 0), name)


def draw(self) -> str:
    """A drawing for a terminal: ``*`` is a control on 1, ``o`` on 0, ``Mk`` a measurement into bit k.

    Examples
    --------
    >>> from ketmesh.circuits import QuantumCircuit
    >>> print(QuantumCircuit().h(0).cx(0, 1).measure_all().draw())
    q0: -h-*-M0-
           |
    q1: ---x-M1-
    """
    if not _OWN_CONTROLS:
        _read_table()
    n = self.num_qubits
    free = [0] * n  # first column in which a qubit is free
    columns: list[dict[int, str]] = []
    spans: list[list[tuple[int, int]]] = []
    for k in range(len(self)):
        boxes = _boxes(self, self[k])
        if not boxes:
            continue
        low, high = min(boxes), max(boxes)
        column = max(free[low : high + 1])
        if column >= _MAX_COLUMNS:
            break
        if column == len(columns):
            columns.append({})
            spans.append([])
        columns[column].update(boxes)
        joined = self[k][0] not in ("measure", "barrier", "reset", "delay")
        if joined and high > low:
            spans[column].append((low, high))
        for qubit in range(low, high + 1) if joined else boxes:
            free[qubit] = column + 1
    head = max(len(f"q{n - 1}: "), 4)
    lines = [f"q{q}: ".ljust(head) + "-" for q in range(n)]
    gaps = [" " * (head + 1) for _ in range(n - 1)]
    for boxes, joins in zip(columns, spans, strict=True):
        width = max(len(text) for text in boxes.values())
        for q in range(n):
            inside = any(low < q < high for low, high in joins)
            lines[q] += boxes.get(q, "|" if inside else "-").ljust(width, "-") + "-"
            if q < n - 1:
                gaps[q] += ("|" if any(low <= q < high for low, high in joins) else " ").ljust(width) + " "
    out = []
    for q in range(n):
        out.append(lines[q])
        if q < n - 1:
            out.append(gaps[q].rstrip())
    return "\n".join(line for line in out if line)
