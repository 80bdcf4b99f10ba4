#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm.hpp"
#include "ketmesh/circuit/qasm/dense_run.hpp"

namespace ketmesh::qasm {
namespace {

constexpr double kPi = std::numbers::pi;
const std::string k2 = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n";
const std::string k3 = "OPENQASM 3.0;\ninclude \"stdgates.inc\";\n";

struct Row {
  const char* what;
  std::string text;
  std::function<void(Circuit&)> expected;  // operations of the same unitary on as many qubits
};

// States on |+...> with distinct phases, so that controls and phases show.
void expect_same(const Row& row) {
  Circuit read;
  try {
    read = read_qasm(row.text);
  } catch (const Error& e) {
    FAIL() << row.what << ": " << e.what();
  }
  const std::size_t n = read.num_qubits();
  const auto prepared = [&] {
    Circuit c(n, read.num_clbits());
    for (Qubit q = 0; q < n; ++q) c.ry(q, 0.7 + 0.3 * q).p(q, 0.4 * q + 0.2);
    return c;
  };
  Circuit a = prepared(), b = prepared();
  for (const Operation op : read) a.append(op);
  row.expected(b);
  EXPECT_LT(distance(DenseRun(a).state, DenseRun(b).state), 1e-12) << row.what << "\n" << read.str();
}

TEST(QasmMeaning, Version2) {
  const Row rows[] = {
      {"left associative minus and division", k2 + "qreg q[1];\nu1(8/2/2*pi/4-pi-pi/2) q[0];", [](Circuit& c) { c.p(0, -kPi); }},
      {"power binds tighter than minus, to the right", k2 + "qreg q[1]; rx(-2^2) q[0]; rz(2^3^2/100) q[0]; ry(2^-1) q[0];",
       [](Circuit& c) { c.rx(0, -4).rz(0, 5.12).ry(0, 0.5); }},
      {"all numbers are real", k2 + "qreg q[1]; rx(1/2) q[0]; rz(7/2*1) q;", [](Circuit& c) { c.rx(0, 0.5).rz(0, 3.5); }},
      {"functions", k2 + "qreg q[1]; rx(sin(1)+cos(2)*tan(0.5)-exp(0.1)/ln(5)+sqrt(2)) q[0];",
       [](Circuit& c) { c.rx(0, std::sin(1) + std::cos(2) * std::tan(0.5) - std::exp(0.1) / std::log(5) + std::sqrt(2)); }},
      {"number spellings", k2 + "qreg q[4]; ry(3e-1) q[0]; ry(.5) q[1]; ry(2.) q[2]; ry(1E+0) q[3];",
       [](Circuit& c) { c.ry(0, 0.3).ry(1, 0.5).ry(2, 2).ry(3, 1); }},
      {"registers in step, singles repeated", k2 + "qreg a[2]; qreg b[2]; cx a,b; cz a[0],b;",
       [](Circuit& c) { c.cx(0, 2).cx(1, 3).cz(0, 2).cz(0, 3); }},
      {"U and CX of the language", "qreg q[2]; U(0.1,0.2,0.3) q[0]; CX q[0],q[1];", [](Circuit& c) { c.u(0, 0.1, 0.2, 0.3).cx(0, 1); }},
      {"user gate with angles", k2 + "gate g(a,b) x,y { rx(a/2) x; cx x,y; rz(-b) y; barrier x,y; }\nqreg q[2]; g(0.4,pi) q[1],q[0];",
       [](Circuit& c) { c.rx(1, 0.2).cx(1, 0).rz(0, -kPi); }},
      {"gate without a body or with empty brackets",
       k2 + "gate nothing a {} gate e() a { x a; }\nqreg q[1]; nothing q[0]; e() q[0]; e q[0];", [](Circuit&) {}},
      {"names of exporters",
       "qreg q[4]; sdag q[0]; tdag q[1]; sxdag q[2]; sx q[0]; sxdg q[1]; csx q[0],q[1]; csxdg q[1],q[2]; k q[3]; iswap q[0],q[2]; u0(1) "
       "q[1]; cu2(0.1,0.2) q[0],q[3];",
       [](Circuit& c) {
         c.sdg(0).tdg(1).sxdg(2).sx(0).sxdg(1).csx(0, 1).csxdg(1, 2).k(3).iswap(0, 2);
         const Qubit t = 3;
         const Parameter a[] = {0.1, 0.2};
         const Control on[] = {control_on(0)};
         c.append(Gate::u2, std::span(&t, 1), a, on);
       }},
      {"wide names of exporters",
       "qreg q[5]; rzz(0.1) q[0],q[1]; rxx(0.2) q[1],q[2]; ryy(0.3) q[2],q[3]; rccx q[0],q[1],q[2]; c3x q[0],q[1],q[2],q[3]; c4x "
       "q[4],q[3],q[2],q[1],q[0]; c3sqrtx q[0],q[1],q[2],q[3]; rc3x q[1],q[2],q[3],q[4]; cu(0.1,0.2,0.3,0.4) q[0],q[1];",
       [](Circuit& c) {
         c.rzz(0, 1, 0.1)
             .rxx(1, 2, 0.2)
             .ryy(2, 3, 0.3)
             .rccx(0, 1, 2)
             .c3x(0, 1, 2, 3)
             .c4x(4, 3, 2, 1, 0)
             .c3sqrtx(0, 1, 2, 3)
             .rc3x(1, 2, 3, 4)
             .cu(0, 1, 0.1, 0.2, 0.3, 0.4);
       }},
      {"a definition of the text wins", "qreg q[2]; gate rzz a,b { CX a,b; } rzz q[0],q[1];", [](Circuit& c) { c.cx(0, 1); }},
      {"known names block nothing", "qreg h[1]; qreg rx[1]; creg cx[1]; gate sx a { U(0,0,pi) a; } sx h[0]; h rx[0];",
       [](Circuit& c) { c.p(0, kPi).h(1); }},
      {"capital names", k2 + "gate Foo A,B { cx A,B; } qreg Q[2]; Foo Q[1],Q[0];", [](Circuit& c) { c.cx(1, 0); }},
      {"no header, byte-order mark, CRLF, comments", "\xEF\xBB\xBFqreg q[2];\r\n// \xCE\xB8\r\nx q[0]; /* a\r\nb */ h q[1];//",
       [](Circuit& c) { c.x(0).h(1); }},
      {"size 0 holds nothing", k2 + "qreg z[0]; qreg q[1]; h z; x q; barrier z;", [](Circuit& c) { c.x(0); }},
      {"opaque may be declared", k2 + "opaque magic(a,b) u,v; qreg q[1]; x q;", [](Circuit& c) { c.x(0); }},
      {"an include twice", k2 + "include \"qelib1.inc\"; include \"stdgates.inc\"; qreg q[1]; x q;", [](Circuit& c) { c.x(0); }},
  };
  for (const Row& row : rows) expect_same(row);
}

TEST(QasmMeaning, Version3) {
  const auto u_phase = [](Circuit& c, Qubit q, double t, double p, double l) { c.u(q, t, p, l).gphase(t / 2); };
  const Row rows[] = {
      {"builtin U has a phase, relative under ctrl", k3 + "qubit[2] q; ctrl @ U(0.4,0.5,0.6) q[0], q[1];",
       [](Circuit& c) { c.cu(0, 1, 0.4, 0.5, 0.6, 0.2); }},
      {"inverse of U", k3 + "qubit[2] q; ctrl @ inv @ U(0.4,0.5,0.6) q[0], q[1];", [](Circuit& c) { c.cu(0, 1, -0.4, -0.6, -0.5, -0.2); }},
      {"u3 under ctrl is cu3", k3 + "qubit[2] q; ctrl @ u3(0.2,0.3,0.4) q[0], q[1];", [](Circuit& c) { c.cu3(0, 1, 0.2, 0.3, 0.4); }},
      {"U in a body twice controlled", k3 + "gate g(t) a { U(t,0,0) a; } qubit[3] q; ctrl(2) @ g(0.6) q[0], q[1], q[2];",
       [](Circuit& c) {
         const Qubit t = 2;
         const Parameter a[] = {0.6, 0, 0};
         const Control on[] = {control_on(0), control_on(1)};
         c.append(Gate::u, std::span(&t, 1), a, on).gphase(0.3, on);
       }},
      {"gphase of a body under ctrl", k3 + "gate g a { gphase(0.3); x a; } qubit[2] q; ctrl @ g q[0], q[1];",
       [](Circuit& c) { c.p(0, 0.3).cx(0, 1); }},
      {"gphase alone", k3 + "qubit q; gphase(pi/3); ctrl @ gphase(0.2) q;", [](Circuit& c) { c.gphase(kPi / 3).p(0, 0.2); }},
      {"modifiers from the right", k3 + "qubit[2] q; ctrl @ inv @ pow(0.5) @ x q[0], q[1];", [](Circuit& c) { c.csxdg(0, 1); }},
      {"the left control takes the first qubit", k3 + "qubit[3] q; negctrl @ ctrl @ x q[0], q[1], q[2];",
       [](Circuit& c) { c.x(0).ccx(0, 1, 2).x(0); }},
      {"negctrl(n) acts when all are 0", k3 + "qubit[3] q; negctrl(2) @ x q[0], q[1], q[2];",
       [](Circuit& c) { c.x(0).x(1).ccx(0, 1, 2).x(0).x(1); }},
      {"whole powers", k3 + "qubit q; pow(3) @ t q; pow(-1) @ s q; pow(0) @ x q; pow(2.0) @ h q; pow(2**20) @ p(0.001) q;",
       [](Circuit& c) { c.t(0).t(0).t(0).sdg(0).p(0, 1048.576); }},
      {"power of a body, inverse of a body",
       k3 + "gate g(a) x, y { rx(a) x; cx x, y; s y; } qubit[2] q; pow(2) @ g(0.3) q[0], q[1]; inv @ g(0.5) q[1], q[0];",
       [](Circuit& c) { c.rx(0, 0.3).cx(0, 1).s(1).rx(0, 0.3).cx(0, 1).s(1).sdg(0).cx(1, 0).rx(1, -0.5); }},
      {"fractional power of a body", k3 + "gate g a { s a; t a; } qubit[2] q; ctrl @ pow(0.5) @ g q[0], q[1];",
       [](Circuit& c) { c.cp(0, 1, 3 * kPi / 8); }},
      {"inverse of a power in a body", k3 + "gate g a { pow(0.5) @ x a; rz(0.1) a; } qubit q; inv @ g q;",
       [](Circuit& c) { c.rz(0, -0.1).sxdg(0); }},
      {"whole division, power, remainder",
       k3 + "const int n = 7 / 2 + 2 ** 3 % 5; qubit q; rx(n / 4.0) q; ry(-2 ** 2) q; rz(5 ^ 1) q; p(-7 / 2) q; rx(-7 % 3) q;",
       [](Circuit& c) { c.rx(0, 1.5).ry(0, -4).rz(0, 4).p(0, -3).rx(0, -1); }},
      {"precedence", k3 + "qubit q; rx(1 + 2 << 1 | 1 & 3) q; ry(float(2 < 3 == true && !false) * 0.5) q; rz(~0 + 3) q;",
       [](Circuit& c) { c.rx(0, 7).ry(0, 0.5).rz(0, 2); }},
      {"wrapping",
       k3 + "const uint[4] a = 17; const int[4] b = 9; const uint[8] x = 255; const uint[8] y = 1; const bool t = 3; qubit q; rx(a) q; "
            "ry(b) q; rz(x + y) q; p(t) q;",
       [](Circuit& c) { c.rx(0, 1).ry(0, -7).p(0, 1); }},
      {"angle wraps, float does not",
       k3 + "const angle a = 3 * pi; const float b = 3 * pi; const angle[3] s = 0.8; qubit[2] q; rx(a) q[0]; rx(b) q[1]; rz(a + a) q[0]; "
            "rz(s) q[1];",
       [](Circuit& c) { c.rx(0, kPi).rx(1, 3 * kPi).rz(1, kPi / 4); }},
      {"casts", k3 + "qubit q; rx(int(3.9)) q; ry(uint[2](7)) q; rz(float(1) / 2) q; p(int(bool(5)) + int(true)) q;",
       [](Circuit& c) { c.rx(0, 3).ry(0, 3).rz(0, 0.5).p(0, 2); }},
      {"bit strings",
       k3 + "const bit[4] m = \"0011\"; qubit[4] q; if (m[0]) x q[0]; if (m[3]) x q[3]; rx(popcount(m)) q[1]; if (m == 3) x q[2]; if "
            "(m[0:1] == \"11\") h q[3]; ry(uint[4](m << 1)) q[1];",
       [](Circuit& c) { c.x(0).rx(1, 2).x(2).h(3).ry(1, 6); }},
      {"constants", k3 + "qubit q; rx(tau / 4) q; ry(\xCF\x80 / 2) q; rz(euler) q;",
       [](Circuit& c) { c.rx(0, kPi / 2).ry(0, kPi / 2).rz(0, std::numbers::e); }},
      {"literals", k3 + "qubit q; rx(0x1F) q; ry(0b101) q; rz(0o17) q; p(1_000) q;",
       [](Circuit& c) { c.rx(0, 31).ry(0, 5).rz(0, 15).p(0, 1000); }},
      {"slices, sets, negative indices", k3 + "qubit[6] q; x q[0:2:5]; y q[5:-2:1]; z q[-2:-1]; h q[{0, 3}]; s q[:1]; t q[4:]; sx q[-1];",
       [](Circuit& c) { c.x(0).x(2).x(4).y(5).y(3).y(1).z(4).z(5).h(0).h(3).s(0).s(1).t(4).t(5).sx(5); }},
      {"aliases", k3 + "qubit[3] a; qubit[2] b; let r = a[1:2] ++ b; x r; let s = r[{0, 3}]; h s[1]; cx r[0:1], b;",
       [](Circuit& c) { c.x(1).x(2).x(3).x(4).h(4).cx(1, 3).cx(2, 4); }},
      {"loops",
       k3 + "qubit[5] q; for int i in [0:3] { x q[i]; } for uint i in [4:-2:0] h q[i]; for int i in {1, 3} { rx(i) q[i]; } for float f in "
            "{0.5, 1.5} rz(f) q[0];",
       [](Circuit& c) { c.x(0).x(1).x(2).x(3).h(4).h(2).h(0).rx(1, 1).rx(3, 3).rz(0, 2); }},
      {"loops over wires, break, continue, variables",
       k3 + "qubit[4] q; for qubit w in q[1:2] x w; int n = 0; for int i in [0:9] { if (i == 2) continue; if (i > 3) break; n += i; } "
            "rx(n) q[0]; for bit b in \"101\" { if (b) h q[3]; }",
       [](Circuit& c) { c.x(1).x(2).rx(0, 4); }},
      {"switch",
       k3 + "const int n = 3; qubit[2] q; switch (n) { case 1, 2 { x q[0]; } case 3 { x q[1]; } default { h q[0]; } } switch (n) { case 1 "
            "{ x q; } default { h q[0]; } }",
       [](Circuit& c) { c.x(1).h(0); }},
      {"constant branches", k3 + "qubit q; if (1 < 2) { x q; } else { h q; } if (false) x q; else if (true) z q; else y q;",
       [](Circuit& c) { c.x(0).z(0); }},
      {"registers of both styles", k3 + "qreg a[1]; qubit b; qubit[1] d; x a; y b; z d;", [](Circuit& c) { c.x(0).y(1).z(2); }},
      {"hardware qubits", k3 + "x $2; cx $2, $0;", [](Circuit& c) { c.x(2).cx(2, 0); }},
      {"loops in bodies", k3 + "gate g(t) a, b { for int i in [1:3] { rx(t * i) a; } cx a, b; } qubit[2] q; g(0.1) q[0], q[1];",
       [](Circuit& c) { c.rx(0, 0.6).cx(0, 1); }},
      {"phase and cphase", k3 + "qubit[2] q; phase(0.2) q[0]; cphase(0.3) q[0], q[1];", [](Circuit& c) { c.p(0, 0.2).cp(0, 1, 0.3); }},
      {"timing changes nothing",
       k3 + "qubit[2] q; delay[100ns] q[0]; delay[2.5 us] q; duration d = 3ms; delay[d + 1dt] q[1]; @mark this\nx q[0]; pragma any thing "
            "{\nbarrier; barrier q;",
       [](Circuit& c) { c.x(0); }},
      {"unicode names", k3 + "const float \xCE\xB8 = 0.5; qubit q\xCE\xB1; rx(\xCE\xB8) q\xCE\xB1;", [](Circuit& c) { c.rx(0, 0.5); }},
      {"outer scopes come back", k3 + "const int n = 1; qubit q; { const int n = 2; rx(n) q; } rx(n) q;", [](Circuit& c) { c.rx(0, 3); }},
      {"U twice", k3 + "qubit q; U(1,2,3) q;", [&](Circuit& c) { u_phase(c, 0, 1, 2, 3); }},
  };
  for (const Row& row : rows) expect_same(row);
}

TEST(QasmMeaning, Functions3) {
  expect_same({"functions",
               k3 + "qubit q; rx(mod(7, 4) + floor(2.7) + ceiling(0.2) + pow(2, 3) + log(euler)) q; ry(arcsin(1) + arccos(0) + arctan(1) + "
                    "sqrt(4)) q; rz(int(rotl(\"0001\", 2) == 4)) q; p(rotr(uint[4](1), 1)) q;",
               [](Circuit& c) { c.rx(0, 15).ry(0, kPi * 1.25 + 2).rz(0, 1).p(0, 8); }});
}

struct Bits {
  const char* what;
  std::string text;
  const char* key;  // the only outcome
};

TEST(QasmMeaning, Measurement) {
  const Bits rows[] = {
      {"a condition guards every expanded gate",
       k2 + "qreg q[3]; creg c[1]; creg d[3]; x q[0]; measure q[0]->c[0]; if(c==1) x q; measure q->d;", "1011"},
      {"a false condition guards every one, too",
       k2 + "qreg q[3]; creg c[1]; creg d[3]; x q[0]; measure q[0]->c[0]; if(c==0) x q; measure q->d;", "1100"},
      {"a condition beyond 64 bits",
       k2 + "qreg q[2]; creg c[70]; creg d[1]; x q[0]; measure q[0]->c[69]; if(c==590295810358705651712) x q[1]; measure q[1]->d[0];",
       "00000000000000000000000000000000000000000000000000000000000000000000011"},
      {"no wrap at 64 bits", k2 + "qreg q[2]; creg c[70]; creg d[1]; x q[0]; measure q[0]->c[69]; if(c==0) x q[1]; measure q[1]->d[0];",
       "00000000000000000000000000000000000000000000000000000000000000000000010"},
      {"conditions on other statements",
       k2 + "qreg q[2]; creg c[1]; creg d[2]; x q[0]; measure q[0]->c[0]; if(c==1) reset q[0]; if(c==1) measure q[0]->d[0]; if(c==1) "
            "barrier q; x q[1]; if(c==1) measure q[1]->d[1];",
       "101"},
      {"a condition on a user gate", k2 + "gate g a,b { x a; x b; } qreg q[2]; creg c[2]; if(c==0) g q[0],q[1]; measure q->c;", "11"},
      {"if, else, else if",
       k3 + "qubit[3] q; bit[2] c; bit[3] d; x q[0]; c = measure q[0:1]; if (c[0] && !c[1]) { x q[2]; } else { x q[1]; } if (c > 1) x "
            "q[0]; else if (c == 1) x q[1]; d = measure q;",
       "10111"},
      {"measurement in a declaration", k3 + "qubit q; x q; bit b = measure q; bit[1] e; if (b) x q; e[0] = measure q;", "10"},
      {"arrow form in version 3", k3 + "qubit[2] q; bit[2] c; x q[1]; measure q -> c;", "01"},
      {"expressions of bits",
       k3 + "qubit[4] q; bit[3] c; bit[4] d; x q[0]; x q[2]; c = measure q[0:2]; if ((c & 4) == 4 && popcount(c) == 2) x q[1]; if (c + 1 "
            "== 6 || c << 1 == 0) x q[3]; if (~c == 2) z q[0]; d = measure q;",
       "1011111"},
      {"comparison with a bit string",
       k3 + "qubit[2] q; bit[2] c; bit d; x q[1]; c = measure q; if (c == \"10\") x q[0]; d = measure q[0];", "011"},
      {"slices of bits", k3 + "qubit[3] q; bit[3] c; x q[2]; x q[1]; c = measure q; if (c[1:2] == 3) x q[0]; c[0] = measure q[0];", "111"},
      {"aliased bits", k3 + "qubit[2] q; bit[2] a; bit[2] b; let r = b ++ a; x q[0]; r[0:1] = measure q;", "0010"},
      {"switch on bits",
       k3 + "qubit[2] q; bit[2] c; bit d; x q[1]; c = measure q; switch (c) { case 0, 1 { x q[0]; } case 2 { x q[0]; } default { } } d = "
            "measure q[0];",
       "011"},
      {"loop over a register of bits",
       k3 + "qubit[3] q; bit[2] c; bit d; x q[0]; x q[1]; c = measure q[0:1]; for bit b in c { if (b) x q[2]; } d = measure q[2];", "110"},
      {"nested blocks",
       k3 + "qubit[2] q; bit[2] c; x q[0]; c[0] = measure q[0]; if (c[0]) { if (c[1]) { x q[0]; } else { for int i in [0:0] { x q[1]; } } "
            "} c[1] = measure q[1];",
       "11"},
      {"a cast of bits",
       k3 + "qubit[2] q; bit[2] c; bit d; x q[1]; c = measure q; if (uint[4](c) == 2 && bool(c[1])) x q[0]; d = measure q[0];", "011"},
      {"end", k3 + "qubit q; bit c; x q; c = measure q; end; x q; c = measure q;", "1"},
      {"a result that is not kept", k3 + "qubit q; bit c; x q; measure q; c = measure q;", "11"},
  };
  for (const Bits& row : rows) {
    try {
      const Circuit c = read_qasm(row.text);
      EXPECT_EQ(DenseRun(c).bits.key(c.num_clbits()), row.key) << row.what << "\n" << c.str();
    } catch (const Error& e) {
      ADD_FAILURE() << row.what << ": " << e.what();
    }
  }
}

TEST(QasmMeaning, RegistersKeepTheirOrder) {
  const Circuit c = read_qasm(k2 + "qreg a[1]; qreg b[4]; creg ca[1]; creg cb[4]; x b[3]; measure a->ca; measure b->cb;");
  ASSERT_EQ(c.classical_registers().size(), 2u);
  EXPECT_EQ(c.classical_registers()[1], (Register{"cb", 1, 4}));
  EXPECT_EQ(c.quantum_registers()[1], (Register{"b", 1, 4}));
  EXPECT_EQ(c.num_qubits(), 5u);
}

TEST(QasmInputs, StayParametersUntilBound) {
  const std::string text =
      k3 + "input float theta; input int[32] n; gate g(a) x { rx(a * 2) x; } qubit q; g(theta + n) q; rz(sin(theta) ** 2) q;";
  const Circuit c = read_qasm(text);
  EXPECT_EQ(c.parameter_names(), (std::vector<std::string>{"theta", "n"}));
  EXPECT_NEAR(c[0].parameters[0].evaluate({{"theta", 0.25}, {"n", 1}}), 2.5, 1e-15);
  QasmOptions options;
  options.inputs = {{"theta", 0.25}, {"n", 1}};
  const Circuit bound = read_qasm(text, options);
  ASSERT_TRUE(bound[0].parameters[0].is_number());
  EXPECT_NEAR(bound[0].parameters[0].number(), 2.5, 1e-15);
  options.inputs["other"] = 1;
  EXPECT_THROW(read_qasm(text, options), CircuitError);
}

TEST(QasmInputs, AnAngleWraps) {
  const Circuit c = read_qasm(k3 + "input angle a; qubit q; rx(a) q;");
  EXPECT_NEAR(c[0].parameters[0].evaluate({{"a", 3 * kPi}}), kPi, 1e-12);
  EXPECT_NEAR(c[0].parameters[0].evaluate({{"a", 1.0}}), 1.0, 1e-15);
}

TEST(QasmInputs, SizesNeedAValue) {
  const std::string text = k3 + "input int n; qubit[n] q; x q;";
  EXPECT_THROW(read_qasm(text), CircuitError);
  QasmOptions options;
  options.inputs["n"] = 3;
  EXPECT_EQ(read_qasm(text, options).size(), 3u);
}

class QasmFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("ketmesh_qasm_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "sub");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name, std::ios::binary) << text; }
  std::filesystem::path folder_;
};

TEST_F(QasmFiles, IncludesAreLookedUpBesideTheirFile) {
  put("main.qasm", k2 + "include \"sub/a.inc\";\ninclude \"sub/a.inc\";\nqreg q[1];\nouter q[0];\n");
  put("sub/a.inc", "include \"b.inc\";\ngate outer a { inner a; }\n");
  put("sub/b.inc", "include \"a.inc\";\ngate inner a { x a; }");
  const Circuit c = read_qasm_file(folder_ / "main.qasm");
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].gate, Gate::x);
  QasmOptions options;
  options.include_paths = {folder_};
  EXPECT_EQ(read_qasm("include \"sub/a.inc\"; qreg q[1]; outer q[0];", options).size(), 1u);
  const std::string absolute = "include \"" + (folder_ / "sub/a.inc").string() + "\"; qreg q[1]; outer q[0];";
  EXPECT_EQ(read_qasm(absolute, options).size(), 1u);
  EXPECT_THROW(read_qasm(absolute), ParseError);
}

TEST_F(QasmFiles, ErrorsNameTheFile) {
  put("main.qasm", k2 + "\ninclude \"bad.inc\";\nqreg q[1];\n");
  put("bad.inc", "gate g a {\n  foo a;\n}\n");
  try {
    read_qasm_file(folder_ / "main.qasm");
    FAIL();
  } catch (const ParseError& e) {
    EXPECT_EQ(e.file(), (folder_ / "bad.inc").string());
    EXPECT_EQ(e.line(), 2u);
    EXPECT_EQ(e.column(), 3u);
  }
  EXPECT_THROW(read_qasm_file(folder_ / "none.qasm"), IoError);
  EXPECT_THROW(read_qasm_file(folder_), IoError);
  QasmOptions small;
  small.max_bytes = 10;
  EXPECT_THROW(read_qasm_file(folder_ / "main.qasm", small), IoError);
  EXPECT_THROW(read_qasm("include \"none.inc\"; qreg q[1];"), ParseError);
}

TEST(QasmLimits, NestingIsBounded) {
  const auto repeated = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  const auto brackets = [&](int n) { return k2 + "qreg q[1]; rx(" + repeated("(", n) + "1" + repeated(")", n) + ") q[0];"; };
  EXPECT_EQ(read_qasm(brackets(900)).size(), 1u);
  EXPECT_THROW(read_qasm(brackets(1001)), ParseError);
  EXPECT_THROW(read_qasm(brackets(500'000)), ParseError);
  const auto blocks = [&](int n) { return k3 + "qubit q; bit c; " + repeated("if (c) {", n) + "x q;" + repeated("}", n); };
  EXPECT_EQ(read_qasm(blocks(900)).size(), 1u);
  EXPECT_THROW(read_qasm(blocks(200'000)), ParseError);
  EXPECT_THROW(read_qasm(k3 + "qubit q; bit c; " + repeated("if (c) ", 200'000) + "x q;"), ParseError);
  EXPECT_THROW(read_qasm(k2 + "qreg q[1]; rx(" + repeated("2^", 200'000) + "1) q[0];"), ParseError);
  EXPECT_THROW(read_qasm(k3 + "qubit q; rx(" + repeated("sin(", 200'000)), ParseError);
  EXPECT_EQ(read_qasm(k2 + "qreg q[1]; rx(" + repeated("-", 200'000) + "1" + repeated("+1", 200'000) + ") q[0];").size(), 1u);
  EXPECT_THROW(read_qasm(k3 + "input float t; qubit q; rx(t" + repeated("+t", 200'000) + ") q;"), CircuitError);
}

TEST(QasmLimits, GatesThroughAnyNumberOfGates) {
  std::string text = "qreg q[2];\ngate g0(a) x,y { rz(a) x; cx x,y; }\n";
  constexpr int kLevels = 20'000;
  for (int i = 1; i <= kLevels; ++i) text += "gate g" + std::to_string(i) + "(a) x,y { g" + std::to_string(i - 1) + "(a/2+1) y,x; }\n";
  text += "g" + std::to_string(kLevels) + "(0.3) q[0],q[1];\n";
  const Circuit c = read_qasm(text);
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(c[0].parameters[0].number(), 2, 1e-12);
  EXPECT_EQ(c[0].line, 2u);
}

TEST(QasmLimits, ExpansionIsBounded) {
  std::string text = "qreg q[1];\ngate g0 x { }\ngate h0 x { x x; }\n";
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i), m = std::to_string(i - 1);
    text += "gate g" + n + " x { g" + m + " x; g" + m + " x; }\ngate h" + n + " x { h" + m + " x; h" + m + " x; }\n";
  }
  QasmOptions options;
  options.max_operations = 100'000;
  EXPECT_THROW(read_qasm(text + "g59 q[0];", options), CircuitError);
  EXPECT_THROW(read_qasm(text + "h59 q[0];", options), CircuitError);
  EXPECT_THROW(read_qasm(k3 + "qubit q; for int i in [0:1000000000000] { }", options), CircuitError);
  EXPECT_THROW(read_qasm(k3 + "qubit q; gate g a { for int i in [0:1000000000000] { } }", options), CircuitError);
  EXPECT_THROW(read_qasm(k3 + "gate g a { x a; } qubit q; pow(1000000000) @ g q;", options), CircuitError);
}

TEST(QasmLimits, ManyGatesAreQuick) {
  std::string text = k2 + "qreg q[20];\n";
  for (int i = 0; i < 100'000; ++i) text += "rz(0.12345678*pi) q[0];\ncx q[0],q[11];\nu3(pi/2,0.3,-pi/4) q[1];\nh q[0];\n";
  EXPECT_EQ(read_qasm(text).size(), 400'000u);  // the time is a benchmark: about half a second
}

}  // namespace
}  // namespace ketmesh::qasm
