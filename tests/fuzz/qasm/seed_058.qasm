OPENQASM 2.0;
include "qelib1.inc";
qreg q[2]; creg c[1]; creg d[2]; x q[0]; measure q[0]->c[0]; if(c==1) reset q[0]; if(c==1) measure q[0]->d[0]; if(c==1) barrier q; x q[1]; if(c==1) measure q[1]->d[1];
