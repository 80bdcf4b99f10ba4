OPENQASM 3.0;
include "stdgates.inc";
qubit[5] q; for int i in [0:3] { x q[i]; } for uint i in [4:-2:0] h q[i]; for int i in {1, 3} { rx(i) q[i]; } for float f in {0.5, 1.5} rz(f) q[0];
