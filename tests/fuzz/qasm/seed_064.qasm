OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; bit[2] c; bit d; x q[1]; c = measure q; if (c == "10") x q[0]; d = measure q[0];
