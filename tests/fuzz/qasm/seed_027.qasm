OPENQASM 3.0;
include "stdgates.inc";
qubit q; pow(3) @ t q; pow(-1) @ s q; pow(0) @ x q; pow(2.0) @ h q; pow(2**20) @ p(0.001) q;
