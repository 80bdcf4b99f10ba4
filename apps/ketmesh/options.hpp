// The options of a simulation, the same words for run, plan and bench.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "job.hpp"
#include "ketmesh/api/config.hpp"

namespace ketmesh::app {

struct ConfigWords {
  std::string backend = "auto", engine = "ex", devices, shards, precision, tile_qubits = "0", threads = "0", simd, machine;
  std::vector<std::string> options;
};

/// Adds --backend --engine --devices --shards --precision --tile-qubits --threads --simd --machine --option to a subcommand.
void add_config(CLI::App& command, ConfigWords& words);
/// Judges each word; throws OptionError, IoError.
SimulatorConfig to_config(const ConfigWords& words);
/// Of a run: over the ranks of the job where there are some; KETMESH_TIMEOUT bounds their waits unless an option does.
SimulatorConfig to_config(const ConfigWords& words, const Job& job);

}  // namespace ketmesh::app
