OPENQASM 2.0;
include "qelib1.inc";
gate nothing a {} gate e() a { x a; }
qreg q[1]; nothing q[0]; e() q[0]; e q[0];
