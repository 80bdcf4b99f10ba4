// Checkpoints: a folder with the shards, written by their owners, and a manifest that is renamed into place last.
//
// A checkpoint that is written over an older one leaves that one whole until its own manifest is there. It loads on another number of ranks,
// devices and shards and in the other precision.
#pragma once

#include <filesystem>
#include <string>

#include "ketmesh/state/sharded_state.hpp"

namespace ketmesh {

/// What a checkpoint says of itself.
struct CheckpointInfo {
  int num_qubits = 0;
  Precision precision = Precision::single;
  std::string notes;  ///< what the saver gave
};

/// All ranks call it. Throws IoError (output) on every rank when one cannot write; nothing of the failed attempt is left then.
void save_checkpoint(const ShardedState& state, const std::filesystem::path& folder, const std::string& notes);

/// Reads the manifest. Throws IoError (input).
CheckpointInfo inspect_checkpoint(const std::filesystem::path& folder);

/// Fills `state`, which has the checkpoint's number of qubits in any placement, with its amplitudes, layout and global phase. Every chunk that is read
/// is compared with its checksum. All ranks call it; throws IoError (input) on every rank, naming file and bytes (the amplitudes are unspecified then).
void load_checkpoint(ShardedState& state, const std::filesystem::path& folder);

}  // namespace ketmesh
