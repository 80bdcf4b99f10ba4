#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh::app {
namespace {

struct ConvertWords {
  std::string in, out, version = "3";
};

void convert(const ConvertWords& words, const Session& session) {
  const int version = static_cast<int>(whole_number("--to", words.version, 2, 3));
  if (session.json && words.out == "-") throw OptionError("--json and the converted text cannot both go to stdout: name a file");
  const Circuit circuit = read_circuit(words.in, session.job);
  check_interrupt();
  write_file(words.out, circuit.to_qasm(version));
  if (session.json) {
    const nlohmann::ordered_json object = {
        {"num_qubits", circuit.num_qubits()}, {"num_clbits", circuit.num_clbits()}, {"operations", circuit.size()}, {"version", version}};
    print(object.dump(2) + "\n");
  }
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  auto words = std::make_shared<ConvertWords>();
  CLI::App* command = app.add_subcommand("convert", "Read OpenQASM 2 or 3 and write it again");
  command->add_option("IN", words->in, "file to read, - for stdin")->required();
  command->add_option("OUT", words->out, "file to write, - for stdout")->required();
  command->add_option("--to", words->version, "version to write: 3 (default) or 2");
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->callback([words, &session] { session.action = [words, &session] { convert(*words, session); }; });
}

}  // namespace ketmesh::app
