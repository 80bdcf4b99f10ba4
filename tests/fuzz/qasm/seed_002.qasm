OPENQASM 2.0;
include "qelib1.inc";
qreg q[1]; rx(1/2) q[0]; rz(7/2*1) q;
