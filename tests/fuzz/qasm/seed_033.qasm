OPENQASM 3.0;
include "stdgates.inc";
const uint[4] a = 17; const int[4] b = 9; const uint[8] x = 255; const uint[8] y = 1; const bool t = 3; qubit q; rx(a) q; ry(b) q; rz(x + y) q; p(t) q;
