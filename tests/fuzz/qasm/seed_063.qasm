OPENQASM 3.0;
include "stdgates.inc";
qubit[4] q; bit[3] c; bit[4] d; x q[0]; x q[2]; c = measure q[0:2]; if ((c & 4) == 4 && popcount(c) == 2) x q[1]; if (c + 1 == 6 || c << 1 == 0) x q[3]; if (~c == 2) z q[0]; d = measure q;
