OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q; bit[3] c; x q[2]; x q[1]; c = measure q; if (c[1:2] == 3) x q[0]; c[0] = measure q[0];
