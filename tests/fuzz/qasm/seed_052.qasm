OPENQASM 3.0;
include "stdgates.inc";
qubit q; U(1,2,3) q;
