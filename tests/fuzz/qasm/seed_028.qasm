OPENQASM 3.0;
include "stdgates.inc";
gate g(a) x, y { rx(a) x; cx x, y; s y; } qubit[2] q; pow(2) @ g(0.3) q[0], q[1]; inv @ g(0.5) q[1], q[0];
