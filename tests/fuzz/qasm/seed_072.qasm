OPENQASM 3.0;
include "stdgates.inc";
qubit q; bit c; x q; measure q; c = measure q;
