OPENQASM 3.0;
include "stdgates.inc";
qubit q; rx(int(3.9)) q; ry(uint[2](7)) q; rz(float(1) / 2) q; p(int(bool(5)) + int(true)) q;
