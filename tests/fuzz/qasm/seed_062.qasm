OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; bit[2] c; x q[1]; measure q -> c;
