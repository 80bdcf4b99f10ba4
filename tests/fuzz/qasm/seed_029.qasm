OPENQASM 3.0;
include "stdgates.inc";
gate g a { s a; t a; } qubit[2] q; ctrl @ pow(0.5) @ g q[0], q[1];
