OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; ctrl @ U(0.4,0.5,0.6) q[0], q[1];
