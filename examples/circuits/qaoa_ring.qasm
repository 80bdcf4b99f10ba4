// QAOA with one layer for MaxCut on a ring of 12 vertices. The angles come from outside:
//   ketmesh run qaoa_ring.qasm --param gamma=0.785398163397448 --param beta=0.392699081698724 --observable ZZ
// gives -0.5 for every edge, the best that one layer reaches: three quarters of the edges are cut.
OPENQASM 3.0;
include "stdgates.inc";

input float gamma;
input float beta;
const uint n = 12;

qubit[n] q;

h q;
for uint i in [0:n - 1] {
  cx q[i], q[(i + 1) % n];
  rz(-gamma) q[(i + 1) % n];
  cx q[i], q[(i + 1) % n];
}
rx(2 * beta) q;
