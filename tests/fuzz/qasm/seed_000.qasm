OPENQASM 2.0;
include "qelib1.inc";
qreg q[1];
u1(8/2/2*pi/4-pi-pi/2) q[0];
