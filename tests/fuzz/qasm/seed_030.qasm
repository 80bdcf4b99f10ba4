OPENQASM 3.0;
include "stdgates.inc";
gate g a { pow(0.5) @ x a; rz(0.1) a; } qubit q; inv @ g q;
