#include "combinations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "ketmesh/kernels/gpu/cuda_backend.hpp"

namespace ketmesh::conformance {
namespace {

struct Backend {
  std::string backend, level;
  StateOptions options;
  DeviceKind kind = DeviceKind::cpu;
};

/// KETMESH_CONFORMANCE: the one backend to run; empty or unset: all that are here.
bool wanted(const std::string& backend) {
  const char* only = std::getenv("KETMESH_CONFORMANCE");
  return only == nullptr || *only == '\0' || backend == only;
}

std::vector<Backend> backends(std::vector<std::string>* absent) {
  using kernels::SimdLevel;
  std::vector<Backend> found = {{"reference", "scalar", {.kernels = KernelChoice::reference}}};
  const auto present = kernels::available_simd_levels();
  for (const auto level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::sse4, SimdLevel::neon, SimdLevel::scalar}) {
    if (std::find(present.begin(), present.end(), level) != present.end())
      found.push_back({"cpu", std::string(to_string(level)), {.level = level}});
    else if (absent != nullptr)
      absent->push_back("cpu " + std::string(to_string(level)));
  }
  if (kernels::cuda_status().available)
    found.push_back({"cuda", std::string(kernels::cuda_kernels(Precision::single).level), {}, DeviceKind::cuda});
  else if (absent != nullptr)
    absent->push_back("cuda (" + kernels::cuda_status().reason + ")");
  std::erase_if(found, [](const Backend& b) { return !wanted(b.backend); });
  return found;
}

/// All shards on the first GPU.
std::shared_ptr<const DistributedExecutionContext> gpu_context() {
  DeviceMesh mesh;
  mesh.devices.push_back(kernels::cuda_devices().front());
  return std::make_shared<const DistributedExecutionContext>(std::move(mesh), 1);
}

}  // namespace

std::string Combination::name() const {
  return backend + " " + level + ", " + std::string(to_string(precision)) + ", " + std::to_string(shards) + " shards, " + transport + ", " +
         (engine == runtime::EngineKind::ex ? "ex" : "conventional");
}

std::vector<Combination> combinations(std::vector<std::string>* absent) {
  std::vector<Combination> out;
  std::shared_ptr<const DistributedExecutionContext> gpu;
  if (kernels::cuda_status().available) gpu = gpu_context();
  for (const int shards : kShards) {
    // A team where there are 4 shards; elsewhere one thread, since teams that share cores with other tests wait more than they work.
    const auto context = std::make_shared<DistributedExecutionContext>(DeviceMesh::cpu(std::min(shards, 4), 1_GiB), shards == 4 ? 2 : 1);
    for (const auto& backend : backends(absent))
      for (const Precision precision : {Precision::single, Precision::double_})
        for (const auto engine : {runtime::EngineKind::ex, runtime::EngineKind::conventional}) {
          Combination row{backend.backend, backend.level, "local", precision, shards, engine, {}};
          row.setup.context = backend.kind == DeviceKind::cuda ? gpu : context;
          row.setup.plan.target = backend.kind;
          row.setup.state = backend.options;
          row.setup.engine = engine;
          row.setup.plan.precision = precision;
          row.setup.plan.shards = shards;
          row.setup.plan.tile_bits = kTile;
          row.setup.plan.row_bits = kRow;
          out.push_back(std::move(row));
        }
    absent = nullptr;  // said once
  }
  return out;
}

double tolerance(Precision precision, std::size_t gates) {
  const double root = std::sqrt(static_cast<double>(gates));
  return precision == Precision::single ? 1e-6 + 1e-7 * root : 1e-14 + 1e-15 * root;
}

ShardedState state_of(const Combination& combination, const oracle::State& amplitudes) {
  RunRecord record;
  ShardedState state = runtime::make_state(combination.setup, std::countr_zero(amplitudes.size()), 1, record);
  state.set_layout(Layout(state.num_qubits()));
  state.from_host<cdouble>(0, amplitudes);
  return state;
}

oracle::State read(const ShardedState& state) {
  oracle::State out(std::size_t{1} << state.num_qubits());
  state.to_host<cdouble>(0, out.size(), out);
  return out;
}

double distance(const oracle::State& a, const oracle::State& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d;  // a NaN is the worst
  }
  return worst;
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> out;
  for (const auto& [what, times] : ran_)
    if (times == 0) out.push_back(what);
  return out;
}

}  // namespace ketmesh::conformance
