OPENQASM 3.0;
include "stdgates.inc";
const float θ = 0.5; qubit qα; rx(θ) qα;
