OPENQASM 3.0;
include "stdgates.inc";
qubit[3] q; bit[2] c; bit[3] d; x q[0]; c = measure q[0:1]; if (c[0] && !c[1]) { x q[2]; } else { x q[1]; } if (c > 1) x q[0]; else if (c == 1) x q[1]; d = measure q;
