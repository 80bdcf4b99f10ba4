qreg h[1]; qreg rx[1]; creg cx[1]; gate sx a { U(0,0,pi) a; } sx h[0]; h rx[0];
