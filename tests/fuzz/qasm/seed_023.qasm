OPENQASM 3.0;
include "stdgates.inc";
qubit q; gphase(pi/3); ctrl @ gphase(0.2) q;
