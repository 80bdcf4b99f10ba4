OPENQASM 3.0;
include "stdgates.inc";
gate g(t) a { U(t,0,0) a; } qubit[3] q; ctrl(2) @ g(0.6) q[0], q[1], q[2];
