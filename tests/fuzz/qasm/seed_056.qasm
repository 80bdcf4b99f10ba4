OPENQASM 2.0;
include "qelib1.inc";
qreg q[2]; creg c[70]; creg d[1]; x q[0]; measure q[0]->c[69]; if(c==590295810358705651712) x q[1]; measure q[1]->d[0];
