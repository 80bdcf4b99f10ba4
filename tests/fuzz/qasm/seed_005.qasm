OPENQASM 2.0;
include "qelib1.inc";
qreg a[2]; qreg b[2]; cx a,b; cz a[0],b;
