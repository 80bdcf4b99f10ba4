#include <memory>

#include "commands.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/ketmesh.hpp"
#include "options.hpp"
#include "output.hpp"
#include "tables.hpp"

namespace ketmesh::app {
namespace {

struct RunWords {
  std::string save_checkpoint, checkpoint_every, resume;
  std::string file, shots, seed, observable, amplitudes, statevector, bit_order = "big", trace;
  std::vector<std::string> parameters;
  bool probabilities = false;
  ConfigWords config;
};

RunOptions to_run_options(const RunWords& words) {
  RunOptions options;
  const bool asks_other = !words.observable.empty() || !words.amplitudes.empty() || words.probabilities || !words.statevector.empty();
  options.shots = asks_other ? 0 : 1024;
  if (!words.shots.empty()) options.shots = whole_number("--shots", words.shots, 0, 0xffffffffu);
  if (!words.seed.empty()) options.seed = whole_number("--seed", words.seed, 0, ~std::uint64_t{0});
  for (const std::string& text : words.parameters) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw OptionError("--param " + text + ": must be name=value");
    options.parameters[text.substr(0, equals)] = real_number("--param " + text.substr(0, equals), text.substr(equals + 1));
  }
  options.observables = parse_observables(words.observable);
  for (std::size_t at = 0; at < words.amplitudes.size();) {
    const std::size_t comma = std::min(words.amplitudes.find(',', at), words.amplitudes.size());
    options.amplitudes.push_back(whole_number("--amplitudes", words.amplitudes.substr(at, comma - at), 0, (Index{1} << 62) - 1));
    at = comma + 1;
  }
  if (words.amplitudes.ends_with(',')) throw OptionError("--amplitudes " + words.amplitudes + ": ends with a comma");
  options.probabilities = words.probabilities;
  options.statevector_path = words.statevector;
  options.checkpoint.save_path = words.save_checkpoint;
  options.checkpoint.resume_path = words.resume;
  if (!words.checkpoint_every.empty()) {
    options.checkpoint.every_seconds = real_number("--checkpoint-every", words.checkpoint_every);
    if (!(options.checkpoint.every_seconds > 0))
      throw OptionError("--checkpoint-every " + words.checkpoint_every + ": must be seconds above 0");
    if (words.save_checkpoint.empty()) throw OptionError("--checkpoint-every needs --save-checkpoint DIR");
  }
  return options;
}

/// What the words and files of a command line say.
struct Input {
  SimulatorConfig config;
  RunOptions options;
  BitOrder order = BitOrder::big;
  Circuit circuit;
  double parse = 0;
};

Input read_input(const RunWords& words, const Job& job, Timeline& timeline) {
  Input in{to_config(words.config, job), to_run_options(words), BitOrder::big, Circuit(1), 0};
  if (words.bit_order == "little") {
    in.order = BitOrder::little;
  } else if (words.bit_order != "big") {
    throw OptionError("--bit-order " + words.bit_order + ": must be big or little");
  }
  const double begin = timeline.now();
  in.circuit = read_circuit(words.file, job);
  in.parse = timeline.now() - begin;
  timeline.add("parse", begin, timeline.now());
  return in;
}

void run(const RunWords& words, Session& session) {
  Job& job = session.job;
  job.join(words.config.backend);
  Timeline timeline(true);
  Input in = job.alike("reading the input", [&] { return read_input(words, job, timeline); });
  const SimulatorConfig& config = in.config;
  RunOptions& options = in.options;
  const Circuit& circuit = in.circuit;
  job.alike("reading the input", [] {
    check_interrupt();
    return true;
  });
  Progress progress(session);
  options.progress = progress.callback();
  if (!words.trace.empty()) options.timeline = &timeline;
  Simulator simulator(config, job.ranks_for(config));
  const double begin = timeline.now();
  Result result = simulator.run(circuit, options);
  timeline.add("run", begin, timeline.now());
  result.seconds.parse = in.parse;
  result.seconds.total += in.parse;
  if (!job.speaks()) return;
  if (!words.trace.empty()) write_file(words.trace, chrome_trace(timeline.events(), timeline.tracks()));
  if (session.json) return print(result_json(result, in.order));
  std::vector<std::string> names;
  for (const PauliSum& observable : options.observables) names.push_back(observable.str());
  // The plan beside the record, where the record is of one run of one plan.
  std::unique_ptr<Plan> plan;
  if (!circuit.has_dynamic_operations() && result.distribution.engine == "ex" && result.distribution.stages > 0 &&
      (options.statevector_path.empty() && !options.probabilities ? true : result.acted_qubits == result.num_qubits) &&
      result.qubits_after >= result.qubits_before)
    plan = std::make_unique<Plan>(job.over_ranks() ? simulator.plan(circuit, model_machine(config.backend, job.ranks()->world()))
                                                   : simulator.plan(circuit));
  print(result_table(result, names, plan.get(), in.order, terminal_columns()));
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto words = std::make_shared<RunWords>();
  CLI::App* command = app.add_subcommand("run", "Run an OpenQASM file: counts, energies, amplitudes, probabilities, the state");
  command->add_option("FILE", words->file, "OpenQASM 2 or 3, - for stdin")->required();
  command->add_option("--shots", words->shots, "0 to 4294967295; 1024, or 0 when something else is asked for");
  command->add_option("--seed", words->seed, "0 to 2^64-1; drawn and reported when not given");
  command->add_option("--observable", words->observable, "Pauli strings, qubit 0 leftmost: \"ZZ;XI\"");
  command->add_option("--amplitudes", words->amplitudes, "indices, for example 0,5");
  command->add_flag("--probabilities", words->probabilities, "all 2^n probabilities");
  command->add_option("--statevector", words->statevector, "write the state as a .npy file");
  command->add_option("--save-checkpoint", words->save_checkpoint, "folder: save the state at the end of the evolution");
  command->add_option("--checkpoint-every", words->checkpoint_every, "seconds: save it on the way too");
  command->add_option("--resume", words->resume, "folder: go on from a checkpoint of the same circuit");
  command->add_option("--param", words->parameters, "name=value of an input parameter, as often as needed")->expected(1)->take_all();
  command->add_option("--bit-order", words->bit_order, "of counts: big (bit 0 leftmost, default) or little");
  command->add_option("--trace", words->trace, "write a timeline in Chrome's trace format (JSON)");
  add_config(*command, words->config);
  command->add_flag("--json", session.json, "one JSON object on stdout");
  command->add_flag("--quiet", session.quiet, "no progress on stderr");
  command->callback([words, &session] { session.action = [words, &session] { run(*words, session); }; });
}

}  // namespace ketmesh::app
