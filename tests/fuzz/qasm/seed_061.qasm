OPENQASM 3.0;
include "stdgates.inc";
qubit q; x q; bit b = measure q; bit[1] e; if (b) x q; e[0] = measure q;
