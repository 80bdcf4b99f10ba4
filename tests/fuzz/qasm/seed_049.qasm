OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q; delay[100ns] q[0]; delay[2.5 us] q; duration d = 3ms; delay[d + 1dt] q[1]; @mark this
x q[0]; pragma any thing {
barrier; barrier q;
