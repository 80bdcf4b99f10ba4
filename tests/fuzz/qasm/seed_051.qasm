OPENQASM 3.0;
include "stdgates.inc";
const int n = 1; qubit q; { const int n = 2; rx(n) q; } rx(n) q;
