// Planning time of the eight families, n = 30, tiles of 2^12, 8 shards: canonical gates, all levels, recipes and the hash.
// Counter time_per_1000_gates.
#include <benchmark/benchmark.h>

#include <string>

#include "families.hpp"
#include "ketmesh/plan/planner.hpp"

using namespace ketmesh;

namespace {

Machine machine() {
  Device device;
  device.memory_bytes = std::uint64_t{1} << 40;
  Machine out;
  out.ranks = {DeviceMesh{{device}, 0}};
  return out;
}

void plan_family(benchmark::State& state, std::string_view family) {
  const auto circuit = app::family_circuit(family, 30);
  const auto where = machine();
  PlanOptions options;
  options.target = DeviceKind::cuda;
  options.tile_bits = 12;
  options.shards = 8;
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(circuit, where, options));
  state.counters["time_per_1000_gates"] = benchmark::Counter(static_cast<double>(circuit.size()) * 1e-3,
                                                             benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void bind_small(benchmark::State& state) {  // 10 qubits, about 100 gates with angles: what a cached plan costs again
  Circuit circuit(10);
  for (int layer = 0; layer < 5; ++layer) {
    for (Qubit q = 0; q < 10; ++q) circuit.ry(q, 0.1 * q + layer);
    for (Qubit q = 0; q + 1 < 10; ++q) circuit.cx(q, q + 1);
  }
  const auto plan = make_plan(circuit, machine(), {});
  Binding binding;
  const ParameterValues none;
  for (auto _ : state) {
    bind(plan, circuit, none, binding);
    benchmark::DoNotOptimize(binding.matrices.data());
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto name : app::family_names())
    benchmark::RegisterBenchmark(("plan/" + std::string(name)).c_str(), [name](benchmark::State& s) {
      plan_family(s, name);
    })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("bind/10_qubits_95_gates", bind_small)->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
