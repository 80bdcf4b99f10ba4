// Shots and the energy of an Ising chain beside plain reads of the state, on the first GPU: micro_sample [n] [shots] [precision: single|double].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ketmesh/kernels/gpu/cuda_backend.hpp"
#include "ketmesh/measure/measure.hpp"
#include "ketmesh/runtime/evolve.hpp"

using namespace ketmesh;

namespace {

template <typename F>
double fastest(F&& run) {
  double best = 1e30;
  for (int k = 0; k < 4; ++k) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (k > 0) best = std::min(best, seconds);
  }
  return 1e3 * best;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 30;
  const std::uint64_t shots = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  const Precision precision = argc > 3 && std::string(argv[3]) == "double" ? Precision::double_ : Precision::single;
  if (!kernels::cuda_status().available) {
    std::fprintf(stderr, "micro_sample: %s\n", kernels::cuda_status().reason.c_str());
    return 3;
  }
  Circuit circuit(static_cast<std::size_t>(n));
  for (Qubit q = 0; q < static_cast<Qubit>(n); ++q) circuit.ry(q, 0.3 + 0.1 * q);
  for (Qubit q = 0; q + 1 < static_cast<Qubit>(n); ++q) circuit.cx(q, q + 1);
  for (Qubit q = 0; q < static_cast<Qubit>(n); ++q) circuit.rx(q, 0.2 + 0.05 * q);
  runtime::RunSetup setup;
  const int first[] = {0};
  setup.context = std::make_shared<const DistributedExecutionContext>(DeviceMesh{kernels::cuda_devices(first), 0});
  setup.plan.target = DeviceKind::cuda;
  setup.plan.precision = precision;
  std::optional<ShardedState> state;
  RunRecord record;
  const auto sums = runtime::evolve(setup, circuit, 0, circuit.size(), {}, state, record, true);
  std::vector<PauliTerm> terms;
  for (int q = 0; q < n; ++q) terms.push_back({-1.0, std::string(static_cast<std::size_t>(q), 'I') + "X"});
  for (int q = 0; q + 1 < n; ++q) terms.push_back({-1.0, std::string(static_cast<std::size_t>(q), 'I') + "ZZ"});
  const PauliSum energy(terms);
  std::size_t outcomes = 0;
  double value = 0, norm = 0;
  const double read = fastest([&] { norm = measure::norm_squared(*state); });
  const double sample = fastest([&] { outcomes = measure::sample(*state, shots, 7, 0, &sums).size(); });
  const double expectation = fastest([&] { value = measure::expectation(*state, {&energy, 1})[0]; });
  std::printf(
      "{\"n\": %d, \"precision\": \"%s\", \"norm\": %.9f, \"read_ms\": %.3f, \"shots\": %llu, \"sample_ms\": %.3f, \"outcomes\": %zu, "
      "\"strings\": %zu, \"energy\": %.9f, \"energy_ms\": %.3f}\n",
      n, std::string(to_string(precision)).c_str(), norm, read, static_cast<unsigned long long>(shots), sample, outcomes, terms.size(),
      value, expectation);
  return 0;
}
