OPENQASM 3.0;
include "stdgates.inc";
qubit q; rx(tau / 4) q; ry(π / 2) q; rz(euler) q;
