OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; ctrl @ inv @ pow(0.5) @ x q[0], q[1];
