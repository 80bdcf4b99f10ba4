OPENQASM 3.0;
include "stdgates.inc";
gate g(t) a, b { for int i in [1:3] { rx(t * i) a; } cx a, b; } qubit[2] q; g(0.1) q[0], q[1];
