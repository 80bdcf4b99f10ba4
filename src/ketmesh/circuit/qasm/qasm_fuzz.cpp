// libFuzzer target of the OpenQASM reader and writer: no text may crash, hang or leak; what was read can be written as
// version 3 and read back to an equal circuit. Seeds: tests/fuzz/qasm. Run: tools/fuzz.sh
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "ketmesh/base/error.hpp"
#include "ketmesh/circuit/qasm.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ketmesh::QasmOptions options;
  options.max_operations = 20'000;  // keeps single inputs quick
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ketmesh::Circuit circuit;
  try {
    circuit = ketmesh::read_qasm(text, options);
  } catch (const ketmesh::ParseError&) {
    return 0;
  } catch (const ketmesh::CircuitError&) {
    return 0;
  }  // any other exception ends the run
  std::string written;
  try {
    written = circuit.to_qasm(3);
  } catch (const ketmesh::CircuitError&) {
    return 0;  // a parameter named by a word of the language
  }
  options.max_operations *= 100;  // an unrolled loop may be longer than its text allowed
  if (!(ketmesh::read_qasm(written, options) == circuit)) std::abort();
  return 0;
}
