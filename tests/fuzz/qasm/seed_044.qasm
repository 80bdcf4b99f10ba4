OPENQASM 3.0;
include "stdgates.inc";
qubit q; if (1 < 2) { x q; } else { h q; } if (false) x q; else if (true) z q; else y q;
