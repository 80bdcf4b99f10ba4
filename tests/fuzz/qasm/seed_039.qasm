OPENQASM 3.0;
include "stdgates.inc";
qubit[6] q; x q[0:2:5]; y q[5:-2:1]; z q[-2:-1]; h q[{0, 3}]; s q[:1]; t q[4:]; sx q[-1];
