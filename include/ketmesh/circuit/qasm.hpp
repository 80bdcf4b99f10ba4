// Reading and writing OpenQASM 2 and 3.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/circuit/circuit.hpp"

namespace ketmesh {

struct QasmOptions {
  std::string file_name;                              ///< for messages; empty: none is named
  std::filesystem::path directory;                    ///< where relative includes of a text are looked up first; empty: nowhere
  std::vector<std::filesystem::path> include_paths;   ///< then here; an absolute include must lie below one of them
  std::map<std::string, double, std::less<>> inputs;  ///< values of `input`s; the others stay parameters of the circuit
  std::uint64_t max_operations = 100'000'000;         ///< of the expanded circuit, loop turns and calls included
  std::uint64_t max_bytes = std::uint64_t{1} << 30;   ///< of one file
};

/// The circuit of a text; a text without a version line is version 2. One pass; expanded text is never held.
/// Throws ParseError (line, column, token, what was expected) and CircuitError (with the place).
Circuit read_qasm(std::string_view text, const QasmOptions& options = {});
/// Also throws IoError when the file cannot be read. Relative includes are looked up beside the file that has them.
Circuit read_qasm_file(const std::filesystem::path& path, QasmOptions options = {});

/// Writes version 3, or 2 where the circuit fits it (CircuitError names what does not). Streams: memory does not grow with
/// the circuit. Reading the text back gives an equal circuit (version 2: the same operations, named gates for controls).
void write_qasm(std::ostream& out, const Circuit& circuit, int version = 3);

}  // namespace ketmesh
