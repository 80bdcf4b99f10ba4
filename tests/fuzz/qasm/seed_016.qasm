OPENQASM 2.0;
include "qelib1.inc";
opaque magic(a,b) u,v; qreg q[1]; x q;
