OPENQASM 2.0;
include "qelib1.inc";
qreg z[0]; qreg q[1]; h z; x q; barrier z;
