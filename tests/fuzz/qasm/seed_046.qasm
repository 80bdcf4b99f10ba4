OPENQASM 3.0;
include "stdgates.inc";
x $2; cx $2, $0;
