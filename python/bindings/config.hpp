// A configuration as the runs read it: made once from the fields of ketmesh.SimulatorConfig and kept until one changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ketmesh/ketmesh.hpp"

namespace ketmesh::python {

struct Config {
  SimulatorConfig config;  ///< with the seeds
  std::string type_name;   ///< what the user calls the backend: "DistributedGpu"
  bool is_checked = false;

  /// Rules that join fields, once.
  void check();
  std::optional<std::uint64_t> seed() const { return config.seed ? config.seed : config.distributed.seed; }
  SimulatorConfig without_seeds() const;
};

/// Simulators that rest between calls, so that plans are found again. A call takes one that has its configuration, or makes one;
/// calls of several threads at once each have their own. Used with the GIL held.
class SimulatorPool {
 public:
  static SimulatorPool& instance();
  std::unique_ptr<Simulator> take(const SimulatorConfig& config);
  void give_back(SimulatorConfig config, std::unique_ptr<Simulator> simulator);
  void clear();

 private:
  static constexpr std::size_t kResting = 8;
  std::vector<std::pair<SimulatorConfig, std::unique_ptr<Simulator>>> resting_;
};

/// Runs with the simulator of a configuration; what cannot run here is named as the user named it.
class Lease {
 public:
  explicit Lease(Config& config);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Simulator& operator*() const { return *simulator_; }
  Simulator* operator->() const { return simulator_.get(); }

 private:
  SimulatorConfig key_;
  std::unique_ptr<Simulator> simulator_;
};

/// BackendUnavailable with the user's name of the backend in front.
[[noreturn]] void name_backend(const BackendUnavailable& error, const Config& config);

}  // namespace ketmesh::python
