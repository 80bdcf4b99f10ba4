OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q; negctrl @ ctrl @ x q[0], q[1], q[2];
