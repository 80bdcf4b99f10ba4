#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm.hpp"

namespace ketmesh::qasm {
namespace {

const std::string k2 = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n";
const std::string k3 = "OPENQASM 3.0;\ninclude \"stdgates.inc\";\n";
constexpr ErrorKind kParse = ErrorKind::ParseError, kCircuit = ErrorKind::CircuitError;

struct Row {
  std::string text;
  ErrorKind kind;
  std::size_t line, column;
  const char* mentions;
};

void expect_error(const Row& row) {
  const auto check = [&](const auto& e) {
    EXPECT_EQ(e.kind(), row.kind) << row.text << "\n" << e.what();
    EXPECT_EQ(e.line(), row.line) << row.text << "\n" << e.what();
    EXPECT_EQ(e.column(), row.column) << row.text << "\n" << e.what();
    EXPECT_NE(e.message().find(row.mentions), std::string::npos) << row.text << "\n" << e.what();
  };
  try {
    read_qasm(row.text);
    ADD_FAILURE() << "accepted: " << row.text;
  } catch (const ParseError& e) {
    check(e);
  } catch (const CircuitError& e) {
    check(e);
  }
}

TEST(QasmErrors, Version2) {
  const Row rows[] = {
      {k2 + "qreg q[2];\nfoo q[1];", kParse, 4, 1, "'foo' is not defined"},
      {k2 + "qreg q[2;", kParse, 3, 9, "expected ']'"},
      {k2 + "qreg q[2]\nx q;", kParse, 4, 1, "unexpected 'x'; expected ';'"},
      {k2 + "qreg q[2];\nx q[2];", kCircuit, 4, 3, "index 2 is out of range for 'q' of size 2; expected 0 to 1"},
      {k2 + "qreg q[2];\ncx q[0],q[0];", kCircuit, 4, 1, "distinct"},
      {k2 + "qreg q[3];\ncx q[0],q;", kCircuit, 4, 1, "twice"},
      {k2 + "qreg q[2];\nqreg r[3];\ncx q,r;", kCircuit, 5, 6, "different sizes"},
      {k2 + "qreg q[2];\nx q[0],q[1];", kCircuit, 4, 1, "takes 1 qubit, got 2"},
      {k2 + "qreg q[2];\nrx q[0];", kCircuit, 4, 1, "takes 1 angle, got 0"},
      {k2 + "qreg q[1];\nrx(ln(0)) q[0];", kCircuit, 4, 4, "ln(0) is not a finite number"},
      {k2 + "qreg q[1];\nrx(1/0) q[0];", kCircuit, 4, 5, "division by zero"},
      {k2 + "qreg q[1];\nrx(1e400) q[0];", kCircuit, 4, 4, "not finite"},
      {k2 + "gate g(a) b { u1(1/a) b; }\nqreg q[1];\ng(0) q[0];", kCircuit, 3, 19, "division by zero"},
      {k2 + "gate g a { g a; }", kParse, 3, 12, "recursion"},
      {k2 + "gate g a { h b; }", kParse, 3, 14, "'b' is not defined"},
      {k2 + "gate g a,b { cx a,a; }", kCircuit, 3, 19, "distinct"},
      {k2 + "gate g a { rx(t) a; }", kParse, 3, 15, "'t' is not defined"},
      {k2 + "gate g a { x a; }\ngate g a { x a; }", kParse, 4, 6, "defined already, in line 3"},
      {k2 + "gate g a {\n  measure a -> c;\n}", kParse, 4, 3, "in the body of a gate"},
      {k2 + "gate g a {\n  x a;\n", kParse, 5, 1, "end of the file"},
      {k2 + "opaque magic(a) u;\nqreg q[1];\nmagic(1) q[0];", kCircuit, 5, 1, "'magic' is opaque"},
      {k2 + "qreg q[1];\nqreg q[2];", kParse, 4, 6, "declared already, in line 3"},
      {k2 + "qreg q[1]; creg c[2];\nmeasure q -> c;", kCircuit, 4, 1, "sizes must be the same"},
      {k2 + "qreg q[1];\nmeasure q[0];", kParse, 4, 13, "'->'"},
      {k2 + "qreg q[1];\nx c;", kParse, 4, 3, "'c' is not defined"},
      {k2 + "qreg q[1]; creg c[1];\nx c[0];", kCircuit, 4, 3, "expected a qubit"},
      {k2 + "qreg q[1000001];", kCircuit, 3, 6, "limit is 1000000"},
      {k2 + "creg c[1];", kCircuit, 3, 11, "no qubit register"},
      {"", kCircuit, 1, 1, "no qubit register"},
      {"OPENQASM 4.0;\nqreg q[1];", kParse, 1, 10, "version 4.0"},
      {"qreg q[1];\nOPENQASM 2.0;", kParse, 2, 1, "first statement"},
      {"qreg q[1];\n  \xCE\xB8 x \x01;", kParse, 2, 7, "0x01"},
      {"\xFF\xFEq\0r", kParse, 1, 1, "UTF-16"},
      {"qreg q[1];\nx \"q", kParse, 2, 3, "string without an end"},
      {"qreg q[1]; /* x\n", kParse, 1, 12, "comment without an end"},
      {"qreg q[1];\nrx(0x) q[0];", kParse, 2, 4, "malformed number"},
      {"qreg q[1];\nrx(3pi) q[0];", kParse, 2, 4, "malformed number"},
      {"qubit[2] q;", kParse, 1, 1, "OpenQASM 2"},
      {"include \"missing.inc\";\nqreg q[1];", kParse, 1, 9, "not found"},
      {"qreg q[1];\r\n\r\nfoo q[0];", kParse, 3, 1, "foo"},
      {"qreg q[1]; creg c[1];\nif(c==1) if(c==1) x q[0];", kParse, 2, 10, "after the condition"},
  };
  for (const Row& row : rows) expect_error(row);
}

TEST(QasmErrors, Version3) {
  for (const char* word :
       {"def f(qubit a) { x a; }", "extern f(int) -> int;", "defcal x $0 { }", "cal { }", "box { x q; }", "box[100ns] { x q; }",
        "array[int[8], 2] a = {1, 2};", "complex c;", "while (true) { }", "stretch s;", "return;", "defcalgrammar \"openpulse\";"}) {
    const std::string text(word);
    const std::string name = text.substr(0, text.find_first_of(" [;("));
    expect_error({k3 + "qubit q;\n  " + text, kParse, 4, 3, name.c_str()});
  }
  const Row rows[] = {
      {k3 + "qubit[2] q;\nx q[2];", kCircuit, 4, 3, "out of range"},
      {k3 + "qubit[2] q;\nx q[-3];", kCircuit, 4, 4, "index -3 is out of range"},
      {k3 + "qubit[2] q;\nx q[0:2:4];", kCircuit, 4, 4, "index 2 is out of range"},
      {k3 + "qubit[2] q;\nx q[0:0:1];", kCircuit, 4, 4, "step 0"},
      {k3 + "qubit q;\nconst int a = 1 / 0;", kCircuit, 4, 17, "division by zero"},
      {k3 + "qubit q;\nconst int a = 1.5;", kCircuit, 4, 11, "fraction"},
      {k3 + "qubit q;\nconst uint[65] a = 1;", kCircuit, 4, 1, "width 65"},
      {k3 + "qubit q; bit c;\nrx(c) q;", kCircuit, 4, 4, "cannot depend on measured bits"},
      {k3 + "qubit q; bit c;\nc = 1;", kCircuit, 4, 1, "takes only measurements"},
      {k3 + "qubit q; bit c; int n = 0;\nif (c) { n = 1; }", kCircuit, 4, 10, "under a measured condition"},
      {k3 + "qubit q; bit c;\nfor int i in [0:1] { if (c) break; }", kCircuit, 4, 29, "under a measured condition"},
      {k3 + "qubit q;\nctrl @ x q;", kCircuit, 4, 8, "got 0"},
      {k3 + "qubit[2] q;\nctrl(0) @ x q[0], q[1];", kCircuit, 4, 1, "0 controls"},
      {k3 + "qubit q;\nbit[2] b = \"01\";", kCircuit, 4, 8, "begins as 0"},
      {k3 + "qubit q;\nrx(foo(1)) q;", kParse, 4, 4, "unknown function 'foo'"},
      {k3 + "qubit q;\nconst int for = 1;", kParse, 4, 11, "reserved word 'for'"},
      {k3 + "qubit q;\n{ qubit r; }", kParse, 4, 3, "outermost level"},
      {k3 + "qubit q;\nswitch (1.5) { case 1 { } }", kCircuit, 4, 1, "takes an integer"},
      {k3 + "qubit q;\nrx(2 ^ 0.5) q;", kCircuit, 4, 6, "'^'"},
      {k3 + "qubit[9] q;\ngate g a,b,c,d,e,f,h2,i,j { cx a,b; cx b,c; cx c,d; cx d,e; cx e,f; cx f,h2; cx h2,i; cx i,j; }\npow(0.5) @ g "
            "q[0],q[1],q[2],q[3],q[4],q[5],q[6],q[7],q[8];",
       kCircuit, 5, 1, "8"},
  };
  for (const Row& row : rows) expect_error(row);
}

TEST(QasmErrors, GarbageIsAnError) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>((i * 197 + i / 7) & 0xFF);
  EXPECT_THROW(read_qasm(text), ParseError);
  EXPECT_THROW(read_qasm(std::string_view("qreg q[1];\0x q[0];", 18)), ParseError);
}

// What the fuzz target does, for compilers without libFuzzer: cut, repeated and changed seeds end in an error of the
// library or in a circuit that can be written and read back.
TEST(QasmErrors, ChangedSeeds) {
  std::mt19937_64 random(7);
  QasmOptions options;
  options.max_operations = 5'000;
  std::size_t accepted = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(KETMESH_SOURCE_DIR) / "tests" / "fuzz" / "qasm")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string seed{std::istreambuf_iterator<char>(in), {}};
    for (int k = 0; k < 40; ++k) {
      std::string text = seed;
      for (int changes = 0; changes <= k % 3; ++changes) {
        const std::size_t at = random() % text.size(), length = random() % 9;
        if (k % 4 == 0)
          text[at] = static_cast<char>(random() & 0xFF);
        else if (k % 4 == 1)
          text.erase(at, length);
        else
          text.insert(random() % text.size(), text.substr(at, length));
        if (text.empty()) text = ";";
      }
      try {
        const Circuit circuit = read_qasm(text, options);
        ++accepted;
        QasmOptions more;
        more.max_operations = 1'000'000;
        EXPECT_TRUE(read_qasm(circuit.to_qasm(3), more) == circuit) << text;
      } catch (const ParseError&) {
        ++refused;
      } catch (const CircuitError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace ketmesh::qasm
