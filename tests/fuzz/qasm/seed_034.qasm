OPENQASM 3.0;
include "stdgates.inc";
const angle a = 3 * pi; const float b = 3 * pi; const angle[3] s = 0.8; qubit[2] q; rx(a) q[0]; rx(b) q[1]; rz(a + a) q[0]; rz(s) q[1];
