OPENQASM 2.0;
include "qelib1.inc";
gate Foo A,B { cx A,B; } qreg Q[2]; Foo Q[1],Q[0];
