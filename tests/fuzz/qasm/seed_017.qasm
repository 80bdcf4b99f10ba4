OPENQASM 2.0;
include "qelib1.inc";
include "qelib1.inc"; include "stdgates.inc"; qreg q[1]; x q;
