// Exchanges between GPUs of several ranks and of one process over a link that is not there, and which transport is chosen.
#include <gtest/gtest.h>

#include <atomic>
#include <random>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/transport/device_exchanger.hpp"
#include "ketmesh/transport/fake_link_testing.hpp"
#include "ketmesh/transport/ranks_testing.hpp"

namespace ketmesh::transport {
namespace {

using testing::FakeLink;

struct Case {
  int n = 0, shard_bits = 0;
  Exchange step;
  std::uint64_t workspace = 0;
};

Case random_case(std::mt19937_64& random, bool contiguous) {
  Case c;
  c.n = 3 + static_cast<int>(random() % 9);
  c.shard_bits = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(c.n - 1, 4)));
  const int local = c.n - c.shard_bits, q = 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(local, c.shard_bits)));
  std::vector<std::uint8_t> locals, globals;
  for (int b = 0; b < c.n; ++b) (b < local ? locals : globals).push_back(static_cast<std::uint8_t>(b));
  std::shuffle(globals.begin(), globals.end(), random);
  contiguous ? std::reverse(locals.begin(), locals.end()) : std::shuffle(locals.begin(), locals.end(), random);
  for (int i = 0; i < q; ++i) c.step.pairs.push_back({locals[static_cast<std::size_t>(i)], globals[static_cast<std::size_t>(i)]});
  c.workspace = random() % 2 == 0 ? 64 : 1_MiB;
  return c;
}

/// `ranks` ranks of `devices` GPUs each; shards are given out in turn.
Placement placement_of(const Case& c, int ranks, int devices) {
  Placement placement;
  placement.num_qubits = c.n;  // layers: allow(qubits) the field's name
  placement.shard_bits = c.shard_bits;
  for (int s = 0; s < placement.num_shards(); ++s) placement.owners.push_back({s % ranks, s / ranks % devices});
  return placement;
}

Machine machine_of(int ranks, int devices, bool one_gpu) {
  Machine machine;
  machine.allow_shared = true;
  for (int r = 0; r < ranks; ++r) {
    DeviceMesh mesh;
    for (int d = 0; d < devices; ++d) {
      Device device;
      device.kind = DeviceKind::cuda;
      device.ordinal = d;
      device.uuid = one_gpu ? "GPU-0" : "GPU-" + std::to_string(r * devices + d);
      mesh.devices.push_back(device);
    }
    machine.ranks.push_back(mesh);
  }
  return machine;
}

/// Fills, exchanges twice and looks at all amplitudes after each; the transport that was used.
std::string check_exchange(FakeLink& link, const Case& c, int ranks, int devices, DeviceTransport wanted, bool one_gpu = false,
                           std::vector<std::string>* notes = nullptr) {
  const Placement placement = placement_of(c, ranks, devices);
  const Machine machine = machine_of(ranks, devices, one_gpu);
  const int local = c.n - c.shard_bits;
  std::string used;
  std::atomic<std::uint64_t> bytes = 0;
  const auto work = [&](const std::shared_ptr<CollectiveCommunicator>& world) {
    std::vector<std::vector<cfloat>> memory;
    std::vector<OwnedShard> own;
    for (int s = 0; s < placement.num_shards(); ++s) {
      const auto& owner = placement.owners[static_cast<std::size_t>(s)];
      if (owner.rank != world->rank()) continue;
      auto& shard = memory.emplace_back(std::size_t{1} << local);
      const Index base = static_cast<Index>(s) << local;
      for (Index i = 0; i < shard.size(); ++i) shard[i] = {static_cast<float>(base + i), 1};
      own.push_back({{nullptr, local, base}, &testing::fake_kernels(Precision::single), {.ordinal = owner.device, .threads = 1}});
    }
    for (std::size_t k = 0; k < own.size(); ++k) own[k].shard.data = memory[k].data();
    DeviceExchanger exchanger(*world, link, machine, placement, own, {wanted, true});
    for (const bool back : {false, true}) {
      bytes += exchanger.exchange(c.step, placement, own, c.workspace).bytes;
      for (std::size_t k = 0; k < own.size(); ++k)
        for (Index i = 0; i < memory[k].size(); ++i) {
          const Index at = own[k].shard.base + i;
          Index from = at;
          for (const auto& pair : c.step.pairs)
            if (!back && bits::test(at, pair.local_bit) != bits::test(at, pair.global_bit))
              from ^= bits::one(pair.local_bit) | bits::one(pair.global_bit);
          ASSERT_EQ(memory[k][i], (cfloat{static_cast<float>(from), 1}));
        }
    }
    if (world->rank() != 0) return;
    used = exchanger.name();
    if (notes != nullptr) *notes = exchanger.notes();
  };
  if (ranks == 1)
    work(self_communicator());
  else
    run_ranks(ranks, work);
  const std::uint64_t all = sizeof(cfloat) << c.n;
  EXPECT_EQ(bytes, 2 * (all - (all >> c.step.pairs.size())));
  return used;
}

TEST(DeviceTransports, PeerBetweenRanks) {
  std::mt19937_64 random(21);
  FakeLink link;
  for (int round = 0; round < 60; ++round) {
    const int ranks = 2 + static_cast<int>(random() % 4), devices = 1 + static_cast<int>(random() % 2);
    EXPECT_EQ(check_exchange(link, random_case(random, round % 2 == 0), ranks, devices, DeviceTransport::automatic, round % 3 == 0),
              "peer");
    if (HasFatalFailure()) return;
  }
}

TEST(DeviceTransports, StagedBetweenRanks) {
  std::mt19937_64 random(22);
  FakeLink link;
  for (int round = 0; round < 60; ++round) {
    const int ranks = 2 + static_cast<int>(random() % 4), devices = 1 + static_cast<int>(random() % 2);
    EXPECT_EQ(check_exchange(link, random_case(random, round % 2 == 0), ranks, devices, DeviceTransport::staged), "staged");
    if (HasFatalFailure()) return;
  }
}

TEST(DeviceTransports, NcclBetweenRanks) {
  std::mt19937_64 random(23);
  FakeLink link;
  for (int round = 0; round < 60; ++round) {
    const int ranks = 2 + static_cast<int>(random() % 4), devices = 1 + static_cast<int>(random() % 2);
    EXPECT_EQ(check_exchange(link, random_case(random, round % 2 == 0), ranks, devices, DeviceTransport::nccl), "nccl");
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(link.swaps, 0U);
}

TEST(DeviceTransports, GpusOfOneProcess) {
  std::mt19937_64 random(24);
  for (const bool peers : {true, false}) {
    FakeLink link;
    link.peers = peers;
    link.no_nccl = "no NCCL here";
    for (int round = 0; round < 40; ++round) {
      const Case c = random_case(random, round % 2 == 0);
      const int devices = std::min(2 + static_cast<int>(random() % 3), 1 << c.shard_bits);
      EXPECT_EQ(check_exchange(link, c, 1, devices, DeviceTransport::automatic), peers ? "peer" : "staged");
      EXPECT_EQ(check_exchange(link, c, 1, devices, DeviceTransport::staged), "staged");
      link.no_nccl.clear();
      EXPECT_EQ(check_exchange(link, c, 1, devices, DeviceTransport::nccl), "nccl");
      link.no_nccl = "no NCCL here";
      EXPECT_EQ(check_exchange(link, c, 1, 1, DeviceTransport::peer), "local");
      if (HasFatalFailure()) return;
    }
  }
}

TEST(DeviceTransports, AutomaticFallsBackAndSaysWhy) {
  std::mt19937_64 random(25);
  const Case c = random_case(random, true);
  FakeLink link;
  link.ipc = false;
  std::vector<std::string> notes;
  EXPECT_EQ(check_exchange(link, c, 2, 1, DeviceTransport::automatic, false, &notes), "nccl");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("not peer: rank 0: handles cannot be opened here"), std::string::npos) << notes[0];
  EXPECT_EQ(check_exchange(link, c, 2, 1, DeviceTransport::automatic, true, &notes), "staged");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("GPU-0 is used by rank 0 and rank 1"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("not mpi: the ranks are no processes of an MPI job"), std::string::npos) << notes[0];
}

TEST(DeviceTransports, OneThatIsAskedForAndCannotBeIsRefusedOnEveryRank) {
  const Machine machine = machine_of(2, 1, true);
  Case c;
  c.n = 4;
  c.shard_bits = 1;
  const Placement placement = placement_of(c, 2, 1);
  FakeLink link;
  const auto outcomes = outcomes_of_ranks(2, [&](const std::shared_ptr<CollectiveCommunicator>& world) {
    DeviceExchanger(*world, link, machine, placement, {}, {DeviceTransport::nccl, true});
  });
  for (const auto& outcome : outcomes) {
    ASSERT_TRUE(outcome);
    try {
      std::rethrow_exception(outcome);
    } catch (const BackendUnavailable& error) {
      EXPECT_NE(std::string(error.what()).find("NCCL has one member a GPU, and GPU-0 is used by rank 0 and rank 1"), std::string::npos)
          << error.what();
    }
  }
}

TEST(DeviceTransports, Order) {
  using enum DeviceTransport;
  const TransportFacts all;
  EXPECT_EQ(transports_to_try(automatic, all), (std::vector{peer, nccl, mpi, staged}));
  TransportFacts some;
  some.no_peer = "A";
  some.no_mpi = "B";
  EXPECT_EQ(transports_to_try(automatic, some), (std::vector{nccl, staged}));
  EXPECT_EQ(transports_to_try(staged, some), (std::vector{staged}));
  EXPECT_THROW(transports_to_try(peer, some), BackendUnavailable);
  EXPECT_THROW(transports_to_try(mpi, some), BackendUnavailable);
  EXPECT_EQ(transport_note(nccl, some), "transport nccl: not peer: A");
  EXPECT_EQ(transport_note(peer, all), "");
  TransportFacts one;
  one.one_device = true;
  EXPECT_EQ(transports_to_try(nccl, one), (std::vector{local}));
}

}  // namespace
}  // namespace ketmesh::transport
