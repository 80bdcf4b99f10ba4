OPENQASM 3.0;
include "stdgates.inc";
qubit[3] a; qubit[2] b; let r = a[1:2] ++ b; x r; let s = r[{0, 3}]; h s[1]; cx r[0:1], b;
