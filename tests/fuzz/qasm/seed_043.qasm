OPENQASM 3.0;
include "stdgates.inc";
const int n = 3; qubit[2] q; switch (n) { case 1, 2 { x q[0]; } case 3 { x q[1]; } default { h q[0]; } } switch (n) { case 1 { x q; } default { h q[0]; } }
