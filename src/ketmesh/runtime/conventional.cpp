// The conventional engine: one gate, one sweep. A target that is a shard bit changes places with a local bit before the gate and back after it.
// No fusion, no tiles that are kept, no permuted stores: what other runs are compared with must be easy to see through.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/executor.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {
namespace {

constexpr int kRowBits = 6;    // what CPU kernels expect of a pass: rows of 64 amplitudes ...
constexpr int kTileBits = 12;  // ... in tiles that a cache holds

/// Controls of an operation as a mask of logical qubits.
struct Controls {
  Index mask = 0, value = 0;
};

Controls logical_controls(const std::vector<Control>& controls) {
  Controls out;
  for (const auto c : controls) {
    out.mask |= bits::one(static_cast<int>(c.qubit));
    if (c.value != 0) out.value |= bits::one(static_cast<int>(c.qubit));
  }
  return out;
}

class GateByGate {
 public:
  GateByGate(ShardedState& state, RunRecord& record, const ParameterValues& values) : state_(state), record_(record), values_(values) {}

  void apply(const Operation& op) {
    const ResolvedGate gate = resolve(op);
    const Controls controls = logical_controls(gate.controls);
    switch (gate.base) {
      case Gate::barrier:
      case Gate::delay:
      case Gate::id:
        return;
      case Gate::gphase:
        return global_phase(op.parameters[0].evaluate(values_), controls);
      case Gate::diagonal:
        return diagonal(gate.targets, angles_of(op.payload().values), controls);
      case Gate::permutation:
        return permutation(gate.targets, op.payload().table, controls);
      case Gate::pauli:
        return pauli(op.payload().paulis, gate.targets, controls);
      case Gate::rotation:
        return rotation(op.payload().paulis, gate.targets, op.parameters[0].evaluate(values_), controls);
      case Gate::initialize:
      case Gate::measure:
      case Gate::reset:
      case Gate::if_else:
        throw Internal("the conventional engine was handed a " + std::string(to_string(op.gate)) + ": the executor splits at it");
      default:
        return matrix(gate.targets, target_matrix(op, values_), controls);
    }
  }

 private:
  static std::vector<double> angles_of(const std::vector<cdouble>& entries) {
    std::vector<double> angles(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) angles[i] = std::arg(entries[i]);
    return angles;
  }

  void global_phase(double angle, const Controls& controls) {
    if (controls.mask == 0) return state_.add_global_phase(angle);
    PhaseTerm term;
    term.mask = state_.layout().mask_to_physical(controls.mask);
    term.value = state_.layout().mask_to_physical(controls.value);
    phases(std::move(term), {angle}, {});
  }

  void diagonal(const std::vector<Qubit>& targets, std::vector<double> angles, const Controls& controls) {
    PhaseTerm term;
    term.kind = PhaseTerm::Kind::table;
    for (const auto q : targets) term.bits.push_back(static_cast<std::uint8_t>(state_.layout().bit_of(static_cast<int>(q))));
    for (const auto b : term.bits) term.mask |= bits::one(b);
    phases(std::move(term), std::move(angles), controls);
  }

  /// A phase needs no bit to be local.
  void phases(PhaseTerm term, std::vector<double> angles, const Controls& controls) {
    term.control_mask = state_.layout().mask_to_physical(controls.mask);
    term.control_value = state_.layout().mask_to_physical(controls.value);
    Step step;
    step.kind = StepKind::phases;
    step.terms.push_back(std::move(term));
    Binding binding;
    binding.angles = std::move(angles);
    sweep(std::move(step), {}, binding);
  }

  void pauli(const std::string& letters, const std::vector<Qubit>& targets, const Controls& controls) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 'X') matrix({targets[i]}, {0, 1, 1, 0}, controls);
      if (letters[i] == 'Y') matrix({targets[i]}, {0, {0, -1}, {0, 1}, 0}, controls);
      if (letters[i] == 'Z') matrix({targets[i]}, {1, 0, 0, -1}, controls);
    }
  }

  /// exp(-i theta P / 2): each letter is turned into Z, then a phase by parity; only that phase is under the controls.
  void rotation(const std::string& letters, const std::vector<Qubit>& targets, double theta, const Controls& controls) {
    constexpr double kHalf = std::numbers::sqrt2 / 2;
    const std::vector<cdouble> from_x = {kHalf, kHalf, kHalf, -kHalf};
    const std::vector<cdouble> from_y = {kHalf, {0, -kHalf}, kHalf, {0, kHalf}}, to_y = {kHalf, kHalf, {0, kHalf}, {0, -kHalf}};
    const auto turn = [&](const std::vector<cdouble>& x, const std::vector<cdouble>& y) {
      for (std::size_t i = 0; i < letters.size(); ++i)
        if (letters[i] == 'X' || letters[i] == 'Y') matrix({targets[i]}, letters[i] == 'X' ? x : y, {});
    };
    Index parity = 0;
    for (std::size_t i = 0; i < letters.size(); ++i)
      if (letters[i] != 'I') parity |= bits::one(static_cast<int>(targets[i]));
    turn(from_x, from_y);
    if (parity == 0) {
      global_phase(-theta / 2, controls);
    } else {
      PhaseTerm term;
      term.kind = PhaseTerm::Kind::parity;
      term.mask = state_.layout().mask_to_physical(parity);
      phases(std::move(term), {-theta / 2}, controls);
    }
    turn(from_x, to_y);
  }

  void permutation(const std::vector<Qubit>& targets, const std::vector<Index>& table, const Controls& controls) {
    Step step;
    step.kind = StepKind::permutation;
    step.table = table;
    with_local_targets(std::move(step), targets, controls, {});
  }

  void matrix(const std::vector<Qubit>& targets, std::vector<cdouble> entries, const Controls& controls) {
    const std::size_t size = std::size_t{1} << targets.size();
    bool is_diagonal = true;
    for (std::size_t i = 0; i < entries.size(); ++i) is_diagonal = is_diagonal && (i % (size + 1) == 0 || entries[i] == 0.0);
    if (is_diagonal) {
      std::vector<cdouble> entries_of(size);
      for (std::size_t i = 0; i < size; ++i) entries_of[i] = entries[i * (size + 1)];
      return diagonal(targets, angles_of(entries_of), controls);
    }
    Binding binding;
    binding.matrices = std::move(entries);
    with_local_targets(Step{}, targets, controls, binding);
  }

  /// Brings targets that are shard bits to local ones, runs the step, brings them back.
  void with_local_targets(Step step, const std::vector<Qubit>& targets, const Controls& controls, const Binding& binding) {
    const int local = state_.placement().local_bits();
    Index taken = 0;
    std::vector<int> far;
    for (const auto q : targets) {
      const int bit = state_.layout().bit_of(static_cast<int>(q));
      if (bit < local)
        taken |= bits::one(bit);
      else
        far.push_back(bit);
    }
    if (static_cast<int>(targets.size()) > local)
      throw CircuitError("a gate on " + std::to_string(targets.size()) + " qubits: shards of 2^" + std::to_string(local) +
                         " amplitudes allow at most " + std::to_string(local));
    Exchange swap;
    for (int b = local - 1; b >= 0 && swap.pairs.size() < far.size(); --b)
      if (!bits::test(taken, b)) swap.pairs.push_back({static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(far[swap.pairs.size()])});
    if (!far.empty()) run_exchange(swap, state_, record_);
    Index target_mask = 0;
    for (const auto q : targets) {
      const int bit = state_.layout().bit_of(static_cast<int>(q));
      step.targets.push_back(static_cast<std::uint8_t>(bit));
      target_mask |= bits::one(bit);
    }
    step.control_mask = state_.layout().mask_to_physical(controls.mask);
    step.control_value = state_.layout().mask_to_physical(controls.value);
    sweep(std::move(step), target_mask, binding);
    if (!far.empty()) run_exchange(swap, state_, record_);
  }

  /// One pass with one step in a tile of the lowest bits and the targets.
  void sweep(Step step, Index target_mask, const Binding& binding) {
    const int local = state_.placement().local_bits();
    Pass pass;
    pass.row_bits = std::min(kRowBits, local);
    Index tile = bits::low_mask(pass.row_bits) | target_mask;
    for (int b = 0; b < local && bits::count(tile) < std::min(kTileBits, local); ++b) tile |= bits::one(b);
    bits::for_each(tile, [&](int b) { pass.tile_bits.push_back(static_cast<std::uint8_t>(b)); });
    pass.store_bits = pass.tile_bits;
    Residency residency;
    bits::for_each(target_mask, [&](int b) { residency.register_bits.push_back(static_cast<std::uint8_t>(b)); });
    residency.steps.push_back(std::move(step));
    pass.residencies.push_back(std::move(residency));
    run_pass(pass, binding, state_, record_);
  }

  ShardedState& state_;
  RunRecord& record_;
  const ParameterValues& values_;
};

}  // namespace

void execute_conventional(const Circuit& circuit, std::size_t first, std::size_t last, const ParameterValues& values, ShardedState& state,
                          RunRecord& record, const ExecuteOptions& options) {
  GateByGate engine(state, record, values);
  note_memory(state, 1, 0, record);
  for (std::size_t i = first; i < last; ++i) {
    const Operation op = circuit[i];
    const TraceSpan span(options.timeline, to_string(op.gate), kPassTrack);
    engine.apply(op);
    if (options.progress) options.progress(i - first + 1, last - first, "gate");
  }
  const Stopwatch watch(record.seconds_evolve);
  for (const auto& own : state.own_shards()) own.kernels->synchronize(own.context);
}

}  // namespace ketmesh::runtime
