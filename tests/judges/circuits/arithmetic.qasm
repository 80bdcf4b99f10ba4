OPENQASM 2.0;
include "qelib1.inc";
// A ripple-carry adder under a superposed operand, with relative-phase and multi-controlled gates.
gate maj a,b,c { cx c,b; cx c,a; ccx a,b,c; }
gate uma a,b,c { ccx a,b,c; cx c,a; cx a,b; }
qreg cin[1]; qreg a[4]; qreg b[4]; qreg cout[1];
h a[0]; ry(0.8) a[2]; x a[3];
x b[0]; h b[1]; rx(0.3) b[3];
maj cin[0],b[0],a[0];
maj a[0],b[1],a[1];
maj a[1],b[2],a[2];
maj a[2],b[3],a[3];
cx a[3],cout[0];
uma a[2],b[3],a[3];
uma a[1],b[2],a[2];
uma a[0],b[1],a[1];
uma cin[0],b[0],a[0];
rccx a[0],a[1],b[0];
c3x a[0],a[1],a[2],cout[0];
c4x a[0],a[1],a[2],a[3],b[2];
c3sqrtx b[0],b[1],b[2],b[3];
cswap cout[0],a[1],b[1];
csx a[0],b[3];
