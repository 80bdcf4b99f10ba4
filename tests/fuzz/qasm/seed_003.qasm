OPENQASM 2.0;
include "qelib1.inc";
qreg q[1]; rx(sin(1)+cos(2)*tan(0.5)-exp(0.1)/ln(5)+sqrt(2)) q[0];
