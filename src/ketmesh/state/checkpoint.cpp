#include "ketmesh/state/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ketmesh/base/error.hpp"
#include "ketmesh/base/memory.hpp"
#include "ketmesh/base/random.hpp"
#include "ketmesh/state/checkpoint_file.hpp"

namespace ketmesh {

using namespace state;

namespace {

/// Runs `work` on every rank; when it fails on one, every rank throws IoError with the message of the first that failed.
void together(CollectiveCommunicator& collective, IoError::Side side, const std::function<void()>& work) {
  std::array<char, 512> mine{};
  try {
    work();
  } catch (const Error& error) {
    if (collective.world() == 1) throw;
    const std::string text = "rank " + std::to_string(collective.rank()) + ": " + error.what();
    std::copy_n(text.data(), std::min(text.size(), mine.size() - 1), mine.data());
  }
  if (collective.world() == 1) return;
  std::vector<char> all(mine.size() * static_cast<std::size_t>(collective.world()));
  collective.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (std::size_t at = 0; at < all.size(); at += mine.size())
    if (all[at] != 0) throw IoError(side, &all[at]);
}

/// Chunk by chunk, checksums on the way. A device's memory comes through `staging`.
void write_shard(const transport::OwnedShard& own, ShardWriter& writer, HostMemory& staging, std::vector<std::uint64_t>& sums) {
  const std::uint64_t bytes = own.shard.size() * bytes_per_amplitude(own.kernels->precision);
  const auto* data = static_cast<const std::byte*>(own.shard.data);
  const bool on_device = own.kernels->backend == "cuda";
  for (std::uint64_t begin = 0; begin < bytes; begin += kChunkBytes) {
    const auto count = static_cast<std::size_t>(std::min(kChunkBytes, bytes - begin));
    const std::byte* chunk = data + begin;
    if (on_device) {
      own.kernels->copy_to_host(own.context, staging.data(), chunk, count);
      chunk = staging.data();
    }
    sums.push_back(checksum(chunk, count));
    writer.append(chunk, count);
  }
  writer.sync();
}

/// The checksums of all shards on every rank.
void gather_sums(const ShardedState& state, const std::vector<std::vector<std::uint64_t>>& mine, std::vector<ShardFile>& files) {
  CollectiveCommunicator& collective = state.context().collective();
  for (std::size_t s = 0; s < files.size(); ++s) {
    const int owner = state.placement().owners[s].rank;
    files[s].checksums.resize(chunks_of(files[s].bytes));
    if (owner == collective.rank()) files[s].checksums = mine[s];
    collective.broadcast(std::as_writable_bytes(std::span(files[s].checksums)), owner);
  }
}

/// Removes shards of older checkpoints and of attempts that failed.
void remove_others(const std::filesystem::path& folder, const std::vector<ShardFile>& kept) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("shard-") || !name.ends_with(".bin")) continue;
    if (std::none_of(kept.begin(), kept.end(), [&](const ShardFile& file) { return file.name == name; }))
      std::filesystem::remove(entry.path(), ignored);
  }
}

template <typename From, typename To>
void convert(const std::byte* from, Index count, std::byte* to) {
  const auto* in = reinterpret_cast<const From*>(from);
  auto* out = reinterpret_cast<To*>(to);
  for (Index i = 0; i < count; ++i) out[i] = static_cast<To>(in[i]);
}

/// Reads amplitudes [shard.base, shard.base + size) of the checkpoint into one shard.
class ShardFiller {
 public:
  ShardFiller(const std::filesystem::path& folder, const Manifest& manifest)
      : folder_(folder), manifest_(manifest), staging_(kChunkBytes), converted_(2 * kChunkBytes) {}

  void fill(const transport::OwnedShard& own) {
    const std::uint64_t held = bytes_per_amplitude(manifest_.precision), wanted = bytes_per_amplitude(own.kernels->precision);
    const Index file_size = Index{1} << manifest_.local_qubits, end = own.shard.base + own.shard.size();
    const Index chunk_size = std::min<Index>(file_size, kChunkBytes / held);
    for (Index at = own.shard.base & ~(chunk_size - 1); at < end; at += chunk_size) {
      open(static_cast<std::size_t>(at >> manifest_.local_qubits));
      // The part of the chunk that is this shard's: all of it, unless the shard is smaller.
      const Index first = std::max(at, own.shard.base), count = std::min(at + chunk_size, end) - first;
      std::byte* to = static_cast<std::byte*>(own.shard.data) + (first - own.shard.base) * wanted;
      const std::uint64_t chunk = (at & (file_size - 1)) / chunk_size;
      if (held == wanted && count == chunk_size && own.kernels->backend != "cuda") {
        reader_->read(chunk, to);
        continue;
      }
      reader_->read(chunk, staging_.data());
      const std::byte* from = staging_.data() + (first - at) * held;
      if (held != wanted) {
        if (held < wanted)
          convert<cfloat, cdouble>(from, count, converted_.data());
        else
          convert<cdouble, cfloat>(from, count, converted_.data());
        from = converted_.data();
      }
      own.kernels->copy_from_host(own.context, to, from, static_cast<std::size_t>(count * wanted));
      own.kernels->synchronize(own.context);  // the staging is used again
    }
  }

 private:
  void open(std::size_t file) {
    if (reader_ && open_ == file) return;
    reader_.emplace(folder_, manifest_.shards.at(file));
    open_ = file;
  }
  const std::filesystem::path& folder_;
  const Manifest& manifest_;
  HostMemory staging_, converted_;
  std::optional<ShardReader> reader_;
  std::size_t open_ = 0;
};

void check_manifest(const Manifest& manifest, const std::filesystem::path& folder) {
  const bool widths = manifest.num_qubits >= 1 && manifest.num_qubits <= kMaxQubits && manifest.local_qubits >= 1 &&
                      manifest.local_qubits <= manifest.num_qubits && manifest.layout.num_qubits() == manifest.num_qubits;
  const std::uint64_t bytes = widths ? bytes_per_amplitude(manifest.precision) << manifest.local_qubits : 0;
  const bool shards = widths && manifest.shards.size() == std::size_t{1} << (manifest.num_qubits - manifest.local_qubits) &&
                      std::all_of(manifest.shards.begin(), manifest.shards.end(),
                                  [&](const ShardFile& file) { return file.bytes == bytes && file.checksums.size() == chunks_of(bytes); });
  if (!shards)
    throw IoError(IoError::Side::input,
                  (folder / kManifestName).string() + ": its numbers of qubits, shards and bytes do not fit together");
}

}  // namespace

void save_checkpoint(const ShardedState& state, const std::filesystem::path& folder, const std::string& notes) {
  CollectiveCommunicator& collective = state.context().collective();
  std::uint64_t attempt = fresh_seed();
  collective.broadcast(std::as_writable_bytes(std::span(&attempt, 1)), 0);
  const Placement& placement = state.placement();
  Manifest manifest{state.num_qubits(), placement.local_bits(), state.precision(), state.layout(), state.global_phase(), {}, notes};
  for (int s = 0; s < placement.num_shards(); ++s)
    manifest.shards.push_back({"shard-" + std::to_string(attempt) + "-" + std::to_string(s) + ".bin",
                               bytes_per_amplitude(state.precision()) << placement.local_bits(),
                               {}});
  // The writers remove their files again when anything below throws.
  std::vector<ShardWriter> writers;
  std::vector<std::vector<std::uint64_t>> sums(manifest.shards.size());
  together(collective, IoError::Side::output, [&] {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw IoError(IoError::Side::output, folder.string() + ": the folder cannot be made: " + error.message());
    HostMemory staging(kChunkBytes);
    for (const auto& own : state.own_shards()) {
      const auto s = static_cast<std::size_t>(own.shard.base >> own.shard.local_bits);
      writers.emplace_back(folder / manifest.shards[s].name);
      write_shard(own, writers.back(), staging, sums[s]);
    }
  });
  gather_sums(state, sums, manifest.shards);
  together(collective, IoError::Side::output, [&] {
    if (collective.rank() == 0) write_text_file(folder / kManifestName, to_text(manifest));
  });
  for (auto& writer : writers) writer.keep();
  if (collective.rank() == 0) remove_others(folder, manifest.shards);
}

CheckpointInfo inspect_checkpoint(const std::filesystem::path& folder) {
  Manifest manifest = read_manifest(folder);
  check_manifest(manifest, folder);
  return {manifest.num_qubits, manifest.precision, std::move(manifest.notes)};
}

void load_checkpoint(ShardedState& state, const std::filesystem::path& folder) {
  together(state.context().collective(), IoError::Side::input, [&] {
    const Manifest manifest = read_manifest(folder);
    check_manifest(manifest, folder);
    if (manifest.num_qubits != state.num_qubits())
      throw IoError(IoError::Side::input, folder.string() + ": a checkpoint of " + std::to_string(manifest.num_qubits) +
                                              " qubits for a state of " + std::to_string(state.num_qubits()));
    ShardFiller filler(folder, manifest);
    for (const auto& own : state.own_shards()) filler.fill(own);
    state.set_layout(manifest.layout);
    state.clear_global_phase();
    state.add_global_phase(manifest.global_phase);
  });
}

}  // namespace ketmesh
