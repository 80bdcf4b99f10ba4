#include "ketmesh/mesh/mesh.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ketmesh/base/error.hpp"
#include "ketmesh/mesh/cgroup.hpp"

namespace ketmesh {
namespace {

template <typename F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const OptionError& error) {
    return error.what();
  }
  return "no error";
}

Device device(DeviceKind kind, int ordinal) {
  Device d;
  d.kind = kind;
  d.ordinal = ordinal;
  d.memory_bytes = 1_GiB;
  return d;
}

Machine two_by_two() {
  Machine machine;
  for (int rank = 0; rank < 2; ++rank) machine.ranks.push_back({{device(DeviceKind::cuda, 0), device(DeviceKind::cuda, 1)}, rank});
  return machine;
}

TEST(Mesh, NamesDevices) {
  EXPECT_EQ(device(DeviceKind::cpu, 0).id(), "cpu");
  EXPECT_EQ(device(DeviceKind::cpu, 1).id(), "cpu:1");
  EXPECT_EQ(device(DeviceKind::cuda, 0).id(), "cuda:0");
}

TEST(Mesh, RefusesEmptyDuplicateAndNonSquareByName) {
  Machine machine;
  EXPECT_EQ(message_of([&] { machine.check(); }), "the machine has no rank: it must have at least one");
  machine = two_by_two();
  machine.check();
  machine.ranks[1].devices.clear();
  EXPECT_EQ(message_of([&] { machine.check(); }), "the device mesh of rank 1 is empty: a rank must have at least one device");
  machine = two_by_two();
  machine.ranks[1].devices[0].ordinal = 1;
  EXPECT_EQ(message_of([&] { machine.check(); }),
            "device cuda:1 is listed twice in the device mesh of rank 1: a repeated ordinal must be asked for");
  machine.allow_shared = true;
  machine.check();
  machine = two_by_two();
  machine.links.assign(3, std::vector<Link>(4));
  EXPECT_EQ(message_of([&] { machine.check(); }), "the link table has 3 rows: it must be square, 4 x 4 for the devices of all ranks");
  machine.links.assign(4, std::vector<Link>(4));
  machine.check();
  machine.links[2].pop_back();
  EXPECT_EQ(message_of([&] { machine.check(); }),
            "row 2 of the link table has 3 entries: it must be square, 4 x 4 for the devices of all ranks");
  machine = two_by_two();
  machine.ranks[0].devices[1].memory_bandwidth = 0;
  EXPECT_THROW(machine.check(), OptionError);
}

TEST(Mesh, LinksByClassOrByTable) {
  Machine machine = two_by_two();
  machine.ranks.push_back({{device(DeviceKind::cuda, 0)}, 1});
  EXPECT_EQ(machine.num_devices(), 5U);
  EXPECT_EQ(machine.link(0, 0).kind, LinkClass::same_device);
  EXPECT_EQ(machine.link(0, 1), machine.inside_rank);
  EXPECT_EQ(machine.link(1, 2), machine.between_hosts);
  EXPECT_EQ(machine.link(3, 4), machine.inside_host);
  EXPECT_THROW(machine.link(0, 5), OptionError);
  machine.links.assign(5, std::vector<Link>(5, Link{LinkClass::peer, 1e11, 0}));
  EXPECT_EQ(machine.link(1, 2).kind, LinkClass::peer);
}

TEST(Mesh, VirtualDevicesShareWhatIsFree) {
  const DeviceMesh four = DeviceMesh::cpu(4);
  ASSERT_EQ(four.devices.size(), 4U);
  EXPECT_EQ(four.devices[3].id(), "cpu:3");
  EXPECT_GT(four.devices[0].memory_bytes, 0U);
  EXPECT_EQ(four.devices[3].memory_bytes, four.devices[0].memory_bytes);  // one reading of what is free, divided
  EXPECT_EQ(DeviceMesh::cpu(2, 5000).devices[1].memory_bytes, 5000U);
  EXPECT_THROW(DeviceMesh::cpu(0), OptionError);
}

TEST(MachineFile, RoundTrips) {
  Machine machine = two_by_two();
  machine.ranks[0].devices[1].uuid = "GPU-1";
  machine.ranks[0].devices[1].memory_bytes = 141'000'000'000;
  machine.between_hosts.bandwidth = 50e9;
  EXPECT_EQ(Machine::from_json(machine.to_json()), machine);
  machine.links.assign(4, std::vector<Link>(4, Link{LinkClass::peer, 1.5e11, 1e-6}));
  EXPECT_EQ(Machine::from_json(machine.to_json()), machine);
  const Machine small = Machine::from_json(R"({"ranks": [{"devices": [{"memory_bytes": 1000}, {"memory_bytes": 2000}]}]})");
  EXPECT_EQ(small.ranks[0].devices[1].id(), "cpu:1");
}

TEST(MachineFile, ErrorsNameKeyValueAndRange) {
  const auto error = [](const char* text) { return message_of([&] { Machine::from_json(text); }); };
  EXPECT_NE(error("{").find("no JSON at byte"), std::string::npos);
  EXPECT_EQ(error("3"), "machine file: the whole = 3: must be an object");
  EXPECT_EQ(error("{}"), "machine file: key ranks is missing");
  EXPECT_EQ(error(R"({"ranks": []})"), "machine file: ranks = []: must be an array of 1 to 65536 items");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{}]}]})"), "machine file: key ranks[0].devices[0].memory_bytes is missing");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{"memory_bytes": -1}]}]})"),
            "machine file: ranks[0].devices[0].memory_bytes = -1: must be a number of bytes from 0 to 2^64 - 1");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{"memory_bytes": 1, "kind": "tpu"}]}]})"),
            "machine file: ranks[0].devices[0].kind = \"tpu\": must be one of cpu, cuda");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{"memory_bytes": 1, "colour": 3}]}]})").substr(0, 67),
            "machine file: unknown key ranks[0].devices[0].colour = 3; keys here");
  EXPECT_EQ(error(R"({"ranks": [{"host": 5000000000, "devices": [{"memory_bytes": 1}]}]})"),
            "machine file: ranks[0].host = 5000000000: must be an integer from 0 to 2147483647");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{"memory_bytes": 1}]}], "inside_rank": {"bandwidth": 0}})"),
            "machine file: inside_rank.bandwidth = 0: must be a finite number above 0");
  EXPECT_EQ(error(R"({"ranks": [{"devices": [{"memory_bytes": 1}, {"memory_bytes": 1, "ordinal": 0}]}]})"),
            "device cpu is listed twice in the device mesh of rank 0: a repeated ordinal must be asked for");
}

TEST(Probe, FindsThisProcess) {
  const Device cpu = probe_cpu();
  EXPECT_GT(cpu.memory_bytes, 64_MiB);
  EXPECT_GE(cpu.fast_memory_bytes, 64_KiB);
  EXPECT_GT(cpu.memory_bandwidth, 1e9);
  EXPECT_FALSE(cpu.name.empty());
}

TEST(Probe, ThreadsWithinMaskEnvironmentAndRequest) {
  unsetenv("OMP_NUM_THREADS");
  const int all = usable_threads();
  EXPECT_GE(all, 1);
  EXPECT_EQ(usable_threads(1), 1);
  EXPECT_EQ(usable_threads(1 << 20), all);
  setenv("OMP_NUM_THREADS", "1,4", 1);
  EXPECT_EQ(usable_threads(), 1);
  EXPECT_EQ(usable_threads(all), all);
  setenv("OMP_NUM_THREADS", "many", 1);
  EXPECT_EQ(usable_threads(), all);
  unsetenv("OMP_NUM_THREADS");
}

class Cgroup : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / "ketmesh_cgroup";
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::filesystem::path root_;
};

TEST_F(Cgroup, NoneMeansNoLimit) {
  const auto limits = mesh::cgroup_limits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_free);
}

TEST_F(Cgroup, Version2SmallestOfAllLevels) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/memory.max", "max\n");
  write("sys/fs/cgroup/a/b/memory.max", "1000\n");
  write("sys/fs/cgroup/a/b/memory.current", "400\n");
  write("sys/fs/cgroup/a/b/memory.stat", "anon 1\ninactive_file 100\n");
  const auto limits = mesh::cgroup_limits(root_);
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(limits.memory_free, 700U);
}

TEST_F(Cgroup, Version1InsideAContainer) {
  write("proc/self/cgroup", "4:memory:/docker/x\n1:cpu,cpuacct:/docker/x\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "6000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  auto limits = mesh::cgroup_limits(root_);
  EXPECT_FALSE(limits.cpus);
  EXPECT_EQ(limits.memory_free, 0U);
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  limits = mesh::cgroup_limits(root_);
  EXPECT_EQ(limits.cpus, 0.5);
  EXPECT_FALSE(limits.memory_free);
}

}  // namespace
}  // namespace ketmesh
