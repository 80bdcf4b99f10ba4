#include "ketmesh/state/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <random>

#include "ketmesh/base/error.hpp"
#include "ketmesh/state/checkpoint_manifest.hpp"

namespace ketmesh {
namespace {

namespace fs = std::filesystem;

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() { fs::remove_all(folder); }
  ~Checkpoint() override { fs::remove_all(folder); }
  const fs::path folder = fs::temp_directory_path() / ("ketmesh-checkpoint-" + std::to_string(::getpid()));
};

ShardedState state_of(int n, int shard_bits, Precision precision, int devices = 1) {
  Placement placement;
  placement.num_qubits = n;
  placement.shard_bits = shard_bits;
  for (int s = 0; s < placement.num_shards(); ++s) placement.owners.push_back({0, s % devices});
  return {std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(devices), 1), placement, precision};
}

/// Amplitude i is (i, -1): exact in single precision.
std::vector<cdouble> marked(int n) {
  std::vector<cdouble> values(std::size_t{1} << n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i), -1};
  return values;
}

void fill(ShardedState& state) {
  std::vector<int> bits(static_cast<std::size_t>(state.num_qubits()));
  for (std::size_t q = 0; q < bits.size(); ++q) bits[q] = static_cast<int>((q * 3 + 1) % bits.size());
  std::mt19937_64 random(5);
  std::shuffle(bits.begin(), bits.end(), random);
  state.set_layout(Layout(std::span<const int>(bits)));
  state.from_host<cdouble>(0, marked(state.num_qubits()));
}

std::vector<cdouble> whole(const ShardedState& state) {
  std::vector<cdouble> out(std::size_t{1} << state.num_qubits());
  state.to_host<cdouble>(0, out.size(), out);
  return out;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

std::vector<fs::path> shards_in(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".bin") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST_F(Checkpoint, LoadsOnOtherShardsDevicesAndPrecision) {
  constexpr int kQubits = 10;
  for (const Precision written : {Precision::single, Precision::double_})
    for (const int from : {0, 1, 3}) {
      ShardedState saved = state_of(kQubits, from, written, 1 << (from > 1 ? 1 : from));
      fill(saved);
      save_checkpoint(saved, folder, "a note");
      EXPECT_EQ(shards_in(folder).size(), std::size_t{1} << from) << "older shards must be gone";
      const CheckpointInfo info = inspect_checkpoint(folder);
      EXPECT_EQ(info.num_qubits, kQubits);
      EXPECT_EQ(info.precision, written);
      EXPECT_EQ(info.notes, "a note");
      for (const Precision read : {Precision::single, Precision::double_})
        for (const int to : {0, 1, 2, 5}) {
          ShardedState loaded = state_of(kQubits, to, read);
          load_checkpoint(loaded, folder);
          EXPECT_EQ(loaded.layout(), saved.layout());
          ASSERT_EQ(whole(loaded), marked(kQubits)) << from << " -> " << to;
        }
    }
}

TEST_F(Checkpoint, ShardsOfSeveralChunks) {
  // 2^22 amplitudes are 32 MiB: two chunks in one shard, four in double precision.
  ShardedState saved = state_of(22, 0, Precision::single);
  fill(saved);
  save_checkpoint(saved, folder, "");
  for (const int to : {0, 3}) {
    ShardedState loaded = state_of(22, to, Precision::double_);
    load_checkpoint(loaded, folder);
    ASSERT_EQ(whole(loaded), marked(22));
  }
}

TEST_F(Checkpoint, KeepsTheGlobalPhase) {
  ShardedState saved = state_of(4, 1, Precision::double_);
  saved.set_basis(3);
  saved.add_global_phase(0.5);
  save_checkpoint(saved, folder, "");
  ShardedState loaded = state_of(4, 0, Precision::double_);
  loaded.add_global_phase(2);
  load_checkpoint(loaded, folder);
  EXPECT_EQ(whole(loaded)[3], std::polar(1.0, 0.5));
}

TEST_F(Checkpoint, AChangedByteIsFoundAndNamed) {
  ShardedState saved = state_of(8, 1, Precision::double_);
  fill(saved);
  save_checkpoint(saved, folder, "");
  const fs::path victim = shards_in(folder)[1];
  {
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(100);
    const char old = static_cast<char>(file.get());
    file.seekp(100);
    file.put(static_cast<char>(old ^ 4));
  }
  ShardedState loaded = state_of(8, 0, Precision::double_);
  const std::string message = message_of([&] { load_checkpoint(loaded, folder); });
  EXPECT_NE(message.find(victim.string() + ": bytes 0 to 2048 are not those that were written"), std::string::npos) << message;
}

TEST_F(Checkpoint, MissingShortAndForeignFilesAreNamed) {
  ShardedState saved = state_of(8, 1, Precision::double_);
  fill(saved);
  save_checkpoint(saved, folder, "");
  ShardedState loaded = state_of(8, 0, Precision::double_);
  const fs::path victim = shards_in(folder)[0], aside = folder / "aside";
  fs::rename(victim, aside);
  EXPECT_NE(message_of([&] { load_checkpoint(loaded, folder); }).find(victim.string() + ": a shard of the checkpoint cannot be opened"),
            std::string::npos);
  fs::rename(aside, victim);
  fs::resize_file(victim, 2000);
  EXPECT_NE(message_of([&] { load_checkpoint(loaded, folder); }).find(victim.string() + ": has 2000 bytes; the manifest says 2048"),
            std::string::npos);
  fs::resize_file(victim, 2048);

  const fs::path manifest = folder / "manifest.json";
  std::ifstream in(manifest);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::ofstream(manifest) << text.substr(0, text.size() / 2);
  EXPECT_NE(message_of([&] { load_checkpoint(loaded, folder); }).find("manifest.json: is cut short"), std::string::npos);
  std::string changed = text;
  changed.replace(changed.find("\"num_qubits\": 8"), 15, "\"num_qubits\": 7");
  std::ofstream(manifest) << changed;
  EXPECT_NE(message_of([&] { load_checkpoint(loaded, folder); }).find("was changed after it was written"), std::string::npos);
  fs::remove(manifest);
  EXPECT_NE(message_of([&] { load_checkpoint(loaded, folder); }).find("holds no finished checkpoint"), std::string::npos);
  ShardedState other = state_of(7, 0, Precision::double_);
  std::ofstream(manifest) << text;
  EXPECT_NE(message_of([&] { load_checkpoint(other, folder); }).find("a checkpoint of 8 qubits for a state of 7"), std::string::npos);
}

/// Files may not grow past this many bytes; a longer write fails as on a full disk.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_F(Checkpoint, AFullDiskLeavesTheOlderOneWhole) {
  ShardedState first = state_of(8, 1, Precision::single);
  fill(first);
  save_checkpoint(first, folder, "first");
  ShardedState second = state_of(16, 1, Precision::double_);
  fill(second);
  {
    const FileLimit limit(100'000);
    EXPECT_NE(message_of([&] { save_checkpoint(second, folder, "second"); }).find("cannot be written"), std::string::npos);
  }
  EXPECT_EQ(shards_in(folder).size(), 2U) << "what the failed attempt wrote must be gone";
  EXPECT_EQ(inspect_checkpoint(folder).notes, "first");
  ShardedState loaded = state_of(8, 0, Precision::single);
  load_checkpoint(loaded, folder);
  EXPECT_EQ(whole(loaded), marked(8));
}

TEST_F(Checkpoint, AFolderThatCannotBeMade) {
  std::ofstream(folder) << "a file";
  const ShardedState state = state_of(4, 0, Precision::single);
  EXPECT_NE(message_of([&] { save_checkpoint(state, folder / "inside", ""); }).find("cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace ketmesh
