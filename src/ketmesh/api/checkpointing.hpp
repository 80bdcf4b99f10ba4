// Runs that write checkpoints and go on from them: windows of operations, and what a checkpoint says besides the state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ketmesh/api/simulator.hpp"
#include "ketmesh/circuit/circuit.hpp"
#include "ketmesh/runtime/evolve.hpp"

namespace ketmesh::api {

/// The notes of a checkpoint.
struct RunNotes {
  std::string circuit;   ///< checksum of the whole circuit with its parameters bound; empty: saved by a DistributedState
  std::size_t done = 0;  ///< operations of it that the state has seen
  Circuit remaining;     ///< the others
  ClassicalBits bits;
  std::uint64_t seed = 0, ordinal = 0;
};

std::string to_text(const RunNotes& notes);
/// Throws IoError (input) naming `folder` when the notes are not of this kind.
RunNotes notes_from_text(const std::string& text, const std::filesystem::path& folder);

/// Evolves |0..0>, or the checkpoint that `options` resume, through the unitary operations of `circuit` (parameters bound, all measurements left out) and saves as
/// the options say: the operations run in windows of about `every_seconds`. Throws OptionError when the checkpoint is of another circuit, IoError.
measure::BlockSums evolve_saving(const runtime::RunSetup& setup, const Circuit& circuit, const CheckpointOptions& options,
                                 std::uint64_t seed, std::optional<ShardedState>& state, RunRecord& record, bool want_block_sums);

/// The seed that a resumed run had.
std::uint64_t saved_seed(const std::filesystem::path& folder);

}  // namespace ketmesh::api
