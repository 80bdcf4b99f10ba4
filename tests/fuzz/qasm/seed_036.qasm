OPENQASM 3.0;
include "stdgates.inc";
const bit[4] m = "0011"; qubit[4] q; if (m[0]) x q[0]; if (m[3]) x q[3]; rx(popcount(m)) q[1]; if (m == 3) x q[2]; if (m[0:1] == "11") h q[3]; ry(uint[4](m << 1)) q[1];
