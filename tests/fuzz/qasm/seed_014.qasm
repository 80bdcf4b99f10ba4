qreg q[2];
// θ
x q[0]; /* a
b */ h q[1];//
