#include "commands.hpp"
#include "families.hpp"
#include "ketmesh/ketmesh.hpp"
#include "options.hpp"
#include "output.hpp"
#include "tables.hpp"

namespace ketmesh::app {
namespace {

struct BenchWords {
  std::string name, qubits, emit, repeat = "1", statevector;
  ConfigWords config;
};

void bench(const BenchWords& words, Session& session) {
  const int n = static_cast<int>(whole_number("N", words.qubits, 1, 10000));
  if (!words.emit.empty()) {
    if (words.emit == "flat") return print(family_flat(words.name, n));
    if (words.emit == "qasm") return print(family_circuit(words.name, n).to_qasm(3));
    throw OptionError("--emit " + words.emit + ": must be qasm or flat");
  }
  BenchReport report;
  report.name = words.name;
  report.num_qubits = n;
  report.repeats = static_cast<int>(whole_number("--repeat", words.repeat, 1, 1000000));
  session.job.join(words.config.backend);
  const SimulatorConfig config = session.job.alike("reading the options", [&] { return to_config(words.config, session.job); });
  const Circuit circuit = session.job.alike("making the circuit", [&] { return family_circuit(words.name, n); });
  report.gates = circuit.size();
  Progress progress(session);
  RunOptions options;
  options.shots = 0;
  options.seed = 1;
  options.statevector_path = words.statevector;
  options.progress = progress.callback();
  Simulator simulator(config, session.job.ranks_for(config));
  for (int i = 0; i < report.repeats; ++i) {
    // Asked by all ranks together: a rank that is interrupted between two runs says so to the others.
    session.job.alike("the next run", [] {
      check_interrupt();
      return true;
    });
    Result result = simulator.run(circuit, options);
    if (i == 0) report.first = report.best = result;
    if (result.seconds.evolve + result.seconds.exchange < report.best.seconds.evolve + report.best.seconds.exchange)
      report.best = std::move(result);
  }
  report.bandwidth = probe_cpu().memory_bandwidth;
  if (session.job.speaks()) print(session.json ? bench_json(report) : bench_table(report));
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  auto words = std::make_shared<BenchWords>();
  std::string names;
  for (const std::string_view name : family_names()) names += (names.empty() ? "" : ", ") + std::string(name);
  CLI::App* command = app.add_subcommand("bench", "Run a benchmark circuit and say where the time went");
  command->add_option("NAME", words->name, names)->required();
  command->add_option("N", words->qubits, "qubits")->required();
  command->add_option("--emit", words->emit, "print the circuit instead: qasm, or flat (a gate a line)");
  command->add_option("--repeat", words->repeat, "runs in this process; the best is reported beside the first");
  command->add_option("--statevector", words->statevector, "also write the state as a .npy file");
  add_config(*command, words->config);
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->add_flag("--quiet", session.quiet, "no progress on stderr");
  command->callback([words, &session] { session.action = [words, &session] { bench(*words, session); }; });
}

}  // namespace ketmesh::app
