OPENQASM 2.0;
include "qelib1.inc";
qreg q[3]; creg c[1]; creg d[3]; x q[0]; measure q[0]->c[0]; if(c==1) x q; measure q->d;
