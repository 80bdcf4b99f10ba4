OPENQASM 3.0;
include "stdgates.inc";
gate g a { gphase(0.3); x a; } qubit[2] q; ctrl @ g q[0], q[1];
