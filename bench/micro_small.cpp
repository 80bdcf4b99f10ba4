// Small states: a run in this process with a cached plan and no shots, beside its arithmetic (the flops of the plan at 60 % of the multiply-add peak of one
// core, measured here). Counters in microseconds: run (the fastest of many), arithmetic, overhead = run - arithmetic.
// same: the same circuit again; angles: another circuit of the same structure each time. `micro_small gpu ...`: on the first GPU.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "families.hpp"
#include "fma_peak.hpp"
#include "ketmesh/ketmesh.hpp"

using namespace ketmesh;

namespace {

Circuit with_angles_moved(const Circuit& circuit, double by) {
  Circuit out(circuit.num_qubits());
  for (const Operation op : circuit) {
    if (op.parameters.empty()) {
      out.append(op);
      continue;
    }
    std::vector<Parameter> moved;
    for (const Parameter& p : op.parameters) moved.emplace_back(p.number() + by);
    out.append(op.gate, op.qubits, moved, op.controls);
  }
  return out;
}

void run(benchmark::State& state, Backend backend, std::string_view family, int num_qubits, Precision precision, bool new_angles,
         double peak) {
  const Circuit circuit = app::family_circuit(family, num_qubits);
  const Circuit circuits[2] = {circuit, new_angles ? with_angles_moved(circuit, 0.01) : circuit};
  Simulator simulator({.backend = backend, .precision = precision});
  const RunOptions options{.shots = 0, .seed = 1};
  for (const Circuit& c : circuits) simulator.run(c, options);
  double best = 1e9;
  bool odd = true;  // the warm-up ended with the second
  for (auto _ : state) {
    odd = !odd;
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(simulator.run(circuits[odd ? 1 : 0], options));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  const double arithmetic = static_cast<double>(simulator.plan(circuit).flops) / (0.6 * peak);
  state.counters["run_us"] = best * 1e6;
  state.counters["arithmetic_us"] = arithmetic * 1e6;
  state.counters["overhead_us"] = (best - arithmetic) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  const Backend backend = argc > 1 && std::string_view(argv[1]) == "gpu" ? Backend::gpu : Backend::cpu;
  benchmark::Initialize(&argc, argv);
  for (const Precision precision : {Precision::single, Precision::double_}) {
    const double peak = bench::fma_peak(precision);
    const std::string name(to_string(precision));
    benchmark::AddCustomContext("multiply-add peak of one core, " + name + ", flop/s", std::to_string(peak));
    for (const bool new_angles : {false, true})
      for (const auto family : app::family_names())
        for (const int n : {4, 6, 8, 10, 12})
          benchmark::RegisterBenchmark(
              (std::string("small/") + std::string(family) + "/" + std::to_string(n) + "/" + name + (new_angles ? "/angles" : "/same"))
                  .c_str(),
              [=](benchmark::State& state) { run(state, backend, family, n, precision, new_angles, peak); })
              ->UseManualTime()
              ->MinTime(0.02)
              ->Unit(benchmark::kMicrosecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
