OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; bit[2] c; bit d; x q[1]; c = measure q; switch (c) { case 0, 1 { x q[0]; } case 2 { x q[0]; } default { } } d = measure q[0];
