OPENQASM 3.0;
include "stdgates.inc";
qreg a[1]; qubit b; qubit[1] d; x a; y b; z d;
