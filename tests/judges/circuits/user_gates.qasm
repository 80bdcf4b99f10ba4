OPENQASM 2.0;
include "qelib1.inc";
// Gates defined through gates, parameter expressions, register broadcast, odd spacing.
gate half(t) a { rz(t/2) a; sx a; rz(-t/2) a; }
gate ladder(t,s) a,b,c { half(t) a; cx a,b; half(s*pi) b; ccx a,b,c; half(t-s) c; cu3(t,s,-t) c,a; }
qreg a[3]; qreg b[3];
creg c[6];
h a;
u3(0.3,-1.1,2.5e-1) b;
ladder(0.7, 1/3) a[0],a[1],b[2];
ladder(-sin(0.4)^2, sqrt(2)) b[0] , b[1],a[2];
cx a,b;
cp(pi/8) a[0], b;
swap a[1],b[2];
barrier a, b;
rzz(0.4) a[2],b[0];
rxx(-0.9) a[0],b[1];
measure a[0] -> c[5];
measure a[1] -> c[4];
measure a[2] -> c[3];
measure b[0] -> c[2];
measure b[1] -> c[1];
measure b[2] -> c[0];
