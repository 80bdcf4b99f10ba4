OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; bit[2] a; bit[2] b; let r = b ++ a; x q[0]; r[0:1] = measure q;
