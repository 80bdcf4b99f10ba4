// The CUDA backend, a plugin that is opened on first need. Nothing of CUDA is in the core.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ketmesh/kernels/kernels.hpp"
#include "ketmesh/mesh/mesh.hpp"

namespace ketmesh::kernels {

/// Whether CUDA kernels can run here, and if not, why and what to do. Never throws.
struct CudaStatus {
  bool available = false;
  std::string reason;   ///< empty when available
  std::string library;  ///< path of the plugin, empty when none was opened
};
const CudaStatus& cuda_status();

/// The GPUs that the driver shows to this process (CUDA_VISIBLE_DEVICES respected), with the memory free now. Empty when not available.
std::vector<Device> cuda_devices();
/// Those of some ordinals; a context is made on each.
std::vector<Device> cuda_devices(std::span<const int> ordinals);
/// UUIDs of all visible GPUs, without making contexts on them.
std::vector<std::string> cuda_uuids();

/// Throws BackendUnavailable with the reason.
const Kernels& cuda_kernels(Precision precision);

}  // namespace ketmesh::kernels
