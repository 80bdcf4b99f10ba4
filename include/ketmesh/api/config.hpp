// Where and how a simulation runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ketmesh/base/types.hpp"

namespace ketmesh {

enum class Backend : std::uint8_t { automatic, cpu, gpu, distributed_cpu, distributed_gpu, distributed_mpi_cpu, distributed_mpi_gpu };
std::string_view to_string(Backend backend);         ///< "auto", "cpu", "distributed-mpi-cpu", ...
Backend backend_from_string(std::string_view name);  ///< throws OptionError listing the names
bool is_distributed(Backend backend);
bool is_mpi(Backend backend);
bool is_gpu(Backend backend);

enum class Engine : std::uint8_t { ex, conventional };
std::string_view to_string(Engine engine);               ///< "ex", "conventional"
Engine engine_from_string(std::string_view name);        ///< throws OptionError listing the names
Precision precision_from_string(std::string_view name);  ///< "single", "double"; throws OptionError
enum class SnapshotStorage : std::uint8_t { device, host };
enum class TransportChoice : std::uint8_t { automatic, peer, nccl, mpi, staged };
std::string_view to_string(TransportChoice transport);  ///< "auto", "peer", ...

/// Bits of DistributedOptions::flags.
enum DistributedFlag : unsigned {
  kFlagSharedDevice = 1,
  kFlagRestoreLayout = 2,
  kFlagFullMesh = 4,
  kFlagPinLayout = 8,
  kFlagHostStaged = 16
};

/// The option table of spec/distribution: each key has a text form with the same checks (`set`).
struct DistributedOptions {
  std::vector<int> devices{};                       ///< ordinals; empty: all (virtual devices: two)
  std::vector<int> global_qubits{};                 ///< ordered logical qubits; empty: the planner chooses
  Engine engine = Engine::ex;                       ///< key distributed_backend
  unsigned flags = 0;                               ///< 0..31
  std::uint32_t max_queued_gates = 1024;            ///< 1..65536
  std::uint64_t transfer_workspace_bytes = 16_MiB;  ///< 1 MiB..1 GiB, multiple of 256
  SnapshotStorage snapshot_storage = SnapshotStorage::device;
  std::optional<std::int64_t> mpi_communicator{};
  std::optional<int> mpi_p2p_bits{};  ///< 0..5
  std::optional<Precision> precision{};
  std::optional<std::uint64_t> seed{};
  TransportChoice transport = TransportChoice::automatic;
  int shards = 0;                  ///< 0: by the placement rule
  std::string placement = "auto";  ///< auto, equal, round_robin, explicit:2,1,1
  double timeout_seconds = 300;

  /// One key of the table by its text; throws OptionError naming key, value and range. Leaves everything unchanged on error.
  void set(std::string_view key, std::string_view value);
  /// The text form of one key as it stands now; "" for what is unset.
  std::string get(std::string_view key) const;
  static std::vector<std::string_view> keys();
  /// Throws OptionError when a field that was filled directly is outside its range.
  void check_ranges() const;
  friend bool operator==(const DistributedOptions&, const DistributedOptions&) = default;
};

struct SimulatorConfig {
  Backend backend = Backend::automatic;
  std::optional<Precision> precision{};  ///< none: single
  std::optional<std::uint64_t> seed{};   ///< none: drawn once and reported
  std::optional<int> gpu_device{};       ///< which GPU backend gpu takes; none: the first
  Engine engine = Engine::ex;            ///< for backends that are not distributed too
  int tile_qubits = 0;                   ///< 0: from the device
  int threads = 0;                       ///< 0: all usable
  std::string simd{};                    ///< "", "avx512", "avx2", "sse4", "neon", "scalar", "reference"
  bool causal_cone = true;               ///< estimate on light cones where that is smaller
  std::string machine_json{};            ///< a machine file's text; empty: this machine
  DistributedOptions distributed{};
  /// A cudaStream_t of the caller on the GPU of backend gpu: work is put on it, so it comes after what the caller put there before. It must outlive the states.
  void* cuda_stream = nullptr;

  Precision effective_precision() const;  ///< throws OptionError when both fields are given and differ
  /// Rules that join fields; made by every run before any device or library is looked for.
  void check() const;
  friend bool operator==(const SimulatorConfig&, const SimulatorConfig&) = default;
};

}  // namespace ketmesh
