OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; phase(0.2) q[0]; cphase(0.3) q[0], q[1];
