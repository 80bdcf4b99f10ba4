#include "ketmesh/api/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ketmesh/api/arguments.hpp"
#include "ketmesh/api/batches.hpp"
#include "ketmesh/api/checkpointing.hpp"
#include "ketmesh/api/checks.hpp"
#include "ketmesh/api/estimator.hpp"
#include "ketmesh/api/gather.hpp"
#include "ketmesh/api/gradients.hpp"
#include "ketmesh/api/readout.hpp"
#include "ketmesh/api/reduce.hpp"
#include "ketmesh/api/runner.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {

using namespace api;

struct Simulator::Impl {
  Runner runner;
};

namespace {

void check_options(const Circuit& circuit, const RunOptions& options) {
  constexpr std::uint64_t kMaxShots = 0xffffffffu;
  if (options.shots > kMaxShots)
    throw OptionError("shots = " + std::to_string(options.shots) + ": must be an integer from 0 to " + std::to_string(kMaxShots));
  const std::size_t n = circuit.num_qubits();
  if (n < 64)
    for (const Index i : options.amplitudes)
      if ((i >> n) != 0)
        throw OptionError("amplitude " + std::to_string(i) + " is out of range: " + std::to_string(n) + " qubits have indices 0 to " +
                          std::to_string((Index{1} << n) - 1));
  check_values(circuit, options.parameters);
}

/// A checkpoint holds one state on its way through gates.
void check_checkpoint(const Circuit& circuit, const CheckpointOptions& checkpoint) {
  if (!std::isfinite(checkpoint.every_seconds) || checkpoint.every_seconds < 0)
    throw OptionError("time between checkpoints = " + std::to_string(checkpoint.every_seconds) + " s: must be 0 or more");
  if (checkpoint.every_seconds > 0 && checkpoint.save_path.empty())
    throw OptionError("checkpoints every " + std::to_string(checkpoint.every_seconds) + " s have no folder to go to");
  if (!checkpoint.any()) return;
  bool plain = !circuit.has_dynamic_operations();
  for (const Operation op : circuit) plain = plain && op.gate != Gate::reset && op.gate != Gate::initialize;
  if (!plain)
    throw CircuitError("checkpoints: a circuit with a reset, a preparation or a measurement before its end cannot be saved on its way",
                       "apply it to a DistributedState and save that");
}

/// Logical index on the qubits that the state holds; nullopt when a qubit left out would have to be 1.
std::optional<Index> reduced_index(Index index, std::span<const Qubit> original) {
  Index out = 0, seen = 0;
  for (std::size_t k = 0; k < original.size(); ++k)
    if (original[k] < 64) {
      seen |= Index{1} << original[k];
      if (((index >> original[k]) & 1u) != 0) out |= Index{1} << k;
    }
  if ((index & ~seen) != 0) return std::nullopt;
  return out;
}

/// Host memory that a caller's copy of 2^n numbers takes, judged before anything is allocated.
void check_host(std::size_t num_qubits, std::size_t bytes_each, const Runner& runner, const char* what) {
  const std::uint64_t available = runner.context()->mesh().devices.front().memory_bytes;
  const std::uint64_t limit = std::uint64_t{1} << 62;
  const std::uint64_t count = std::uint64_t{1} << num_qubits;
  const std::uint64_t needed = count > limit / bytes_each ? std::numeric_limits<std::uint64_t>::max() : count * bytes_each;
  if (needed > available)
    throw DoesNotFit(std::string(what) + " of " + std::to_string(num_qubits) + " qubits needs " + std::to_string(needed) +
                         " bytes of host memory; " + std::to_string(available) + " are there",
                     needed, available,
                     "ask for chosen amplitudes, use DistributedState::to_host for ranges or local_shards for views, or write a file");
}

std::vector<Qubit> all_qubits(std::size_t num_qubits) {
  std::vector<Qubit> out(num_qubits);
  std::iota(out.begin(), out.end(), Qubit{0});
  return out;
}

/// The same operations over `width` qubits; the further ones stay |0>.
Circuit widened(Circuit circuit, std::size_t width) {
  if (circuit.num_qubits() == width) return circuit;
  std::vector<Qubit> same(circuit.num_qubits());
  for (std::size_t q = 0; q < same.size(); ++q) same[q] = static_cast<Qubit>(q);
  return circuit.remapped(same, width);
}

}  // namespace

Simulator::Simulator(SimulatorConfig config) : Simulator(std::move(config), nullptr) {}

Simulator::Simulator(SimulatorConfig config, std::shared_ptr<CollectiveCommunicator> communicator)
    : impl_(std::make_unique<Impl>(Impl{Runner(std::move(config), std::move(communicator))})) {}

Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const SimulatorConfig& Simulator::config() const noexcept { return impl_->runner.config(); }

namespace {

/// One call of every rank.
Result run_here(Runner& runner, const Circuit& circuit, const RunOptions& options) {
  const auto start = Clock::now();
  runner.config().check();
  check_options(circuit, options);
  check_bound(circuit, options.parameters);
  check_checkpoint(circuit, options.checkpoint);
  if (options.timeline != nullptr) {
    options.timeline->name_track(runtime::kPhaseTrack, "phases");
    options.timeline->name_track(runtime::kPassTrack, "passes and exchanges");
  }
  const bool only_gates = circuit.only_gates();
  const std::size_t active = circuit.active_qubits().size();
  runner.open(active);

  Result result;
  result.num_qubits = circuit.num_qubits();
  result.shots = options.shots;
  const bool resumes = !options.checkpoint.resume_path.empty();
  result.seed = resumes && !options.seed ? saved_seed(options.checkpoint.resume_path) : runner.seed(options.seed);
  result.registers = circuit.classical_registers();

  const bool dynamic = !only_gates && circuit.has_dynamic_operations();
  std::optional<Circuit> trimmed;  // no copy where nothing is left out
  if (!only_gates) trimmed.emplace(circuit.without_final_measurements());
  const Circuit& evolved_circuit = trimmed ? *trimmed : circuit;
  const bool full_width = options.probabilities || !options.statevector_path.empty();
  const bool reads_state = full_width || !options.amplitudes.empty();
  const bool asks_energies = !options.observables.empty();
  // Light cones have states of their own: a run that is saved or resumed has the one.
  const bool only_energies = asks_energies && options.shots == 0 && !reads_state && !options.checkpoint.any();
  RunRecord record;
  std::optional<Evolved> evolved;
  Reduced reduced;

  // Counts of a dynamic circuit come from shots that split at their own draws; all else from one state.
  if (dynamic && options.shots > 0) {
    const Reduced held = drop_idle_qubits(circuit, runner.kept_qubits());
    check_width(held.original.size());
    result.acted_qubits = held.original.size();
    const Job job{&held.circuit, &options.parameters, result.seed, options.progress, nullptr, options.timeline};
    const std::size_t width = key_width(circuit);
    for (const auto& [bits, count] : runner.shots(job, options.shots, record)) result.counts[bits.key(width)] += count;
  }
  if ((!dynamic && !only_energies) || reads_state) {
    const bool all = full_width || (only_gates && active == circuit.num_qubits());
    if (all)
      reduced.original = all_qubits(circuit.num_qubits());
    else
      reduced = drop_idle_qubits(evolved_circuit, runner.kept_qubits());
    check_width(reduced.original.size());
    if (options.probabilities) check_host(reduced.original.size(), sizeof(double), runner, "the table of probabilities");
    result.acted_qubits = reduced.original.size();
    const Job job{all ? &evolved_circuit : &reduced.circuit,
                  &options.parameters,
                  result.seed,
                  options.progress,
                  &options.checkpoint,
                  options.timeline,
                  only_gates};
    evolved.emplace(runner.evolve(job, options.shots > 0 && !dynamic, record));
  }
  if (evolved && !dynamic && options.shots > 0) {
    const auto sampling = Clock::now();
    const TraceSpan span(options.timeline, "sample", runtime::kPhaseTrack);
    const Readout bits = readout(circuit, reduced.original);
    if (bits.bits.empty()) {
      result.counts = all_zero(options.shots, bits.width);
    } else {
      const auto* sums = evolved->sums.sums.empty() ? nullptr : &evolved->sums;
      result.counts = to_counts(measure::sample(evolved->state, options.shots, result.seed, 0, sums, options.progress), bits);
    }
    record.seconds_sample += since(sampling);
  }
  if (asks_energies) {
    const TraceSpan span(options.timeline, "expectation values", runtime::kPhaseTrack);
    const Estimate estimate = estimate_terms(runner, evolved_circuit, dynamic, options, result.seed, record,
                                             evolved ? &evolved->state : nullptr, reduced.original);
    result.expectation_values = estimate.values;
    result.qubits_before = estimate.qubits_before;
    result.qubits_after = estimate.qubits_after;
    if (result.acted_qubits == 0) result.acted_qubits = estimate.qubits_before;
  }
  if (evolved) {
    if (!options.amplitudes.empty()) {
      std::vector<Index> held;
      for (const Index i : options.amplitudes) {
        result.amplitudes[i] = 0;
        if (const auto k = reduced_index(i, reduced.original)) held.push_back(*k);
      }
      const auto values = evolved->state.amplitudes(held);
      std::size_t next = 0;
      for (const Index i : options.amplitudes)
        if (reduced_index(i, reduced.original)) result.amplitudes[i] = values[next++];
    }
    if (options.probabilities) {
      std::vector<int> qubits(reduced.original.size());
      for (std::size_t q = 0; q < qubits.size(); ++q) qubits[q] = static_cast<int>(q);
      result.probabilities = all_probabilities(evolved->state, qubits);
    }
    if (!options.statevector_path.empty()) write_npy(evolved->state, options.statevector_path, options.progress);
  }
  runner.share(record);
  result.distribution = runner.describe(record, evolved ? &evolved->state : nullptr);
  fill_seconds(result.seconds, record);
  result.seconds.total = since(start);
  return result;
}

}  // namespace

Result Simulator::run(const Circuit& circuit, const RunOptions& options) {
  Runner& runner = impl_->runner;
  return runner.together(
      "run", [&] { return arguments(config(), circuit, options); }, [&] { return run_here(runner, circuit, options); });
}

Result Simulator::estimate(const Circuit& circuit, std::span<const PauliSum> observables, const RunOptions& options) {
  RunOptions only = options;
  only.observables.assign(observables.begin(), observables.end());
  only.shots = 0;
  only.amplitudes.clear();
  only.probabilities = false;
  only.statevector_path.clear();
  if (observables.empty()) {
    Result none;
    none.num_qubits = circuit.num_qubits();
    return none;
  }
  return run(circuit, only);
}

std::vector<double> Simulator::estimate(const Circuit& circuit, std::initializer_list<PauliSum> observables) {
  return estimate(circuit, std::span<const PauliSum>(observables.begin(), observables.size())).expectation_values;
}

Gradient Simulator::gradient(const Circuit& circuit, std::span<const PauliSum> observables, const ParameterValues& parameters,
                             const GradientOptions& options) {
  Runner& runner = impl_->runner;
  return runner.together(
      "gradient", [&] { return arguments(config(), circuit, observables, parameters); },
      [&] { return api::gradient(runner, circuit, observables, parameters, options); });
}

Gradient Simulator::gradient(const Circuit& circuit, std::initializer_list<PauliSum> observables, const ParameterValues& parameters,
                             const GradientOptions& options) {
  return gradient(circuit, std::span<const PauliSum>(observables.begin(), observables.size()), parameters, options);
}

BatchResult Simulator::run_batch(const Circuit& circuit, std::span<const double> rows, const BatchOptions& options) {
  return api::run_batch(impl_->runner, circuit, rows, options);
}

namespace {

/// A state of all declared qubits, for callers that read it.
/// The caller will hold 2^table_qubits numbers beside it.
Evolved full_state(Runner& runner, const Circuit& circuit, const RunOptions& options, std::size_t table_qubits, std::size_t bytes_each,
                   const char* what) {
  runner.config().check();
  check_options(circuit, options);
  check_bound(circuit, options.parameters);
  runner.open(circuit.num_qubits());
  check_width(circuit.num_qubits());
  check_host(table_qubits, bytes_each, runner, what);
  const Circuit evolved = circuit.without_final_measurements();
  RunRecord record;
  const Job job{&evolved, &options.parameters, runner.seed(options.seed), options.progress, nullptr, options.timeline};
  return runner.evolve(job, false, record, bytes_each << table_qubits);
}

}  // namespace

std::vector<cdouble> Simulator::statevector(const Circuit& circuit, const RunOptions& options) {
  Runner& runner = impl_->runner;
  return runner.together(
      "statevector", [&] { return arguments(config(), circuit, options); },
      [&] {
        const Evolved evolved = full_state(runner, circuit, options, circuit.num_qubits(), sizeof(cdouble), "the state vector");
        return on_host(evolved.state, 0, Index{1} << circuit.num_qubits(), options.progress);
      });
}

std::vector<double> Simulator::probabilities(const Circuit& circuit, std::span<const Qubit> qubits, const RunOptions& options) {
  std::vector<int> chosen;
  for (const Qubit q : qubits) {
    if (q >= circuit.num_qubits())
      throw CircuitError("qubit " + std::to_string(q) + " is out of range: the circuit has qubits 0 to " +
                         std::to_string(circuit.num_qubits() - 1));
    if (std::find(chosen.begin(), chosen.end(), static_cast<int>(q)) != chosen.end())
      throw CircuitError("qubit " + std::to_string(q) + " is listed twice");
    chosen.push_back(static_cast<int>(q));
  }
  const bool all = chosen.empty();
  if (all)
    for (std::size_t q = 0; q < circuit.num_qubits(); ++q) chosen.push_back(static_cast<int>(q));
  Runner& runner = impl_->runner;
  return runner.together(
      "probabilities", [&] { return arguments(config(), circuit, options, qubits.size()); },
      [&] {
        return all_probabilities(full_state(runner, circuit, options, chosen.size(), sizeof(double), "the table of probabilities").state,
                                 chosen);
      });
}

std::vector<cdouble> Simulator::amplitudes(const Circuit& circuit, std::span<const Index> indices, const RunOptions& options) {
  RunOptions only = options;
  only.shots = 0;
  only.observables.clear();
  only.probabilities = false;
  only.statevector_path.clear();
  only.amplitudes.assign(indices.begin(), indices.end());
  if (indices.empty()) return {};
  const Result result = run(circuit, only);
  std::vector<cdouble> out;
  for (const Index i : indices) out.push_back(result.amplitudes.at(i));
  return out;
}

namespace {

cdouble inner_product_here(Runner& runner, const Circuit& a, const Circuit& b, const RunOptions& options) {
  runner.config().check();
  for (const Circuit* c : {&a, &b}) {
    if (c->has_dynamic_operations())
      throw CircuitError("inner product: a circuit with a reset or a measurement before its end has no one state");
    for (const Operation op : *c)
      if (op.gate == Gate::reset) throw CircuitError("inner product: a circuit with a reset has no one state");
    check_bound(*c, options.parameters);
  }
  runner.open(std::max(a.num_qubits(), b.num_qubits()));
  // <a|b> = <0| a^-1 b |0>: one evolution, one amplitude; no second state in memory.
  const std::size_t width = std::max(a.num_qubits(), b.num_qubits());
  const Circuit left = widened(a.without_final_measurements(), width);
  Circuit joined = widened(b.without_final_measurements(), width);
  bool invertible = true;
  for (const Operation op : a)
    if (op.gate == Gate::initialize) invertible = false;
  const std::uint64_t seed = runner.seed(options.seed);
  if (invertible) {
    joined.compose(left.inverse());
    const Reduced reduced = drop_idle_qubits(joined, runner.kept_qubits());
    check_width(reduced.original.size());
    RunRecord record;
    const Evolved evolved = runner.evolve({&reduced.circuit, &options.parameters, seed, options.progress}, false, record);
    const Index zero = 0;
    return evolved.state.amplitudes(std::span(&zero, 1)).front();
  }
  check_width(width);
  RunRecord record;
  Evolved bra = runner.evolve({&left, &options.parameters, seed, options.progress}, false, record);
  Evolved ket = runner.evolve({&joined, &options.parameters, seed, options.progress}, false, record);
  bra.state.canonicalise();
  ket.state.canonicalise();
  const double phase = ket.state.global_phase() - bra.state.global_phase();
  return measure::inner_product(bra.state, ket.state) * std::polar(1.0, phase);
}

}  // namespace

cdouble Simulator::inner_product(const Circuit& a, const Circuit& b, const RunOptions& options) {
  Runner& runner = impl_->runner;
  return runner.together(
      "inner_product", [&] { return arguments(config(), a, b, options); }, [&] { return inner_product_here(runner, a, b, options); });
}

Plan Simulator::plan(const Circuit& circuit) {
  impl_->runner.config().check();
  return plan(circuit, machine_for_plan(config()));
}

Plan Simulator::plan(const Circuit& circuit, const Machine& machine) {
  config().check();
  const Reduced reduced = drop_idle_qubits(circuit.without_final_measurements(), impl_->runner.kept_qubits());
  check_width(reduced.original.size());
  PlanOptions options = api::plan_options(config(), config().backend == Backend::automatic ? Backend::cpu : config().backend);
  options.check_memory = false;
  return plan_circuit(reduced.circuit, machine, options);
}

}  // namespace ketmesh
