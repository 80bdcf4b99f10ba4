OPENQASM 3.0;
include "stdgates.inc";
const int n = 7 / 2 + 2 ** 3 % 5; qubit q; rx(n / 4.0) q; ry(-2 ** 2) q; rz(5 ^ 1) q; p(-7 / 2) q; rx(-7 % 3) q;
