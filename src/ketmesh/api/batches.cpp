#include "ketmesh/api/batches.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ketmesh/api/checks.hpp"
#include "ketmesh/api/readout.hpp"
#include "ketmesh/api/reduce.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/batch.hpp"

namespace ketmesh::api {
namespace {

/// The names of the columns, checked: every name of the circuit once.
std::vector<std::string> columns_of(const Circuit& circuit, const BatchOptions& options) {
  auto names = circuit.parameter_names();
  if (options.parameter_names.empty()) return names;
  for (const auto& name : options.parameter_names) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw CircuitError("the circuit has no parameter \"" + name + "\", which a column of the rows is named after");
    if (std::count(options.parameter_names.begin(), options.parameter_names.end(), name) > 1)
      throw OptionError("parameter_names lists \"" + name + "\" twice");
  }
  for (const auto& name : names)
    if (std::find(options.parameter_names.begin(), options.parameter_names.end(), name) == options.parameter_names.end())
      throw CircuitError("parameter \"" + name + "\" has no column in parameter_names");
  return options.parameter_names;
}

/// How many rows there are; names the first number that is not finite.
std::size_t check_rows(std::span<const double> rows, const std::vector<std::string>& columns) {
  if (columns.empty()) {
    if (!rows.empty()) throw OptionError("rows of parameters were given, but the circuit has none", "run it once, with run()");
    return 0;
  }
  if (rows.size() % columns.size() != 0)
    throw OptionError(std::to_string(rows.size()) + " numbers make no whole rows of " + std::to_string(columns.size()) + " parameters");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(rows[i]))
      throw CircuitError("row " + std::to_string(i / columns.size()) + ": parameter " + columns[i % columns.size()] + " = " +
                         std::to_string(rows[i]) + " is not finite");
  return rows.size() / columns.size();
}

/// The strings of all observables, each once, and how the observables are made of them.
struct Strings {
  std::vector<PauliMasks> masks;
  struct Use {
    std::size_t observable, string;
    double coefficient;
  };
  std::vector<Use> uses;
};

Strings strings_of(std::span<const PauliSum> observables, std::span<const Qubit> original) {
  Strings out;
  for (std::size_t o = 0; o < observables.size(); ++o)
    for (const PauliTerm& term : observables[o].terms()) {
      const PauliTerm held = restrict_term(term, original);
      if (held.coefficient == 0) continue;
      const PauliMasks masks = pauli_masks(held.letters);
      const auto found = std::find(out.masks.begin(), out.masks.end(), masks);
      out.uses.push_back({o, static_cast<std::size_t>(found - out.masks.begin()), held.coefficient});
      if (found == out.masks.end()) out.masks.push_back(masks);
    }
  return out;
}

class Batch {
 public:
  Batch(Runner& runner, const Circuit& circuit, const BatchOptions& options, BatchResult& out)
      : runner_(runner), circuit_(circuit), options_(options), out_(out) {}

  void run(const Circuit& evolved, std::span<const std::string> columns, std::span<const double> rows) {
    if (options_.statevectors) {
      reduced_.circuit = evolved;
      for (std::size_t q = 0; q < evolved.num_qubits(); ++q) reduced_.original.push_back(static_cast<Qubit>(q));
    } else {
      reduced_ = drop_idle_qubits(evolved, runner_.kept_qubits());
    }
    check_width(reduced_.original.size());
    strings_ = strings_of(options_.observables, reduced_.original);
    readout_ = readout(circuit_, reduced_.original);
    out_.expectation_values.assign(out_.rows * out_.num_observables, 0.0);
    if (options_.shots > 0) out_.counts.resize(out_.rows);
    if (options_.statevectors) out_.statevectors.resize(out_.rows << reduced_.original.size());
    const runtime::RunSetup setup = runner_.setup({&reduced_.circuit, nullptr, 0, {}});
    if (!run_in_lanes(setup, columns, rows)) run_one_by_one(columns, rows);
  }

  const RunRecord& record() const { return record_; }

 private:
  bool run_in_lanes(const runtime::RunSetup& setup, std::span<const std::string> columns, std::span<const double> rows) {
    const Circuit& circuit = reduced_.circuit;
    const bool plain = std::all_of(circuit.begin(), circuit.end(), [](const Operation& op) {
      return gate_row(op.gate).is_unitary || op.gate == Gate::barrier || op.gate == Gate::delay;
    });
    if (runner_.backend() != Backend::cpu || setup.engine != runtime::EngineKind::ex || setup.state.kernels != KernelChoice::fast ||
        !plain || circuit.num_qubits() > static_cast<std::size_t>(kernels::batch::kMostQubits))
      return false;
    std::shared_ptr<const Plan> plan;
    {
      const auto start = Clock::now();
      plan = setup.cache->find_or_make(circuit, 0, circuit.size(), setup.context->machine(), setup.plan).plan;
      record_.seconds_plan += since(start);
    }
    if (!kernels::batch::fits_lanes(*plan)) return false;
    const auto start = Clock::now();
    const runtime::BatchReads reads{strings_.masks, options_.shots > 0 && !readout_.bits.empty(), options_.statevectors};
    const auto progress = [this](std::size_t done) {
      if (options_.progress) options_.progress(done, out_.rows, "batch");
    };
    runtime::run_in_lanes(
        *plan, circuit, columns, rows, out_.rows, setup.plan.precision, setup.state.level, setup.context->threads(), reads,
        [this](const runtime::BatchRow& row) { take(row); }, progress);
    record_.seconds_evolve += since(start);
    out_.in_lanes = true;
    return true;
  }

  void take(const runtime::BatchRow& row) {
    for (const auto& use : strings_.uses)
      out_.expectation_values[row.number * out_.num_observables + use.observable] += use.coefficient * row.values[use.string];
    if (options_.shots > 0)
      out_.counts[row.number] = readout_.bits.empty()
                                    ? all_zero(options_.shots, readout_.width)
                                    : to_counts(measure::sample_table(row.probabilities, options_.shots, out_.seed + row.number), readout_);
    if (!row.amplitudes.empty())
      std::copy(row.amplitudes.begin(), row.amplitudes.end(),
                out_.statevectors.begin() + static_cast<std::ptrdiff_t>(row.number << reduced_.original.size()));
  }

  /// Larger circuits, other engines and devices: the plan comes from the cache, each row has all threads and devices.
  void run_one_by_one(std::span<const std::string> columns, std::span<const double> rows) {
    ParameterValues values;
    for (std::size_t r = 0; r < out_.rows; ++r) {
      for (std::size_t c = 0; c < columns.size(); ++c) values[columns[c]] = rows[r * columns.size() + c];
      try {
        run_one(r, values);
      } catch (const CircuitError& e) {
        throw CircuitError("row " + std::to_string(r) + ": " + e.what(), e.hint());
      }
      if (options_.progress) options_.progress(r + 1, out_.rows, "batch");
    }
  }

  void run_one(std::size_t r, const ParameterValues& values) {
    Evolved evolved = runner_.evolve({&reduced_.circuit, &values, out_.seed + r, {}}, options_.shots > 0, record_);
    const auto start = Clock::now();
    if (options_.shots > 0) {
      const auto* sums = evolved.sums.sums.empty() ? nullptr : &evolved.sums;
      out_.counts[r] = readout_.bits.empty() ? all_zero(options_.shots, readout_.width)
                                             : to_counts(measure::sample(evolved.state, options_.shots, out_.seed + r, 0, sums), readout_);
    }
    if (options_.statevectors) {
      const std::size_t size = std::size_t{1} << reduced_.original.size();
      evolved.state.to_host<cdouble>(0, size, std::span(out_.statevectors).subspan(r * size, size));
    }
    if (out_.num_observables > 0) {
      std::vector<PauliSum> held;
      for (const PauliSum& observable : options_.observables) {
        std::vector<PauliTerm> terms;
        for (const PauliTerm& term : observable.terms())
          if (PauliTerm kept = restrict_term(term, reduced_.original); kept.coefficient != 0) terms.push_back(std::move(kept));
        held.emplace_back(std::move(terms));
      }
      const auto found = measure::expectation(evolved.state, held);
      std::copy(found.begin(), found.end(), out_.expectation_values.begin() + static_cast<std::ptrdiff_t>(r * out_.num_observables));
    }
    record_.seconds_sample += since(start);
  }

  Runner& runner_;
  const Circuit& circuit_;
  const BatchOptions& options_;
  BatchResult& out_;
  Reduced reduced_;
  Strings strings_;
  Readout readout_;
  RunRecord record_;
};

}  // namespace

BatchResult run_batch(Runner& runner, const Circuit& circuit, std::span<const double> rows, const BatchOptions& options) {
  const auto start = Clock::now();
  runner.config().check();
  constexpr std::uint64_t kMaxShots = 0xffffffffu;
  if (options.shots > kMaxShots)
    throw OptionError("shots = " + std::to_string(options.shots) + ": must be an integer from 0 to " + std::to_string(kMaxShots));
  if (circuit.has_dynamic_operations())
    throw CircuitError("run_batch: a circuit with resets, conditions or measurements before its end",
                       "run its rows one by one, with run()");
  const std::vector<std::string> columns = columns_of(circuit, options);
  BatchResult out;
  out.rows = check_rows(rows, columns);
  out.num_qubits = circuit.num_qubits();
  out.num_observables = options.observables.size();
  out.shots = options.shots;
  out.seed = runner.seed(options.seed);
  const Circuit evolved = circuit.without_final_measurements();
  runner.open(options.statevectors ? circuit.num_qubits() : evolved.active_qubits().size());
  if (options.statevectors) {
    check_width(circuit.num_qubits());
    const std::uint64_t available = runner.context()->mesh().devices.front().memory_bytes;
    const double needed = static_cast<double>(out.rows) * std::ldexp(sizeof(cdouble), static_cast<int>(circuit.num_qubits()));
    if (needed > static_cast<double>(available))
      throw DoesNotFit("the state vectors of " + std::to_string(out.rows) + " rows of " + std::to_string(circuit.num_qubits()) +
                           " qubits need " + std::to_string(needed) + " bytes of host memory; " + std::to_string(available) + " are there",
                       static_cast<std::uint64_t>(std::min(needed, 1.8e19)), available, "ask for fewer rows at a time");
  }
  Batch batch(runner, circuit, options, out);
  if (out.rows > 0) batch.run(evolved, columns, rows);
  out.distribution = runner.describe(batch.record(), nullptr);
  fill_seconds(out.seconds, batch.record());
  out.seconds.total = since(start);
  return out;
}

}  // namespace ketmesh::api
