# Written by tools/stubs.py; do not edit.
"""The library behind ketmesh."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy.typing

import ketmesh.config


class Parameter:
    """
    An angle that gets its value when the circuit runs: a name, or an expression of names.

    Parameters add, subtract, multiply, divide and take powers with each other and with numbers.
    """

    def __init__(self, name: object) -> None: ...

    def __add__(self, other: float | Parameter) -> Parameter: ...

    def __radd__(self, other: float | Parameter) -> Parameter: ...

    def __sub__(self, other: float | Parameter) -> Parameter: ...

    def __rsub__(self, other: float | Parameter) -> Parameter: ...

    def __mul__(self, other: float | Parameter) -> Parameter: ...

    def __rmul__(self, other: float | Parameter) -> Parameter: ...

    def __truediv__(self, other: float | Parameter) -> Parameter: ...

    def __rtruediv__(self, other: float | Parameter) -> Parameter: ...

    def __pow__(self, other: float | Parameter) -> Parameter: ...

    def __rpow__(self, other: float | Parameter) -> Parameter: ...

    def __neg__(self) -> Parameter: ...

    def __eq__(self, other: object) -> bool: ...

    def __hash__(self) -> int: ...

    @staticmethod
    def function(name: str, argument: Parameter) -> Parameter:
        """
        sin, cos, tan, arcsin, arccos, arctan, exp, log, sqrt, floor, ceiling or abs of a parameter.
        """

    def derivative(self, name: object) -> Parameter:
        """Exact derivative by one name."""

    def bind(self, values: object) -> Parameter:
        """The names that values has replaced."""

    def evaluate(self, values: object | None = None) -> float:
        """The value with every name bound."""

    @property
    def names(self) -> list[str]:
        """Names in order of appearance."""

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self): ...

def _parameter_from_qasm(text: str) -> Parameter: ...

class PauliSum:
    """
    A Hermitian observable: a real-weighted sum of Pauli strings, character i on qubit i.
    """

    def __init__(self, terms: object) -> None:
        """
        terms: a str, a {str: coefficient} mapping, or (coefficient, str) tuples.
        """

    @property
    def terms(self) -> list:
        """(coefficient, str) tuples."""

    @property
    def width(self) -> int:
        """One more than the highest qubit with a letter other than I."""

    def __eq__(self, other: object) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def __reduce__(self) -> tuple: ...

class Bits:
    """
    Classical bits as one unsigned integer, or an expression of them, for ``QuantumCircuit.if_``.

    Comparisons, arithmetic and bit operators give expressions again: ``Bits([0, 1]) == 2``, ``Bits(0) & ~Bits(1)``.
    """

    def __init__(self, bits: object) -> None:
        """bits: one bit, or several of which the first is the least significant."""

    @staticmethod
    def constant(value: object) -> Bits:
        """A number as an expression."""

    def __and__(self, other: object) -> Bits: ...

    def __or__(self, other: object) -> Bits: ...

    def __xor__(self, other: object) -> Bits: ...

    def __add__(self, other: object) -> Bits: ...

    def __sub__(self, other: object) -> Bits: ...

    def __mul__(self, other: object) -> Bits: ...

    def __lshift__(self, other: object) -> Bits: ...

    def __rshift__(self, other: object) -> Bits: ...

    def __eq__(self, other: object) -> Bits: ...

    def __ne__(self, other: object) -> Bits: ...

    def __lt__(self, other: object) -> Bits: ...

    def __le__(self, other: object) -> Bits: ...

    def __gt__(self, other: object) -> Bits: ...

    def __ge__(self, other: object) -> Bits: ...

    def logical_and(self, other: object) -> Bits: ...

    def logical_or(self, other: object) -> Bits: ...

    def __invert__(self) -> Bits: ...

    def __neg__(self) -> Bits: ...

    def logical_not(self) -> Bits: ...

    def popcount(self) -> Bits: ...

    def __bool__(self) -> bool: ...

    __hash__: None = None

class QuantumCircuit:
    """
    A circuit: operations in order over qubits and classical bits.

    Every gate method returns the circuit. Qubit 0 is the least significant bit of an amplitude index; character i of a
    counts key is classical bit i.
    """

    def __init__(self) -> None:
        """An empty circuit; it grows with use."""

    @property
    def num_qubits(self) -> int:
        """Qubits, at least 1."""

    @property
    def num_clbits(self) -> int:
        """Classical bits."""

    @property
    def parameter_names(self) -> list[str]:
        """Free names in order of first appearance."""

    @property
    def classical_registers(self) -> list:
        """(name, offset, size) tuples."""

    @property
    def quantum_registers(self) -> list:
        """(name, offset, size) tuples."""

    @property
    def is_dynamic(self) -> bool:
        """Whether it measures, resets or branches before its end."""

    def depth(self) -> int:
        """
        Longest chain of operations that share qubits or bits; barriers count 0.
        """

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __getitem__(self, index: int) -> tuple:
        """(gate, qubits, parameters, controls, bits) of one operation."""

    def __eq__(self, other: object) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

    def copy(self) -> QuantumCircuit:
        """An independent copy."""

    def __copy__(self) -> QuantumCircuit: ...

    def __deepcopy__(self, memo: object) -> QuantumCircuit: ...

    @property
    def grows(self) -> bool:
        """Whether naming a further qubit widens the circuit."""

    __hash__: None = None

    def inverse(self) -> QuantumCircuit:
        """
        The circuit that undoes this one; CircuitError when an operation is not a unitary.
        """

    def power(self, exponent: object) -> QuantumCircuit:
        """
        Integers repeat; otherwise the principal power of the whole unitary (at most 8 active qubits).
        """

    def controlled(self, controls: object) -> QuantumCircuit:
        """Every operation under these controls: qubits, or (qubit, value) pairs."""

    def bind(self, values: object) -> QuantumCircuit:
        """A copy in which names have values; the others stay."""

    def compose(self, other: object | None) -> QuantumCircuit:
        """Appends the operations of other; returns this circuit."""

    def remapped(self, new_qubits: object) -> QuantumCircuit:
        """Same operations with qubit q renamed new_qubits[q]."""

    def remove_end_measurements(self) -> QuantumCircuit:
        """A copy without the measurements at its end."""

    def mirrored(self) -> QuantumCircuit:
        """The circuit without its final measurements, followed by its inverse."""

    def to_qasm(self, version: object = 3) -> str:
        """OpenQASM 3 or 2 text."""

    @staticmethod
    def from_qasm(text_or_path: object | None, inputs: object | None = None) -> QuantumCircuit:
        """
        A circuit of OpenQASM 2 or 3, from a path, or from text when it holds a ';' or a line end.
        """

    def append(self, gate: object, qubits: object, parameters: object = (), controls: object | None = None) -> QuantumCircuit:
        """
        A gate of the table by its name, under any controls: qubits, or (qubit, value) pairs.
        """

    def measure(self, qubits: object, bit: object | None = None) -> QuantumCircuit:
        """
        Measures qubits into classical bits: ``measure([(qubit, bit), ...])`` or ``measure(qubit, bit)``. A bit written twice keeps the last value.
        """

    def measure_all(self) -> QuantumCircuit:
        """Qubit q into bit q, for all qubits."""

    def reset(self, qubit: object) -> QuantumCircuit:
        """Sets a qubit to |0>."""

    def reset_qubits(self, qubits: object) -> QuantumCircuit:
        """Sets qubits to |0>."""

    def barrier(self, *qubits) -> QuantumCircuit:
        """No effect on a state."""

    def delay(self, qubit: object, duration: object) -> QuantumCircuit:
        """No effect on a state."""

    def if_(self, condition: object | None, then: object | None, otherwise: object | None = None, *, value: object = 1) -> QuantumCircuit:
        """
        Runs ``then`` when the condition holds, else ``otherwise``.

        condition: Bits, or one bit or several (the first least significant) that must equal ``value``.
        """

    def pauli(self, letters: object, qubits: object, controls: object | None = None) -> QuantumCircuit:
        """Pauli string, character i on the i-th listed qubit."""

    def rotation(self, letters: object, qubits: object, theta: object, controls: object | None = None) -> QuantumCircuit:
        """exp(-i theta P / 2) for a Pauli string P."""

    def unitary(self, matrix: object | None, qubits: object, controls: object | None = None) -> QuantumCircuit:
        """
        A dense 2^k x 2^k matrix, row-major; the first listed qubit is the least significant bit of its index.
        """

    def diagonal(self, entries: object | None, qubits: object, controls: object | None = None) -> QuantumCircuit:
        """A diagonal matrix by its 2^k entries of modulus 1."""

    def permutation(self, table: object, qubits: object, controls: object | None = None) -> QuantumCircuit:
        """Basis state i goes to table[i]."""

    def gphase(self, gamma: object, controls: object | None = None) -> QuantumCircuit:
        """Global phase e^{i gamma}; relative under controls."""

    def initialize(self, values: object | None, qubits: object | None = None) -> QuantumCircuit:
        """
        Sets qubits, which are reset first, to 2^k amplitudes of norm 1, or to a basis state given as an int.
        """

    def x(self, qubit: int) -> QuantumCircuit:
        """Pauli X, bit flip"""

    def y(self, qubit: int) -> QuantumCircuit:
        """Pauli Y"""

    def z(self, qubit: int) -> QuantumCircuit:
        """Pauli Z, phase flip"""

    def h(self, qubit: int) -> QuantumCircuit:
        """Hadamard"""

    def s(self, qubit: int) -> QuantumCircuit:
        """diag(1, i)"""

    def sdg(self, qubit: int) -> QuantumCircuit:
        """diag(1, -i)"""

    def sdag(self, qubit: int) -> QuantumCircuit:
        """diag(1, -i)"""

    def t(self, qubit: int) -> QuantumCircuit:
        """diag(1, e^{i pi/4})"""

    def tdg(self, qubit: int) -> QuantumCircuit:
        """diag(1, e^{-i pi/4})"""

    def tdag(self, qubit: int) -> QuantumCircuit:
        """diag(1, e^{-i pi/4})"""

    def sx(self, qubit: int) -> QuantumCircuit:
        """square root of X, 1/2 [[1+i, 1-i], [1-i, 1+i]]"""

    def sqrtx(self, qubit: int) -> QuantumCircuit:
        """square root of X, 1/2 [[1+i, 1-i], [1-i, 1+i]]"""

    def sxdg(self, qubit: int) -> QuantumCircuit:
        """inverse of sx"""

    def sxdag(self, qubit: int) -> QuantumCircuit:
        """inverse of sx"""

    def sy(self, qubit: int) -> QuantumCircuit:
        """square root of Y, 1/2 [[1+i, -1-i], [1+i, 1+i]]"""

    def sydg(self, qubit: int) -> QuantumCircuit:
        """inverse of sy"""

    def k(self, qubit: int) -> QuantumCircuit:
        """1/sqrt2 [[1, -i], [i, -1]]"""

    def id(self, qubit: int) -> QuantumCircuit:
        """identity"""

    def u0(self, qubit: int) -> QuantumCircuit:
        """identity"""

    def i(self, qubit: int) -> QuantumCircuit:
        """identity"""

    def iden(self, qubit: int) -> QuantumCircuit:
        """identity"""

    def p(self, qubit: int, lam: float | Parameter) -> QuantumCircuit:
        """diag(1, e^{i lambda})"""

    def phase(self, qubit: int, lam: float | Parameter) -> QuantumCircuit:
        """diag(1, e^{i lambda})"""

    def rx(self, qubit: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta X / 2)"""

    def ry(self, qubit: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta Y / 2)"""

    def rz(self, qubit: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta Z / 2)"""

    def r(self, qubit: int, theta: float | Parameter, phi: float | Parameter) -> QuantumCircuit:
        """exp(-i theta (cos phi X + sin phi Y) / 2)"""

    def u(self, qubit: int, theta: float | Parameter, phi: float | Parameter, lam: float | Parameter) -> QuantumCircuit:
        """[[cos t/2, -e^{il} sin t/2], [e^{ip} sin t/2, e^{i(p+l)} cos t/2]]"""

    def u1(self, qubit: int, lam: float | Parameter) -> QuantumCircuit:
        """p"""

    def u2(self, qubit: int, phi: float | Parameter, lam: float | Parameter) -> QuantumCircuit:
        """u(pi/2, phi, lambda)"""

    def u3(self, qubit: int, theta: float | Parameter, phi: float | Parameter, lam: float | Parameter) -> QuantumCircuit:
        """u"""

    def cx(self, control: int, target: int) -> QuantumCircuit:
        """controlled X"""

    def cnot(self, control: int, target: int) -> QuantumCircuit:
        """controlled X"""

    def CX(self, control: int, target: int) -> QuantumCircuit:
        """controlled X"""

    def cy(self, control: int, target: int) -> QuantumCircuit:
        """controlled Y"""

    def cz(self, control: int, target: int) -> QuantumCircuit:
        """controlled Z"""

    def ch(self, control: int, target: int) -> QuantumCircuit:
        """controlled H"""

    def cs(self, control: int, target: int) -> QuantumCircuit:
        """controlled S"""

    def csdg(self, control: int, target: int) -> QuantumCircuit:
        """controlled inverse S"""

    def csx(self, control: int, target: int) -> QuantumCircuit:
        """controlled square root of X"""

    def csxdg(self, control: int, target: int) -> QuantumCircuit:
        """controlled inverse square root of X"""

    def csxdag(self, control: int, target: int) -> QuantumCircuit:
        """controlled inverse square root of X"""

    def cp(self, control: int, target: int, lam: float | Parameter) -> QuantumCircuit:
        """controlled p"""

    def cphase(self, control: int, target: int, lam: float | Parameter) -> QuantumCircuit:
        """controlled p"""

    def crx(self, control: int, target: int, theta: float | Parameter) -> QuantumCircuit:
        """controlled rx"""

    def cry(self, control: int, target: int, theta: float | Parameter) -> QuantumCircuit:
        """controlled ry"""

    def crz(self, control: int, target: int, theta: float | Parameter) -> QuantumCircuit:
        """controlled rz"""

    def cu(self, control: int, target: int, theta: float | Parameter, phi: float | Parameter, lam: float | Parameter, gamma: float | Parameter) -> QuantumCircuit:
        """controlled e^{i gamma} u(theta, phi, lambda)"""

    def cu1(self, control: int, target: int, lam: float | Parameter) -> QuantumCircuit:
        """cp"""

    def cu3(self, control: int, target: int, theta: float | Parameter, phi: float | Parameter, lam: float | Parameter) -> QuantumCircuit:
        """controlled u"""

    def swap(self, qubit0: int, qubit1: int) -> QuantumCircuit:
        """exchange of two qubits"""

    def iswap(self, qubit0: int, qubit1: int) -> QuantumCircuit:
        """swap with i on |01> and |10>"""

    def dcx(self, qubit0: int, qubit1: int) -> QuantumCircuit:
        """cx(a, b) then cx(b, a)"""

    def ecr(self, qubit0: int, qubit1: int) -> QuantumCircuit:
        """echoed cross resonance, 1/sqrt2 (IX - XY)"""

    def rxx(self, qubit0: int, qubit1: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta XX / 2)"""

    def ryy(self, qubit0: int, qubit1: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta YY / 2)"""

    def rzz(self, qubit0: int, qubit1: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta ZZ / 2)"""

    def rzx(self, qubit0: int, qubit1: int, theta: float | Parameter) -> QuantumCircuit:
        """exp(-i theta ZX / 2), Z on the first qubit"""

    def xx_plus_yy(self, qubit0: int, qubit1: int, theta: float | Parameter, beta: float | Parameter) -> QuantumCircuit:
        """rotation by XX + YY, as Qiskit's XXPlusYYGate"""

    def xx_minus_yy(self, qubit0: int, qubit1: int, theta: float | Parameter, beta: float | Parameter) -> QuantumCircuit:
        """rotation by XX - YY, as Qiskit's XXMinusYYGate"""

    def ccx(self, control0: int, control1: int, target: int) -> QuantumCircuit:
        """Toffoli"""

    def toffoli(self, control0: int, control1: int, target: int) -> QuantumCircuit:
        """Toffoli"""

    def ccnot(self, control0: int, control1: int, target: int) -> QuantumCircuit:
        """Toffoli"""

    def ccz(self, control0: int, control1: int, target: int) -> QuantumCircuit:
        """doubly controlled Z"""

    def cswap(self, control: int, target0: int, target1: int) -> QuantumCircuit:
        """Fredkin"""

    def fredkin(self, control: int, target0: int, target1: int) -> QuantumCircuit:
        """Fredkin"""

    def rccx(self, qubit0: int, qubit1: int, qubit2: int) -> QuantumCircuit:
        """relative-phase Toffoli (Margolus)"""

    def c3x(self, control0: int, control1: int, control2: int, target: int) -> QuantumCircuit:
        """X under three controls"""

    def c3sqrtx(self, control0: int, control1: int, control2: int, target: int) -> QuantumCircuit:
        """sx under three controls"""

    def c3sx(self, control0: int, control1: int, control2: int, target: int) -> QuantumCircuit:
        """sx under three controls"""

    def c4x(self, control0: int, control1: int, control2: int, control3: int, target: int) -> QuantumCircuit:
        """X under four controls"""

    def rc3x(self, qubit0: int, qubit1: int, qubit2: int, qubit3: int) -> QuantumCircuit:
        """relative-phase X under three controls"""

    def rcccx(self, qubit0: int, qubit1: int, qubit2: int, qubit3: int) -> QuantumCircuit:
        """relative-phase X under three controls"""

    def mcx(self, controls: object, target: object) -> QuantumCircuit:
        """X on the last qubit under all others: controls, then the target."""

    def mcp(self, lam: object, controls: object, target: object) -> QuantumCircuit:
        """p on the last qubit under all others: controls, then the target."""

    def mcphase(self, lam: object, controls: object, target: object) -> QuantumCircuit:
        """p on the last qubit under all others: controls, then the target."""

    def mcu1(self, lam: object, controls: object, target: object) -> QuantumCircuit:
        """p on the last qubit under all others: controls, then the target."""

    def execute(self: QuantumCircuit, config: ketmesh.config.SimulatorConfig | None = None, shots: int = 1024, *, parameters: Mapping[str | Parameter, float] | None = None) -> dict[str, Any]:
        """
        Run the circuit and count measured bits.

            Parameters
            ----------
            config : SimulatorConfig, optional
                Where and how; the default one takes the smallest placement that fits.
            shots : int
                0 to 2**32 - 1.
            parameters : mapping of names to numbers, optional
                Values of the circuit's named parameters.

            Returns
            -------
            dict
                ``counts`` (character i of a key is classical bit i), ``time_taken`` in seconds, ``simulator`` and ``method`` (ints),
                ``distribution`` (what was done), ``seconds``, ``registers``.

            Examples
            --------
            >>> from ketmesh.circuits import QuantumCircuit
            >>> QuantumCircuit().x(0).cx(0, 2).measure_all().execute(shots=5)["counts"]
            {'101': 5}
        """

    def estimate(self: QuantumCircuit, observables: str | PauliSum | Mapping[str, float] | Iterable[str | PauliSum | Mapping[str, float]], config: ketmesh.config.SimulatorConfig | None = None, *, parameters: Mapping[str | Parameter, float] | None = None) -> dict[str, Any]:
        """
        Expectation values of Pauli observables.

            Parameters
            ----------
            observables : str, list or mapping
                ``"ZZ;XI"``, a list of strings, or weighted sums: ``{"ZZ": 0.5, "XI": -1.0}``, ``PauliSum``. Character i acts on qubit i.
            config : SimulatorConfig, optional
            parameters : mapping of names to numbers, optional

            Returns
            -------
            dict
                ``expectation_values``, ``qubits_before`` and ``qubits_after`` (of the largest light cone), and what ``execute`` says.

            Examples
            --------
            >>> from ketmesh.circuits import QuantumCircuit
            >>> bell = QuantumCircuit().h(0).cx(0, 1)
            >>> [round(value, 6) + 0.0 for value in bell.estimate("XX;YY;ZZ;ZI")["expectation_values"]]
            [1.0, -1.0, 1.0, 0.0]
        """

    def get_statevector(self: QuantumCircuit, config: ketmesh.config.SimulatorConfig | None = None, *, parameters: Mapping[str | Parameter, float] | None = None) -> numpy.typing.NDArray[Any]:
        """
        All 2**n amplitudes as a complex NumPy array; qubit 0 is the least significant bit of the index.

            Measurements at the end are left out; those before follow one random branch, fixed by the seed.

            Examples
            --------
            >>> from ketmesh.circuits import QuantumCircuit
            >>> QuantumCircuit().x(1).get_statevector().real
            array([0., 0., 1., 0.])
        """

    def get_probabilities(self: QuantumCircuit, config: ketmesh.config.SimulatorConfig | None = None, qubits: Iterable[int] | None = None, *, parameters: Mapping[str | Parameter, float] | None = None) -> numpy.typing.NDArray[Any]:
        """
        Probabilities of all 2**n basis states, or of the outcomes of chosen qubits (the first is the least significant bit).
        """

    def amplitudes(self: QuantumCircuit, indices: Iterable[int], config: ketmesh.config.SimulatorConfig | None = None, *, parameters: Mapping[str | Parameter, float] | None = None) -> numpy.typing.NDArray[Any]:
        """
        Amplitudes of chosen basis states, without the whole state in host memory.
        """

    def prob(self: QuantumCircuit, target_state: str, config: ketmesh.config.SimulatorConfig | None = None, *, parameters: Mapping[str | Parameter, float] | None = None) -> dict[str, Any]:
        """
        Amplitude and probability of one basis state, given as a str whose character i is qubit i.

            Examples
            --------
            >>> from ketmesh.circuits import QuantumCircuit
            >>> round(QuantumCircuit().x(0).h(2).prob("101")["probability"], 6)
            0.5
        """

    def inner_product(self: QuantumCircuit, other: QuantumCircuit, config: ketmesh.config.SimulatorConfig | None = None) -> complex:
        """
        ``<self|other>``; qubits that one of the two does not have are |0>. Refuses resets and measurements before the end.
        """

    def gradient(self: QuantumCircuit, observables: str | PauliSum | Mapping[str, float] | Iterable[str | PauliSum | Mapping[str, float]], parameters: Mapping[str | Parameter, float] | None = None, config: ketmesh.config.SimulatorConfig | None = None, *, with_respect_to: Iterable[str | Parameter] | None = None) -> dict[str, Any]:
        """
        Expectation values and their derivatives by named parameters, by the adjoint method.

            About the time of four runs, whatever the number of parameters.

            Returns
            -------
            dict
                ``expectation_values``, ``jacobian`` (array of observables x parameters), ``parameters`` (names of the columns).

            Examples
            --------
            >>> from ketmesh.circuits import Parameter, QuantumCircuit
            >>> circuit = QuantumCircuit().ry(0, 2 * Parameter("t"))
            >>> circuit.gradient("Z", {"t": 0.25})["jacobian"].round(5)
            array([[-0.95885]])
        """

    def run_batch(self: QuantumCircuit, rows: Iterable[Any], config: ketmesh.config.SimulatorConfig | None = None, *, observables: str | PauliSum | Mapping[str, float] | Iterable[str | PauliSum | Mapping[str, float]] | None = None, shots: int = 0, statevectors: bool = False, parameter_names: Iterable[str] | None = None) -> dict[str, Any]:
        """
        The circuit with many rows of parameters, from one plan; small circuits run several at a time.

            Parameters
            ----------
            rows : array of rows x parameters
                Columns in the order of ``parameter_names`` (by default the circuit's own).
            observables, shots, statevectors
                What is wanted of each row.

            Returns
            -------
            dict
                ``expectation_values`` (array of rows x observables), ``counts`` (a dict a row), ``statevectors`` when asked for, ``distribution``.

            Examples
            --------
            >>> from ketmesh.circuits import Parameter, QuantumCircuit
            >>> circuit = QuantumCircuit().ry(0, Parameter("t"))
            >>> circuit.run_batch([[0.0], [3.141592653589793]], observables="Z")["expectation_values"].round(5)
            array([[ 1.],
                   [-1.]])
        """

    def mirror_fidelity(self: QuantumCircuit, config: ketmesh.config.SimulatorConfig | None = None, shots: int = 1024, full_amplitude: bool = False, observables: str | PauliSum | Mapping[str, float] | Iterable[str | PauliSum | Mapping[str, float]] | None = None) -> float | list[float]:
        """
        How well the circuit followed by its inverse returns to |0...0>.

            The share of shots that do; with ``full_amplitude`` the probability itself; with ``observables`` their values after both.
            Refuses circuits with reset or with measurements before the end.
        """

    def _repr_html_(self: QuantumCircuit) -> str: ...

    state_probability = prob

    def draw(self) -> str:
        """
        A drawing for a terminal: ``*`` is a control on 1, ``o`` on 0, ``Mk`` a measurement into bit k.

            Examples
            --------
            >>> from ketmesh.circuits import QuantumCircuit
            >>> print(QuantumCircuit().h(0).cx(0, 1).measure_all().draw())
            q0: -h-*-M0-
                   |
            q1: ---x-M1-
        """

    def __reduce__(self): ...

def _restored_circuit(text: str, grows: bool) -> QuantumCircuit: ...

def _read_qasm(text: str, inputs: object | None = None) -> QuantumCircuit: ...

def gate_table() -> list:
    """
    (name, qubits, controls, parameters, parameter names, summary, aliases) of each row; -1 is any number.
    """

class Config:
    """What a run reads of a SimulatorConfig."""

    def __init__(self, type_name: str, backend: str, precision: object | None, seed: object | None, gpu_device: object | None, causal_cone: bool, options: dict, more: dict) -> None: ...

    @property
    def precision(self) -> str: ...

def _check_option(key: str, value: str) -> None:
    """Raises OptionError when the text of a distributed option cannot be."""

def option_keys() -> list[str]:
    """Keys that distributed_options may have."""

def _forget_simulators() -> None:
    """Ends the simulators that rest between calls, and their plans."""

def execute(circuit: QuantumCircuit, config: Config, shots: object | None, parameters: object | None) -> dict: ...

def estimate(circuit: QuantumCircuit, observables: object | None, config: Config, parameters: object | None) -> dict: ...

def statevector(circuit: QuantumCircuit, config: Config, parameters: object | None) -> object: ...

def probabilities(circuit: QuantumCircuit, config: Config, qubits: object | None, parameters: object | None) -> object: ...

def amplitudes(circuit: QuantumCircuit, indices: object | None, config: Config, parameters: object | None) -> object: ...

def gradient(circuit: QuantumCircuit, observables: object | None, config: Config, parameters: object | None, with_respect_to: object | None, by_gate: bool) -> dict: ...

def run_batch(circuit: QuantumCircuit, rows: object, config: Config, observables: object | None, shots: object | None, parameter_names: object | None, statevectors: bool) -> dict: ...

def num_angles(circuit: QuantumCircuit) -> int:
    """Parameters of all gates of a circuit."""

def with_angles(circuit: QuantumCircuit, angles: object) -> QuantumCircuit:
    """The circuit with other angles, in the order of its gates."""

def inner_product(bra: QuantumCircuit, ket: QuantumCircuit, config: Config) -> complex: ...

class Plan:
    """
    What a run would do: stages of passes, exchanges, memory and predicted seconds. Its text is a table.
    """

    @property
    def num_qubits(self) -> int: ...

    @property
    def precision(self) -> str: ...

    @property
    def shards(self) -> int: ...

    @property
    def local_qubits(self) -> int: ...

    @property
    def tile_qubits(self) -> int: ...

    @property
    def gates_input(self) -> int: ...

    @property
    def gates_planned(self) -> int: ...

    @property
    def num_stages(self) -> int: ...

    @property
    def num_passes(self) -> int: ...

    @property
    def num_exchanges(self) -> int: ...

    @property
    def bytes_local(self) -> int: ...

    @property
    def bytes_exchanged(self) -> int: ...

    @property
    def bytes_between_ranks(self) -> int: ...

    @property
    def largest_share(self) -> float: ...

    @property
    def flops(self) -> int: ...

    @property
    def seconds_evolve(self) -> float: ...

    @property
    def seconds_exchange(self) -> float: ...

    @property
    def seconds_total(self) -> float: ...

    @property
    def stages(self) -> list:
        """One dict a stage: its passes, the exchange at its end, bytes."""

    @property
    def memory(self) -> dict:
        """state_bytes, workspace_bytes, per_device, fits."""

    @property
    def fits(self) -> bool: ...

    @property
    def hash(self) -> int: ...

    def __eq__(self, other: object) -> bool: ...

    def __repr__(self) -> str: ...

    def _repr_html_(self): ...

def plan(circuit: QuantumCircuit, config: Config, machine: object | None) -> Plan: ...

class Device:
    """
    Something that owns memory and runs kernels: ``cpu``, ``cpu:1``, ``cuda:0``.
    """

    @property
    def id(self) -> str:
        """How it is named elsewhere."""

    @property
    def name(self) -> str:
        """As the system calls it."""

    @property
    def memory_bytes(self) -> int:
        """Usable capacity."""

    @property
    def memory_bandwidth(self) -> float:
        """Bytes/s read and written by all its cores."""

    @property
    def flops_single(self) -> float:
        """Flop/s in single precision, a multiply-add counted as two."""

    def __repr__(self) -> str: ...

class DeviceMesh:
    """The devices of one process, in order: what a State may be spread over."""

    @staticmethod
    def cpu(count: object = 1, capacity_each: object = 0) -> DeviceMesh:
        """
        Virtual devices that share this process's cores; a capacity of 0 is the memory free now, divided.
        """

    @staticmethod
    def all() -> DeviceMesh:
        """Every device that this process may use."""

    @property
    def devices(self) -> list[Device]:
        """The devices."""

    def __len__(self) -> int: ...

    def __eq__(self, other: object) -> bool: ...

    def __repr__(self) -> str: ...

def machine_report() -> dict: ...

def num_gpus() -> int:
    """GPUs that this process may use; never raises."""

def model_machine(backend: str, ranks: int, devices_per_rank: int, memory_bytes: object | None) -> str: ...

class Shard:
    """
    A zero-copy view of one shard's amplitudes; physical order, read with the state's layout.
    """

    @property
    def shard(self) -> int: ...

    @property
    def rank(self) -> int: ...

    @property
    def device(self) -> str: ...

    @property
    def range(self) -> tuple: ...

    @property
    def precision(self) -> str: ...

    def __len__(self) -> int: ...

    def numpy(self) -> numpy.typing.NDArray[Any]:
        """A NumPy array on the shard's memory, which it keeps alive."""

    @property
    def writable(self) -> bool: ...

    def __array__(self, dtype: object | None = None, copy: object | None = None) -> object: ...

    def __dlpack__(self, **kwargs) -> object: ...

    def __dlpack_device__(self) -> tuple: ...

    def __repr__(self) -> str: ...

class State:
    def __init__(self, num_qubits: object, config: Config, mesh: DeviceMesh | None) -> None: ...

    def close(self) -> None: ...

    @property
    def closed(self) -> bool: ...

    @property
    def num_qubits(self) -> int: ...

    @property
    def precision(self) -> str: ...

    def layout(self) -> list[int]: ...

    def apply(self, circuit: QuantumCircuit, parameters: object | None) -> None: ...

    def queue(self, circuit: QuantumCircuit) -> None: ...

    def flush(self) -> None: ...

    def norm_squared(self) -> float: ...

    def probabilities(self, qubits: object | None) -> object: ...

    def sample(self, shots: object, seed: object) -> dict[str, int]: ...

    def expectation(self, observables: object) -> list[float]: ...

    def amplitudes(self, indices: object) -> object: ...

    def measure(self, qubits: object | None) -> int: ...

    def classical_bits(self) -> str: ...

    def local_shards(self, writable: bool) -> list[Shard]: ...

    def gather(self, device: object, writable: bool) -> Shard: ...

    def canonicalise(self) -> None: ...

    def to_host(self, begin: object, end: object | None) -> object: ...

    def from_host(self, begin: object, values: object | None) -> None: ...

    def encode(self, data: object | None, method: object, layers: object = 2, entanglement: object = 'full') -> None: ...

    def write_npy(self, path: str) -> None: ...

    @staticmethod
    def load(folder: str, config: Config) -> State: ...

    def save(self, folder: str) -> None: ...

    def snapshot(self) -> int: ...

    def restore(self, snapshot: object) -> None: ...

    def drop(self, snapshot: object) -> None: ...

    def distribution(self) -> dict: ...

def encode_rows(data: int, type: str, swapped: bool, rows: int, length: int, row_stride: int, stride: int, out: int, size: int, num_qubits: int, method: str, in_double: bool, layers: int, entanglement: str, first_row: int) -> None: ...

def vector_len(num_qubits: int, method: str) -> int: ...

def host_memory() -> int: ...

def init_mpi() -> None:
    """Initialise MPI when nobody has."""

def is_mpi_initialized() -> bool:
    """Whether MPI is initialised and the backend not ended. Never raises."""

def finalize_mpi() -> None: ...
