OPENQASM 3.0;
include "stdgates.inc";
qubit q; rx(1 + 2 << 1 | 1 & 3) q; ry(float(2 < 3 == true && !false) * 0.5) q; rz(~0 + 3) q;
