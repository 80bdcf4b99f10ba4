OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q; bit[2] c; bit d; x q[0]; x q[1]; c = measure q[0:1]; for bit b in c { if (b) x q[2]; } d = measure q[2];
