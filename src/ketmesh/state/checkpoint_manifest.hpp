// The manifest of a checkpoint: everything but the amplitudes, and where those lie. A JSON file that carries a checksum of itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ketmesh/plan/layout.hpp"

namespace ketmesh::state {

inline constexpr char kManifestName[] = "manifest.json";
/// Amplitudes are checked in pieces of this many bytes, so that a rank that reads a part of a shard checks what it reads.
inline constexpr std::uint64_t kChunkBytes = 16_MiB;

struct ShardFile {
  std::string name;  ///< in the checkpoint's folder
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> checksums;  ///< XXH3, 64 bits, of each kChunkBytes (the last may be shorter)
};

struct Manifest {
  int num_qubits = 0;
  int local_qubits = 0;  ///< of the shards that were written
  Precision precision = Precision::single;
  Layout layout;
  double global_phase = 0;
  std::vector<ShardFile> shards;  ///< in the order of physical indices
  std::string notes;              ///< of whoever saved; not looked into here
};

/// XXH3 (64 bits) of `bytes` bytes.
std::uint64_t checksum(const void* data, std::size_t bytes);
std::uint64_t chunks_of(std::uint64_t bytes);

std::string to_text(const Manifest& manifest);
/// Throws IoError (input) that names the file and what is wrong: not there, cut short, changed, of another version.
Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace ketmesh::state
