OPENQASM 3.0;
include "stdgates.inc";
qubit[4] q; for qubit w in q[1:2] x w; int n = 0; for int i in [0:9] { if (i == 2) continue; if (i > 3) break; n += i; } rx(n) q[0]; for bit b in "101" { if (b) h q[3]; }
