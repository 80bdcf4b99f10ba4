qreg q[2]; gate rzz a,b { CX a,b; } rzz q[0],q[1];
