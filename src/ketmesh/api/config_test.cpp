#include "ketmesh/api/config.hpp"

#include <gtest/gtest.h>

#include "ketmesh/api/options.hpp"
#include "ketmesh/base/error.hpp"

namespace ketmesh {
namespace {

struct Row {
  const char* key;
  std::vector<const char*> good, bad;
};

const std::vector<Row> kTable = {
    {"distributed_devices",
     {"", "0", "0,1", "0,1,2,3", "1,0", "7", "0,0", "65535"},
     {"0,-1", "a", "0,", ",0", "0, 1", "0x1", "1.0", "0;1", "99999999999999999999", "+1", " 0", "0,,1", ",", "65536"}},
    {"distributed_global_qubits", {"", "0", "0,1", "3,1", "5,2,7", "61"}, {"-1", "a", "0,0", "0,", "62", "63", "99999999999"}},
    {"distributed_backend", {"ex", "conventional"}, {"foo", "EX", "", " ex"}},
    {"distributed_flags",
     {"0", "1", "2", "4", "8", "16", "3", "6", "12", "24", "29"},
     {"32", "-1", "a", "", "0x8", " 8", "4294967296", "10", "31", "1.0"}},
    {"distributed_max_queued_gates", {"1", "1024", "65536"}, {"0", "65537", "-1", "a", "", "4294967296", "1.5"}},
    {"distributed_transfer_workspace_bytes",
     {"1048576", "16777216", "1048832", "1073741824"},
     {"1048575", "1048577", "1073742080", "0", "-1", "16MiB", "1e6", "", "256"}},
    {"distributed_snapshot_storage", {"gpu", "host"}, {"disk", "GPU", ""}},
    {"distributed_host_qubit_indexing", {"auto", "local", "global"}, {"x", ""}},
    {"mpi_communicator",
     {"0", "1", "1140850688", "-2080374784", "9223372036854775807", "-9223372036854775808"},
     {"abc", "1x", "", "-", "--1", "+1", " 1", "9223372036854775808", "0x0"}},
    {"mpi_p2p_bits", {"0", "5"}, {"6", "-1", "a", ""}},
    {"precision", {"single", "double"}, {"half", "", "Single"}},
    {"seed", {"0", "42", "18446744073709551615"}, {"-1", "18446744073709551616", "x", ""}},
    {"distributed_transport", {"auto", "peer", "nccl", "mpi", "staged"}, {"", "tcp"}},
    {"distributed_shards", {"0", "1", "2", "64"}, {"3", "-1", "", "x"}},
    {"distributed_placement",
     {"auto", "equal", "round_robin", "explicit:2,1,1", "explicit:1"},
     {"", "explicit", "explicit:", "explicit:1,", "explicit:1,2", "explicit:0", "explicit: 2", "other"}},
    {"distributed_timeout_seconds", {"1", "300", "86400"}, {"0", "86401", "1.5", ""}},
};

TEST(Options, EveryKeyIsInTheTable) {
  const auto keys = DistributedOptions::keys();
  ASSERT_EQ(keys.size(), kTable.size());
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], kTable[i].key);
}

TEST(Options, GoodTextIsTakenAndReadBack) {
  for (const Row& row : kTable)
    for (const char* text : row.good) {
      DistributedOptions options;
      ASSERT_NO_THROW(options.set(row.key, text)) << row.key << " = " << text;
      if (std::string(row.key) != "distributed_host_qubit_indexing") {
        EXPECT_EQ(options.get(row.key), text) << row.key;
      }
      EXPECT_NO_THROW(options.check_ranges()) << row.key << " = " << text;
    }
}

TEST(Options, BadTextNamesKeyAndValueAndChangesNothing) {
  for (const Row& row : kTable)
    for (const char* text : row.bad) {
      DistributedOptions options;
      options.set("distributed_flags", "8");
      const DistributedOptions before = options;
      try {
        options.set(row.key, text);
        ADD_FAILURE() << row.key << " took \"" << text << '"';
      } catch (const OptionError& e) {
        const std::string what = e.what();
        EXPECT_NE(what.find(row.key), std::string::npos) << what;
        EXPECT_NE(what.find("\"" + std::string(text) + "\""), std::string::npos) << what;
        EXPECT_NE(what.find("must be "), std::string::npos) << what;
      }
      EXPECT_EQ(options, before);
    }
}

TEST(Options, UnknownKeysListTheKnownOnes) {
  for (const char* key : {"distributed_bogus", "mpi_bogus", "distributed_", "Distributed_devices", "", "bogus"}) {
    DistributedOptions options;
    try {
      options.set(key, "1");
      ADD_FAILURE() << key;
    } catch (const OptionError& e) {
      EXPECT_NE(std::string(e.what()).find("\"" + std::string(key) + "\""), std::string::npos);
      EXPECT_NE(std::string(e.what()).find("distributed_devices"), std::string::npos);
    }
  }
}

std::string refusal(const SimulatorConfig& config) {
  try {
    config.check();
  } catch (const OptionError& e) {
    return e.what();
  }
  return {};
}

TEST(Config, FieldsFilledDirectlyAreJudged) {
  SimulatorConfig config;
  EXPECT_EQ(refusal(config), "");
  config.distributed.flags = 10;
  EXPECT_NE(refusal(config).find("distributed_flags"), std::string::npos);
  config = {};
  config.distributed.devices = {-1};
  EXPECT_NE(refusal(config).find("distributed_devices"), std::string::npos);
  config = {};
  config.distributed.transfer_workspace_bytes = 1_MiB + 1;
  EXPECT_NE(refusal(config).find("distributed_transfer_workspace_bytes"), std::string::npos);
  config = {};
  config.distributed.timeout_seconds = -1;
  EXPECT_NE(refusal(config).find("distributed_timeout_seconds"), std::string::npos);
  config = {};
  config.tile_qubits = -1;
  EXPECT_NE(refusal(config).find("tile_qubits"), std::string::npos);
  config = {};
  config.simd = "mmx";
  EXPECT_NE(refusal(config).find("mmx"), std::string::npos);
}

TEST(Config, JoinedRules) {
  SimulatorConfig config;
  config.distributed.set("mpi_p2p_bits", "1");
  EXPECT_NE(refusal(config).find("mpi_p2p_bits"), std::string::npos);
  config.backend = Backend::distributed_mpi_cpu;
  EXPECT_EQ(refusal(config), "");

  config = {.backend = Backend::distributed_cpu};
  config.distributed.set("distributed_devices", "0,0");
  EXPECT_NE(refusal(config).find("twice"), std::string::npos);
  config.distributed.set("distributed_flags", "1");
  EXPECT_EQ(refusal(config), "");
  config.distributed.set("distributed_shards", "4");
  config.distributed.set("distributed_global_qubits", "0");
  EXPECT_NE(refusal(config).find("distributed_global_qubits"), std::string::npos);
  config.distributed.set("distributed_global_qubits", "0,3");
  EXPECT_EQ(refusal(config), "");
  config.backend = Backend::cpu;  // valid options of a type that is not distributed change nothing
  config.distributed.flags = 0;
  EXPECT_EQ(refusal(config), "");
}

TEST(Config, PrecisionAndSeedGivenTwice) {
  SimulatorConfig config;
  EXPECT_EQ(config.effective_precision(), Precision::single);
  config.distributed.set("precision", "double");
  EXPECT_EQ(config.effective_precision(), Precision::double_);
  config.precision = Precision::double_;
  EXPECT_EQ(refusal(config), "");
  config.precision = Precision::single;
  EXPECT_NE(refusal(config).find("precision"), std::string::npos);
  config = {};
  config.seed = 1;
  config.distributed.seed = 2;
  EXPECT_NE(refusal(config).find("seed"), std::string::npos);
}

TEST(Config, AStreamIsForOneGpu) {
  int not_a_stream = 0;
  EXPECT_THROW((SimulatorConfig{.backend = Backend::cpu, .cuda_stream = &not_a_stream}.check()), OptionError);
  EXPECT_THROW((SimulatorConfig{.backend = Backend::distributed_gpu, .cuda_stream = &not_a_stream}.check()), OptionError);
  SimulatorConfig{.backend = Backend::gpu, .cuda_stream = &not_a_stream}.check();
}

TEST(Config, Names) {
  for (const char* name : {"auto", "cpu", "gpu", "distributed-cpu", "distributed-gpu", "distributed-mpi-cpu", "distributed-mpi-gpu"})
    EXPECT_EQ(to_string(backend_from_string(name)), name);
  EXPECT_THROW(backend_from_string("CPU"), OptionError);
  EXPECT_EQ(engine_from_string("conventional"), Engine::conventional);
  EXPECT_THROW(engine_from_string(""), OptionError);
  EXPECT_EQ(precision_from_string("double"), Precision::double_);
  EXPECT_THROW(precision_from_string("half"), OptionError);
}

TEST(Placement, Text) {
  const auto parsed = api::parse_placement("explicit:2,1,1");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->policy, PlacementPolicy::explicit_counts);
  EXPECT_EQ(parsed->shards_per_rank, (std::vector<int>{2, 1, 1}));
}

}  // namespace
}  // namespace ketmesh
