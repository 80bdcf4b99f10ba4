// A quench of the transverse-field Ising chain: 20 spins start in |0...0>, the ground state without a field; then the field
// is switched on and the chain evolves for a time of 2 in 20 second-order Trotter steps.
//   H = -J sum Z_i Z_i+1 - h sum X_i,   J = 1, h = 0.8
OPENQASM 3.0;
include "stdgates.inc";

const uint spins = 20;
const uint steps = 20;
const float J = 1.0;
const float h = 0.8;
const float dt = 0.1;

gate zz(theta) a, b { cx a, b; rz(theta) b; cx a, b; }

qubit[spins] q;
bit[spins] c;

for uint step in [1:steps] {
  rx(-h * dt) q;
  for uint i in [0:spins - 2] { zz(-2 * J * dt) q[i], q[i + 1]; }
  rx(-h * dt) q;
}
c = measure q;
