OPENQASM 2.0;
include "qelib1.inc";
qreg q[1]; rx(-2^2) q[0]; rz(2^3^2/100) q[0]; ry(2^-1) q[0];
