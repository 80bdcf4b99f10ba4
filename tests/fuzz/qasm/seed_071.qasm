OPENQASM 3.0;
include "stdgates.inc";
qubit q; bit c; x q; c = measure q; end; x q; c = measure q;
