#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <type_traits>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/state/sharded_state.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh {
namespace {

static_assert(!std::is_copy_constructible_v<ShardedState> && std::is_nothrow_move_constructible_v<ShardedState>);

std::shared_ptr<const DistributedExecutionContext> context_of(int devices = 1) {
  return std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(devices), 2);
}

Placement placement_of(int n, int shard_bits, int devices = 1) {
  Placement placement;
  placement.num_qubits = n;
  placement.shard_bits = shard_bits;
  for (int s = 0; s < placement.num_shards(); ++s) placement.owners.push_back({0, s % devices});
  return placement;
}

Layout random_layout(int n, std::mt19937_64& random) {
  std::vector<int> bits(static_cast<std::size_t>(n));
  for (int q = 0; q < n; ++q) bits[static_cast<std::size_t>(q)] = q;
  std::shuffle(bits.begin(), bits.end(), random);
  return Layout(std::span<const int>(bits));
}

/// Amplitude i is (i, -1): exact in single precision.
std::vector<cdouble> marked(int n) {
  std::vector<cdouble> values(std::size_t{1} << n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i), -1};
  return values;
}

std::vector<cdouble> whole(const ShardedState& state) {
  std::vector<cdouble> out(std::size_t{1} << state.num_qubits());
  state.to_host<cdouble>(0, out.size(), out);
  return out;
}

TEST(Context, ChecksBeforeAnyDevice) {
  EXPECT_THROW(DistributedExecutionContext(DeviceMesh{}), OptionError);
  DeviceMesh twice = DeviceMesh::cpu(2, 1000);
  twice.devices[1].ordinal = 0;
  EXPECT_THROW(DistributedExecutionContext{twice}, OptionError);
  EXPECT_EQ(DistributedExecutionContext(self_communicator(), twice, 0, true).mesh().devices.size(), 2U);
  EXPECT_THROW(DistributedExecutionContext(nullptr, DeviceMesh::cpu()), OptionError);
  class Odd : public PointToPoint {
   public:
    Odd(int rank, int world) : rank_(rank), world_(world) {}
    int rank() const noexcept override { return rank_; }
    int world() const noexcept override { return world_; }
    std::string name() const override { return "odd"; }
    std::string host() const override { return "here"; }
    Request send(Channel, int, std::span<const std::byte>) override { return 0; }
    Request receive(Channel, int, std::span<std::byte>) override { return 0; }
    bool done(Request) override { return true; }
    void cancel(Request) noexcept override {}

   private:
    int rank_, world_;
  };
  EXPECT_THROW(CollectiveCommunicator(std::make_shared<Odd>(0, 0)), OptionError);
  EXPECT_THROW(CollectiveCommunicator(std::make_shared<Odd>(2, 2)), OptionError);
  EXPECT_THROW(CollectiveCommunicator(std::make_shared<Odd>(-1, 1)), OptionError);
  run_ranks(2, [](const std::shared_ptr<CollectiveCommunicator>& ranks) {
    const DistributedExecutionContext two(ranks, DeviceMesh::cpu(ranks->rank() + 1), 1);
    EXPECT_EQ(two.machine().ranks.size(), 2U);
    EXPECT_EQ(two.machine().num_devices(), 3U);
    EXPECT_EQ(two.threads(), 1);
  });
}

TEST(ShardedState, RangesAndBytesOfFourDevices) {
  const ShardedState state(context_of(4), placement_of(4, 2, 4), Precision::single);
  const auto views = state.local_shards();
  ASSERT_EQ(views.size(), 4U);
  for (Index s = 0; s < 4; ++s) {
    EXPECT_EQ(views[s].range, (IndexRange{4 * s, 4 * s + 4}));
    EXPECT_EQ(views[s].device, s == 0 ? "cpu" : "cpu:" + std::to_string(s));
  }
  EXPECT_EQ(state.bytes(), 16U * 8);
  EXPECT_THROW(views[0].data<cdouble>(), std::invalid_argument);
}

TEST(ShardedState, RefusesWhatCannotBe) {
  const auto context = context_of();
  EXPECT_THROW(ShardedState(context, placement_of(2, 2), Precision::single), Internal);
  EXPECT_THROW(ShardedState(context, placement_of(4, 1, 2), Precision::single), Internal);
  EXPECT_THROW(ShardedState(context, placement_of(50, 0), Precision::single), DoesNotFit);
  EXPECT_THROW(ShardedState(context, placement_of(62, 0), Precision::double_), DoesNotFit);
  ShardedState state(context, placement_of(3, 0), Precision::single);
  EXPECT_THROW(state.set_basis(8), OptionError);
  std::vector<cdouble> out(4);
  EXPECT_THROW(state.to_host<cdouble>(6, 10, out), OptionError);
  EXPECT_THROW(state.to_host<cdouble>(0, 3, out), OptionError);
  EXPECT_THROW(state.from_host<cdouble>(5, out), OptionError);
  EXPECT_THROW(state.amplitudes(std::vector<Index>{8}), OptionError);
}

TEST(ShardedState, ViewsKeepMemoryAlive) {
  std::vector<ShardView> views;
  {
    ShardedState state(context_of(), placement_of(12, 2), Precision::double_);
    state.set_basis(1);
    views = state.local_shards();
  }
  EXPECT_EQ(views[0].data<cdouble>()[1], cdouble(1));
  EXPECT_EQ(views[3].data<cdouble>()[1023], cdouble(0));
}

TEST(ShardedState, StartStatesFollowTheLayout) {
  std::mt19937_64 random(3);
  for (const int shard_bits : {0, 1, 3}) {
    ShardedState state(context_of(2), placement_of(7, shard_bits, shard_bits > 0 ? 2 : 1), Precision::double_);
    state.set_layout(random_layout(7, random));
    state.set_basis(37);
    auto all = whole(state);
    for (Index i = 0; i < 128; ++i) EXPECT_EQ(all[i], cdouble(i == 37 ? 1 : 0));
    std::vector<std::array<cdouble, 2>> vectors(7);
    for (std::size_t q = 0; q < 7; ++q) vectors[q] = {cdouble(0.5 + static_cast<double>(q)), cdouble(0, 1.0 / static_cast<double>(q + 1))};
    state.set_product(vectors);
    all = whole(state);
    for (Index i = 0; i < 128; ++i) {
      cdouble expected = 1;
      for (std::size_t q = 0; q < 7; ++q) expected *= vectors[q][(i >> q) & 1];
      EXPECT_LT(std::abs(all[i] - expected), 1e-12);
    }
  }
}

TEST(ShardedState, HostReadsAndWritesInLogicalOrder) {
  std::mt19937_64 random(5);
  for (const Precision precision : {Precision::single, Precision::double_})
    for (const int n : {1, 4, 9, 17})
      for (const int shard_bits : {0, 1, 2, 3}) {
        if (shard_bits >= n) continue;
        ShardedState state(context_of(), placement_of(n, shard_bits), precision);
        state.set_layout(random_layout(n, random));
        const auto values = marked(n);
        const Index size = values.size(), cut = size / 3;
        state.from_host<cdouble>(cut, std::span(values).subspan(cut));
        state.from_host<cdouble>(0, std::span(values).first(cut));
        ASSERT_EQ(whole(state), values);
        for (int round = 0; round < 10; ++round) {
          Index begin = random() % (size + 1), end = random() % (size + 1);
          if (end < begin) std::swap(begin, end);
          std::vector<cfloat> part(end - begin);
          state.to_host<cfloat>(begin, end, part);
          for (Index i = begin; i < end; ++i) ASSERT_EQ(cdouble(part[i - begin]), values[i]);
        }
        const std::vector<Index> some = {0, size - 1, size / 2, 0};
        const auto read = state.amplitudes(some);
        for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(read[i], values[some[i]]);
        // Physical order with the layout beside it is the same state.
        for (const auto& view : state.local_shards())
          for (Index p = view.range.begin; p < view.range.end; ++p) {
            const Index i = state.layout().to_logical(p);
            const cdouble held = precision == Precision::single ? cdouble(view.data<cfloat>()[p - view.range.begin])
                                                                : view.data<cdouble>()[p - view.range.begin];
            ASSERT_EQ(held, values[i]);
          }
      }
}

TEST(ShardedState, GlobalPhaseIsAppliedWhereAmplitudesAreRead) {
  ShardedState state(context_of(), placement_of(3, 1), Precision::double_);
  state.set_basis(5);
  state.add_global_phase(1.25);
  EXPECT_LT(std::abs(state.amplitudes(std::vector<Index>{5})[0] - std::polar(1.0, 1.25)), 1e-15);
  EXPECT_LT(std::abs(whole(state)[5] - std::polar(1.0, 1.25)), 1e-15);
  const std::vector<cdouble> one = {cdouble(0, 1)};
  state.from_host<cdouble>(5, one);
  EXPECT_LT(std::abs(whole(state)[5] - cdouble(0, 1)), 1e-15);
}

TEST(ShardedState, ExchangesMoveAmplitudesAndLayout) {
  std::mt19937_64 random(7);
  ShardedState state(context_of(2), placement_of(10, 3, 2), Precision::single);
  state.set_layout(random_layout(10, random));
  const auto values = marked(10);
  state.from_host<cdouble>(0, values);
  Exchange step;
  step.pairs = {{6, 8}, {1, 7}};
  const auto count = state.exchange(step);
  EXPECT_EQ(count.bytes, 1024U * 8 * 3 / 4);
  EXPECT_EQ(whole(state), values);
}

TEST(ShardedState, CanonicaliseMakesPhysicalOrderLogical) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 60; ++round) {
    const int n = round < 50 ? 2 + round % 11 : 17;
    const int shard_bits = static_cast<int>(random() % static_cast<unsigned>(std::min(n, 6)));
    const Precision precision = round % 2 == 0 ? Precision::single : Precision::double_;
    StateOptions options;
    if (round % 3 == 0) options.kernels = KernelChoice::reference;
    ShardedState state(context_of(), placement_of(n, shard_bits), precision, options);
    state.set_layout(random_layout(n, random));
    const auto values = marked(n);
    state.from_host<cdouble>(0, values);
    state.canonicalise();
    ASSERT_TRUE(state.layout().is_identity()) << n << " " << shard_bits;
    ASSERT_EQ(whole(state), values) << n << " " << shard_bits;
    ASSERT_EQ(state.local_shards()[0].range.begin, 0U);
  }
}

TEST(ShardedState, SnapshotsAreCopies) {
  ShardedState state(context_of(), placement_of(6, 1), Precision::single);
  state.set_basis(9);
  state.add_global_phase(0.5);
  const ShardedState saved = state.snapshot();
  const auto before = whole(state);
  Exchange step;
  step.pairs = {{0, 5}};
  state.exchange(step);
  state.set_basis(0);
  state.restore(saved);
  EXPECT_EQ(whole(state), before);
  EXPECT_EQ(state.layout(), saved.layout());
  const ShardedState other(context_of(), placement_of(6, 2), Precision::single);
  EXPECT_THROW(state.restore(other), Internal);
}

class Npy : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("ketmesh_npy_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                                                     "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Npy, HoldsTheStateInLogicalOrder) {
  std::mt19937_64 random(17);
  ShardedState state(context_of(), placement_of(10, 2), Precision::single);
  state.set_layout(random_layout(10, random));
  const auto values = marked(10);
  state.from_host<cdouble>(0, values);
  const auto path = folder_ / "state.npy";
  write_npy(state, path);
  write_npy(state, path);  // an older file is replaced
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(bytes.size(), 10U);
  EXPECT_EQ(bytes.substr(0, 6), "\x93NUMPY");
  const std::size_t header = 10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(header % 64, 0U);
  EXPECT_NE(bytes.find("'descr': '<c8', 'fortran_order': False, 'shape': (1024,)"), std::string::npos);
  ASSERT_EQ(bytes.size(), header + 1024 * sizeof(cfloat));
  std::vector<cfloat> read(1024);
  std::copy_n(bytes.data() + header, read.size() * sizeof(cfloat), reinterpret_cast<char*>(read.data()));
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(cdouble(read[i]), values[i]);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Npy, LeavesNothingWhereItCannotBeWritten) {
  ShardedState state(context_of(), placement_of(4, 0), Precision::double_);
  state.set_basis(0);
  EXPECT_THROW(write_npy(state, folder_ / "no" / "state.npy"), IoError);
  std::filesystem::create_directories(folder_ / "taken.npy" / "full");
  try {
    write_npy(state, folder_ / "taken.npy");  // a folder that is not empty: the rename fails
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_EQ(error.side(), IoError::Side::output);
    EXPECT_NE(std::string(error.what()).find("taken.npy"), std::string::npos);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Npy, FullDiskLeavesNoHalfFile) {
  // A limit on file sizes stands for a full disk: write() fails in the middle of the file.
  ShardedState state(context_of(), placement_of(12, 1), Precision::double_);
  state.set_basis(0);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 4096, .rlim_max = old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_npy(state, folder_ / "state.npy"), IoError);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace ketmesh
