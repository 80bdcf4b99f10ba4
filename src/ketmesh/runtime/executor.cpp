#include "ketmesh/runtime/executor.hpp"

#include <string>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/runtime/sweep.hpp"

namespace ketmesh::runtime {
namespace {

void start_state(const Plan& plan, const Binding& binding, const Layout& layout, ShardedState& state) {
  switch (plan.start.kind) {
    case Start::Kind::given:
      if (state.layout() != layout)
        throw Internal("the plan begins in layout " + layout.str() + ", the state is in " + state.layout().str());
      return;
    case Start::Kind::basis_zero:
      state.set_layout(layout);
      state.set_basis(0);
      return;
    case Start::Kind::product: {
      std::vector<std::array<cdouble, 2>> vectors;
      vectors.reserve(plan.start.qubit_vectors.size());
      for (const auto offset : plan.start.qubit_vectors) vectors.push_back({binding.matrices.at(offset), binding.matrices.at(offset + 1)});
      state.set_layout(layout);
      state.set_product(vectors);
      return;
    }
  }
  throw Internal("a plan with no known start");
}

/// The bins of the last pass, summed over ranks.
class Bins {
 public:
  explicit Bins(const Layout& final_layout) : bits_(measure::block_bits(final_layout)) {
    sums_.sums.assign(std::size_t{1} << bits_.size(), 0.0);
    bins_ = {bits_, sums_.sums.data()};
  }
  const kernels::NormBins* get() const { return &bins_; }
  measure::BlockSums take(CollectiveCommunicator& collective) {
    collective.sum(sums_.sums);
    return std::move(sums_);
  }

 private:
  std::vector<std::uint8_t> bits_;
  measure::BlockSums sums_;
  kernels::NormBins bins_;
};

}  // namespace

measure::BlockSums execute(const Plan& plan, const Binding& binding, ShardedState& state, RunRecord& record,
                           const ExecuteOptions& options) {
  if (plan.placement != state.placement()) throw Internal("the plan is for another placement of shards than the state has");
  if (plan.precision != state.precision()) throw Internal("the plan is for another precision than the state has");
  {
    const Stopwatch watch(record.seconds_evolve);
    if (const auto& own = state.own_shards(); !own.empty() && own.front().kernels->announce != nullptr)
      own.front().kernels->announce(own.front().context, plan, binding);
    start_state(plan, binding, plan.stages.empty() ? plan.final_layout : plan.stages.front().layout, state);
  }
  note_memory(state, 1, 0, record);
  const std::uint64_t total = plan.num_passes();
  std::uint64_t done = 0;
  const bool traced = options.timeline != nullptr && options.timeline->enabled();
  double begin = traced ? options.timeline->now() : 0;
  const auto report = [&](const char* what) {
    if (traced) {
      const double end = options.timeline->now();
      options.timeline->add(std::string(what) + " " + std::to_string(done) + " of " + std::to_string(total), begin, end, kPassTrack);
      begin = end;
    }
    if (options.progress) options.progress(done, total, what);
  };
  if (options.passes != nullptr) options.passes->resize(total);
  measure::BlockSums sums;
  for (const auto& stage : plan.stages) {
    if (state.layout() != stage.layout)
      throw Internal("a stage begins in layout " + stage.layout.str() + ", the state is in " + state.layout().str());
    for (const auto& pass : stage.passes) {
      const bool last = done + 1 == total && stage.exchange.pairs.empty();
      kernels::PreparedPass* const kept = options.passes != nullptr ? &(*options.passes)[done] : nullptr;
      if (options.want_block_sums && pass.sums_norm && last) {
        Bins bins(plan.final_layout);
        run_pass(pass, binding, state, record, bins.get(), kept);
        sums = bins.take(state.context().collective());
      } else {
        run_pass(pass, binding, state, record, nullptr, kept);
      }
      ++done;
      report("pass");
    }
    if (stage.exchange.pairs.empty()) continue;
    run_exchange(stage.exchange, state, record);
    report("exchange");
  }
  // Stages follow the amplitudes; SWAP gates renamed qubits on top of that, which only the final layout says.
  state.set_layout(plan.final_layout);
  state.add_global_phase(binding.global_phase);
  const Stopwatch watch(record.seconds_evolve);
  for (const auto& own : state.own_shards()) own.kernels->synchronize(own.context);
  return sums;
}

}  // namespace ketmesh::runtime
