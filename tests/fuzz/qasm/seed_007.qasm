OPENQASM 2.0;
include "qelib1.inc";
gate g(a,b) x,y { rx(a/2) x; cx x,y; rz(-b) y; barrier x,y; }
qreg q[2]; g(0.4,pi) q[1],q[0];
