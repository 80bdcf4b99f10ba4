OPENQASM 3.0;
include "stdgates.inc";
qubit q; rx(mod(7, 4) + floor(2.7) + ceiling(0.2) + pow(2, 3) + log(euler)) q; ry(arcsin(1) + arccos(0) + arctan(1) + sqrt(4)) q; rz(int(rotl("0001", 2) == 4)) q; p(rotr(uint[4](1), 1)) q;
