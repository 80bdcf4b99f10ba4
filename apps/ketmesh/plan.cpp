#include "commands.hpp"
#include "ketmesh/ketmesh.hpp"
#include "options.hpp"
#include "output.hpp"

namespace ketmesh::app {
namespace {

struct PlanWords {
  std::string file, ranks, devices_per_rank, memory;
  ConfigWords config;
};

void plan(const PlanWords& words, const Session& session) {
  const SimulatorConfig config = to_config(words.config);
  const bool imagined = !words.ranks.empty() || !words.devices_per_rank.empty() || !words.memory.empty();
  if (imagined && !config.machine_json.empty())
    throw OptionError("--machine says what the machine is: leave --ranks, --devices-per-rank and --memory out");
  const auto count = [](const char* option, const std::string& text) {
    return text.empty() ? 1 : static_cast<int>(whole_number(option, text, 1, 65536));
  };
  const int ranks = count("--ranks", words.ranks);
  const bool virtual_devices = config.backend == Backend::distributed_cpu && words.devices_per_rank.empty();
  const int devices = virtual_devices ? static_cast<int>(std::max<std::size_t>(2, config.distributed.devices.size()))
                                      : count("--devices-per-rank", words.devices_per_rank);
  const std::uint64_t memory = words.memory.empty() ? 0 : byte_size("--memory", words.memory);
  const Circuit circuit = read_circuit(words.file, session.job);
  check_interrupt();
  Simulator simulator(config);
  const Plan made = imagined ? simulator.plan(circuit, model_machine(config.backend, ranks, devices, memory)) : simulator.plan(circuit);
  print(session.json ? plan_json(made, circuit.num_qubits()) : explain(made));
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  auto words = std::make_shared<PlanWords>();
  CLI::App* command = app.add_subcommand("plan", "What a run would do - memory, passes, exchanges, predicted seconds - without hardware");
  command->add_option("FILE", words->file, "OpenQASM 2 or 3, - for stdin")->required();
  command->add_option("--ranks", words->ranks, "of a machine that need not exist");
  command->add_option("--devices-per-rank", words->devices_per_rank, "devices of each rank");
  command->add_option("--memory", words->memory, "of each device, for example 141GB");
  add_config(*command, words->config);
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->callback([words, &session] { session.action = [words, &session] { plan(*words, session); }; });
}

}  // namespace ketmesh::app
