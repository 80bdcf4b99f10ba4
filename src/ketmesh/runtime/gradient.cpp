#include "ketmesh/runtime/gradient.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ketmesh/base/error.hpp"
#include "ketmesh/measure/adjoint.hpp"
#include "ketmesh/runtime/probes.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {
namespace {

std::string name_of(std::size_t parameter) { return "#" + std::to_string(parameter); }

/// The inverse circuit with a name for each angle that is asked for, and numbers for all others.
struct Backward {
  Circuit circuit;
  ParameterValues values;
  struct Link {  // angle -> asked-for parameter
    std::uint32_t operation, index, parameter;
    double slope;
  };
  std::vector<Link> links;  // ascending by operation and index
};

Backward make_backward(const Circuit& circuit, const ParameterValues& values, std::span<const GateParameter> parameters) {
  Backward out;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> asked(circuit.size());
  for (std::size_t p = 0; p < parameters.size(); ++p) asked[parameters[p].operation].emplace_back(parameters[p].index, p);
  Circuit named(circuit.num_qubits());
  std::vector<Parameter> angles;
  for (std::size_t k = 0; k < circuit.size(); ++k) {
    Operation op = circuit[k];
    if (op.gate == Gate::barrier || op.gate == Gate::delay) continue;
    angles.clear();
    for (const auto& angle : op.parameters) angles.emplace_back(angle.evaluate(values));
    for (const auto& [index, p] : asked[k]) {
      out.values[name_of(p)] = angles[index].number();
      angles[index] = Parameter::named(name_of(p));
    }
    op.parameters = angles;
    named.append(op);
  }
  out.circuit = named.inverse();
  for (std::size_t k = 0; k < out.circuit.size(); ++k) {
    const Operation op = out.circuit[k];
    for (std::size_t i = 0; i < op.parameters.size(); ++i) {
      std::vector<std::string> names;
      op.parameters[i].collect_names(names);
      for (const auto& name : names)
        out.links.push_back({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(std::stoul(name.substr(1))),
                             op.parameters[i].derivative(name).evaluate(out.values)});
    }
  }
  return out;
}

/// One plan of a part of the inverse circuit, cut for probing.
struct Window {
  std::shared_ptr<const Plan> plan;
  Binding binding;
  struct Entry {
    std::uint32_t operation, parameter;
  };
  std::vector<Entry> derivatives;                             // in the order of ProbeUse::derivative
  std::vector<std::vector<std::vector<ProbedLevel>>> stages;  // [stage][pass][level]
};

class Adjoint {
 public:
  /// `states`: that are in memory while it goes.
  Adjoint(const RunSetup& setup, const Backward& backward, std::size_t num_parameters, std::uint64_t states, RunRecord& record)
      : setup_(setup), backward_(backward), slopes_(num_parameters), states_(states), record_(record) {}

  /// Goes back with both states; they are left where the last matrix element was read.
  std::vector<double> run(ShardedState& ket, ShardedState& bra) {
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    done_ = 0;
    if (!windows_made_) make_windows(ket);
    for (const Window& window : windows_)
      if (!walk(window, ket, bra)) break;
    return slopes_;
  }

 private:
  void make_windows(const ShardedState& ket) {
    windows_made_ = true;
    PlanOptions options = setup_.plan;
    options.start_given = true;
    options.start_layout = ket.layout();
    options.shards = ket.placement().num_shards();
    const Stopwatch watch(record_.seconds_plan);
    const Circuit& circuit = backward_.circuit;
    for (std::size_t first = 0; first < circuit.size();) {
      const std::size_t last = std::min(circuit.size(), first + std::max<std::size_t>(1, setup_.window));
      Window window;
      const Machine& machine = setup_.context->machine();
      window.plan = setup_.cache != nullptr ? setup_.cache->find_or_make(circuit, first, last, machine, options).plan
                                            : std::make_shared<const Plan>(make_plan(circuit, first, last, machine, options));
      bind(*window.plan, circuit, backward_.values, window.binding);
      cut(window);
      options.start_layout = window.plan->final_layout;
      windows_.push_back(std::move(window));
      first = last;
    }
    drop_what_nobody_reads();
  }

  void cut(Window& window) const {
    const auto derivatives = plan::derivatives(*window.plan, backward_.circuit, backward_.values);
    for (const auto& d : derivatives.matrices) window.derivatives.push_back({d.operation, d.parameter});
    for (const auto& d : derivatives.angles) window.derivatives.push_back({d.operation, d.parameter});
    for (const auto& stage : window.plan->stages) {
      auto& passes = window.stages.emplace_back();
      for (const auto& pass : stage.passes) passes.push_back(cut_pass(pass, window.binding, derivatives));
    }
  }

  /// Nothing after the last probe changes a slope.
  void drop_what_nobody_reads() {
    for (std::size_t w = windows_.size(); w-- > 0;)
      for (std::size_t s = windows_[w].stages.size(); s-- > 0;)
        for (std::size_t p = windows_[w].stages[s].size(); p-- > 0;) {
          auto& levels = windows_[w].stages[s][p];
          while (!levels.empty() && levels.back().terms.empty()) levels.pop_back();
          if (levels.empty()) continue;
          levels.back().pass.residencies.clear();
          windows_.resize(w + 1);
          windows_[w].stages.resize(s + 1);
          windows_[w].stages[s].resize(p + 1);
          for (const Window& window : windows_)
            for (const auto& passes : window.stages) total_ += passes.size();
          return;
        }
    windows_.clear();
  }

  /// False at the last probe.
  bool walk(const Window& window, ShardedState& ket, ShardedState& bra) {
    const bool fused = has_adjoint_passes(ket);
    for (std::size_t s = 0; s < window.stages.size(); ++s) {
      for (const auto& levels : window.stages[s]) {
        const bool last = &levels == &windows_.back().stages.back().back();
        if (fused) {
          probe_and_run(window, levels, !last, ket, bra);
          ++done_;
          if (setup_.progress) setup_.progress(done_, total_, "gradient");
          if (last) return false;
          continue;
        }
        for (const auto& level : levels) {
          probe(window, level, ket, bra);
          if (last && &level == &levels.back()) return false;
          run_pass(level.pass, window.binding, ket, record_);
          run_pass(level.pass, window.binding, bra, record_);
        }
        ++done_;
        if (setup_.progress) setup_.progress(done_, total_, "gradient");
      }
      const auto& exchange = window.plan->stages[s].exchange;
      if (exchange.pairs.empty()) continue;
      run_exchange(exchange, ket, record_, states_);
      run_exchange(exchange, bra, record_, states_);
    }
    ket.set_layout(window.plan->final_layout);
    bra.set_layout(window.plan->final_layout);
    return true;
  }

  /// All levels of a pass while its tiles are in the cache.
  void probe_and_run(const Window& window, const std::vector<ProbedLevel>& levels, bool stores, ShardedState& ket, ShardedState& bra) {
    std::vector<kernels::AdjointLevel> parts;
    std::size_t terms = 0;
    for (const auto& level : levels) {
      parts.push_back({level.terms, &level.pass});
      terms += level.terms.size();
    }
    std::vector<double> sums(terms);
    run_adjoint_pass(parts, stores, window.binding, bra, ket, record_, sums);
    const double* sum = sums.data();
    for (const auto& level : levels) {
      for (const auto& use : level.uses) add_slope(window.derivatives[use.derivative], use.weight * sum[use.term]);
      sum += level.terms.size();
    }
  }

  void probe(const Window& window, const ProbedLevel& level, const ShardedState& ket, const ShardedState& bra) {
    if (level.terms.empty()) return;
    const Stopwatch watch(record_.seconds_sample);
    std::vector<double> sums(level.terms.size());
    measure::add_cross_values(bra, ket, level.terms, sums);
    for (const auto& use : level.uses) add_slope(window.derivatives[use.derivative], use.weight * sums[use.term]);
  }

  void add_slope(Window::Entry angle, double slope) {
    const auto& links = backward_.links;
    auto link = std::partition_point(links.begin(), links.end(), [&](const Backward::Link& l) {
      return std::pair(l.operation, l.index) < std::pair(angle.operation, angle.parameter);
    });
    for (; link != links.end() && link->operation == angle.operation && link->index == angle.parameter; ++link)
      slopes_[link->parameter] += link->slope * slope;
  }

  const RunSetup& setup_;
  const Backward& backward_;
  std::vector<double> slopes_;
  std::uint64_t states_;
  RunRecord& record_;
  std::vector<Window> windows_;
  bool windows_made_ = false;
  std::uint64_t done_ = 0, total_ = 0;  // passes
};

/// Bytes of one more state on the fullest device.
std::uint64_t bytes_of_state(const RunSetup& setup, int num_qubits) {
  PlanOptions options = setup.plan;
  options.extra_bytes = 0;
  options.check_memory = false;
  const Plan alone = plan_state(num_qubits, setup.context->machine(), options);
  std::uint64_t largest = 0;
  for (const DeviceMemory& device : alone.memory.per_device) largest = std::max(largest, device.bytes);
  return largest;
}

}  // namespace

Slopes adjoint_slopes(const RunSetup& setup, const Circuit& circuit, const ParameterValues& values, std::span<const PauliSum> observables,
                      std::span<const GateParameter> parameters, RunRecord& record) {
  const int n = static_cast<int>(circuit.num_qubits());
  RunSetup how = setup;
  how.plan.extra_bytes += 2 * bytes_of_state(setup, n);
  plan_state(n, how.context->machine(), how.plan);  // before a long circuit is planned

  std::optional<ShardedState> state;
  evolve(how, circuit, 0, circuit.size(), values, state, record);
  ShardedState& final_state = *state;
  const auto make = [&] {
    const Stopwatch watch(record.seconds_allocate);
    return ShardedState(final_state.shared_context(), final_state.placement(), final_state.precision(), final_state.options());
  };
  Slopes out;
  if (observables.empty()) return out;
  ShardedState bra = make();
  std::optional<ShardedState> work;
  if (observables.size() > 1) work.emplace(make());
  const std::uint64_t states = work ? 3 : 2;
  note_memory(final_state, states, 0, record);

  const double norm = measure::norm_squared(final_state);
  if (!(norm > 0)) throw Internal("the gradient of a state whose squared norm is " + std::to_string(norm));
  const Backward backward = make_backward(circuit, values, parameters);
  std::optional<Adjoint> adjoint;
  Layout planned_layout;
  for (std::size_t o = 0; o < observables.size(); ++o) {
    ShardedState& ket = work ? *work : final_state;
    {
      const Stopwatch watch(record.seconds_sample);
      measure::apply_observable(final_state, bra, observables[o]);
      out.values.push_back(measure::inner_product(bra, final_state).real() / norm);
    }
    if (work) work->restore(final_state);
    // Over ranks an observable may have moved the state to another layout: then the way back is planned for that one.
    if (!adjoint || final_state.layout() != planned_layout) {
      adjoint.emplace(how, backward, parameters.size(), states, record);
      planned_layout = final_state.layout();
    }
    std::vector<double> slopes = adjoint->run(ket, bra);
    final_state.context().collective().sum(slopes);
    for (const double slope : slopes) out.slopes.push_back(slope / norm);
  }
  return out;
}

}  // namespace ketmesh::runtime
