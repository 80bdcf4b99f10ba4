OPENQASM 2.0;
include "qelib1.inc";
qreg q[4]; ry(3e-1) q[0]; ry(.5) q[1]; ry(2.) q[2]; ry(1E+0) q[3];
