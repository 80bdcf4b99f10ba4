OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; ctrl @ u3(0.2,0.3,0.4) q[0], q[1];
