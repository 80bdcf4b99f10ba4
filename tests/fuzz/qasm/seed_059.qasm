OPENQASM 2.0;
include "qelib1.inc";
gate g a,b { x a; x b; } qreg q[2]; creg c[2]; if(c==0) g q[0],q[1]; measure q->c;
