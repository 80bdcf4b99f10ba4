qreg q[4]; sdag q[0]; tdag q[1]; sxdag q[2]; sx q[0]; sxdg q[1]; csx q[0],q[1]; csxdg q[1],q[2]; k q[3]; iswap q[0],q[2]; u0(1) q[1]; cu2(0.1,0.2) q[0],q[3];
