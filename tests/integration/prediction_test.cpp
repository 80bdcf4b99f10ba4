// Prediction equals record equals what was called: the kernel table and the exchanger of a run are wrapped by functions that count.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <string>

#include "families.hpp"
#include "ketmesh/base/bits.hpp"
#include "ketmesh/runtime/evolve.hpp"

namespace ketmesh {
namespace {

/// What really happened. Entries of a kernel table are plain functions, so the counters are this file's; exchanges call some of them from a team.
struct Counters {
  std::uint64_t shard_sweeps = 0, bytes_swept = 0, tiles_prepared = 0;
  std::uint64_t exchanges = 0, bytes_exchanged = 0;
  std::atomic<std::uint64_t> bytes_packed{0}, bytes_unpacked{0}, bytes_copied{0};
  std::uint64_t bytes_held = 0, bytes_peak = 0;
  std::mutex memory;
};
std::unique_ptr<Counters> counted;
const kernels::Kernels* inner[2];

template <Precision kPrecision>
struct Counting {
  static const kernels::Kernels& table() { return *inner[static_cast<std::size_t>(kPrecision)]; }
  static std::uint64_t bytes(Index amplitudes) { return amplitudes * bytes_per_amplitude(kPrecision); }

  static void* allocate(const kernels::DeviceContext& context, std::size_t bytes) {
    void* data = table().allocate(context, bytes);
    const std::lock_guard lock(counted->memory);
    counted->bytes_held += bytes;
    counted->bytes_peak = std::max(counted->bytes_peak, counted->bytes_held);
    return data;
  }
  static void release(const kernels::DeviceContext& context, void* data, std::size_t bytes) noexcept {
    {
      const std::lock_guard lock(counted->memory);
      counted->bytes_held -= bytes;
    }
    table().release(context, data, bytes);
  }
  static void copy(const kernels::DeviceContext& context, void* to, const void* from, std::size_t bytes) {
    counted->bytes_copied += bytes;
    table().copy(context, to, from, bytes);
  }
  static kernels::PreparedPass prepare_pass(const kernels::DeviceContext& context, const Pass& pass, const Binding& binding,
                                            int local_bits) {
    ++counted->tiles_prepared;
    return table().prepare_pass(context, pass, binding, local_bits);
  }
  static void run_pass(const kernels::DeviceContext& context, const kernels::PreparedPass& pass, const kernels::Shard& shard,
                       const kernels::NormBins* bins) {
    ++counted->shard_sweeps;
    counted->bytes_swept += 2 * bytes(shard.size());  // read and written
    table().run_pass(context, pass, shard, bins);
  }
  static void pack(const kernels::DeviceContext& context, const kernels::Shard& shard, Index mask, Index value, Index first, Index count,
                   void* out) {
    counted->bytes_packed += bytes(count);
    table().pack(context, shard, mask, value, first, count, out);
  }
  static void unpack(const kernels::DeviceContext& context, const kernels::Shard& shard, Index mask, Index value, Index first, Index count,
                     const void* in) {
    counted->bytes_unpacked += bytes(count);
    table().unpack(context, shard, mask, value, first, count, in);
  }

  static const kernels::Kernels& over(const kernels::Kernels& real) {
    static kernels::Kernels counting;
    inner[static_cast<std::size_t>(kPrecision)] = &real;
    counting = real;
    counting.allocate = allocate;
    counting.release = release;
    counting.copy = copy;
    counting.prepare_pass = prepare_pass;
    counting.run_pass = run_pass;
    counting.pack = pack;
    counting.unpack = unpack;
    return counting;
  }
};

const kernels::Kernels& counting_over(const kernels::Kernels& real) {
  return real.precision == Precision::single ? Counting<Precision::single>::over(real) : Counting<Precision::double_>::over(real);
}

/// Counts what the local exchanger is asked for, by the arithmetic of an exchange: a shard keeps one block of 2^pairs and sends the others.
class CountingExchanger final : public transport::Exchanger {
 public:
  transport::ExchangeCount exchange(const Exchange& step, const Placement& placement, std::span<const transport::OwnedShard> own,
                                    std::uint64_t workspace_bytes) override {
    ++counted->exchanges;
    const std::uint64_t shard = bytes_per_amplitude(own.front().kernels->precision) << placement.local_bits();
    counted->bytes_exchanged += own.size() * (shard - (shard >> step.pairs.size()));
    return local_.exchange(step, placement, own, workspace_bytes);
  }
  std::string_view name() const override { return local_.name(); }

 private:
  transport::LocalExchanger local_;
};

void check(const Circuit& circuit, const kernels::Kernels& real, int shards, int tile_bits, const std::string& name) {
  SCOPED_TRACE(name + ", " + std::string(real.backend) + ", " + std::string(to_string(real.precision)) + ", " + std::to_string(shards) +
               " shards");
  counted = std::make_unique<Counters>();
  runtime::RunSetup setup;
  setup.context = std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(std::min(shards, 2), 1_GiB), 2);
  setup.plan.precision = real.precision;
  setup.plan.shards = shards;
  setup.plan.tile_bits = tile_bits;
  setup.state.table = &counting_over(real);
  setup.state.exchanger = std::make_shared<CountingExchanger>();
  const Plan plan = make_plan(circuit, setup.context->machine(), setup.plan);

  RunRecord record;
  {
    std::optional<ShardedState> state;
    runtime::evolve(setup, circuit, 0, circuit.size(), {}, state, record);
    EXPECT_EQ(counted->bytes_held, plan.memory.state_bytes);
  }
  EXPECT_EQ(counted->bytes_held, 0U);

  EXPECT_EQ(record.passes, plan.num_passes());
  EXPECT_EQ(record.passes * static_cast<std::uint64_t>(shards), counted->shard_sweeps);
  EXPECT_EQ(record.passes, counted->tiles_prepared) << "a pass is prepared once for all shards";
  EXPECT_EQ(record.bytes_local, plan.bytes_local);
  EXPECT_EQ(record.bytes_local, counted->bytes_swept);

  EXPECT_EQ(record.exchanges, plan.num_exchanges());
  EXPECT_EQ(record.exchanges, counted->exchanges);
  EXPECT_EQ(record.bytes_exchanged, plan.bytes_exchanged_total());
  EXPECT_EQ(record.bytes_exchanged, counted->bytes_exchanged);
  EXPECT_EQ(record.bytes_between_ranks, 0U);
  EXPECT_EQ(plan.bytes_between_ranks(), 0U);
  // Blocks that are contiguous change places by three copies for two of them, others by packing and unpacking.
  EXPECT_EQ(record.bytes_exchanged, counted->bytes_packed + counted->bytes_copied / 3 * 2);
  EXPECT_EQ(counted->bytes_packed.load(), counted->bytes_unpacked.load());

  EXPECT_EQ(record.memory_bytes, counted->bytes_peak);
  const auto predicted = static_cast<double>(plan.memory.state_bytes + plan.memory.workspace_bytes);
  EXPECT_NEAR(static_cast<double>(record.memory_bytes), predicted, 0.05 * predicted);
}

void check_families(const kernels::Kernels& (*table)(Precision), int num_qubits, int tile_bits, std::initializer_list<int> shard_counts) {
  for (const auto name : app::family_names()) {
    const Circuit circuit = app::family_circuit(name, num_qubits);
    for (const Precision precision : {Precision::single, Precision::double_})
      for (const int shards : shard_counts) check(circuit, table(precision), shards, tile_bits, std::string(name));
  }
}

const kernels::Kernels& cpu(Precision precision) { return kernels::cpu_kernels(precision); }

TEST(Prediction, EqualsTheRecordOfTheProcessor) {
  check_families(cpu, 12, 6, {1, 2, 4, 8, 32});
  check_families(cpu, 14, 8, {1, 2, 4, 8, 32});
}

TEST(Prediction, EqualsTheRecordOfTheReference) { check_families(kernels::reference_kernels, 12, 7, {1, 4}); }

// Here exchanges work through chunks by a team, and the workspace is small beside the state.
TEST(Prediction, EqualsTheRecordOfLargerShards) { check_families(cpu, 18, 0, {1, 2, 8}); }

}  // namespace
}  // namespace ketmesh
