OPENQASM 3.0;
include "stdgates.inc";
qubit q; rx(0x1F) q; ry(0b101) q; rz(0o17) q; p(1_000) q;
