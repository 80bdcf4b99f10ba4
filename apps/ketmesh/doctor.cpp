#include "commands.hpp"
#include "output.hpp"
#include "tables.hpp"

namespace ketmesh::app {

void add_doctor(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("doctor", "What this machine has: devices, memory, SIMD, plugins, the largest n");
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->callback([&session] {
    session.action = [&session] {
      const MachineReport report = examine_machine();
      print(session.json ? machine_json(report) : machine_table(report, terminal_columns()));
    };
  });
}

}  // namespace ketmesh::app
