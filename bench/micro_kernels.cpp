// CPU tile passes on a state of 2^24 amplitudes in single precision: a copy, a bare pass, and passes with 12 steps of one kind.
// Counters: bytes/s (a pass reads and writes the state once), flop/s (what the kind must compute), and roof: the time that bytes at the
// measured copy speed plus flops at the measured multiply-add peak would take, as a share of the time taken.
// KETMESH_BENCH_LEVEL: avx512, avx2, ... (default: the best); KETMESH_BENCH_THREADS (default 2).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/kernels.hpp"

using namespace ketmesh;

namespace {

constexpr int kQubits = 24, kTile = 15, kRow = 6, kSteps = 12;
constexpr double kAmplitudes = 1 << kQubits;

struct Bench {
  kernels::DeviceContext context;
  const kernels::Kernels* table = nullptr;
  kernels::Shard shard;
  double copy_bytes_per_second = 0, flops_per_second = 0;
};

double seconds_of(const std::function<void()>& work) {
  double best = 1e9;
  for (int r = 0; r < 5; ++r) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

Pass bare_pass() {
  Pass pass;
  for (int b = 0; b < kRow; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
  for (int b = kQubits - (kTile - kRow); b < kQubits; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
  pass.store_bits = pass.tile_bits;
  pass.row_bits = kRow;
  pass.residencies.emplace_back();
  return pass;
}

using MakeStep = std::function<Step(int number, Binding& binding, const Pass& pass)>;

void add_matrix(Step& step, Binding& binding, std::initializer_list<cdouble> m) {
  step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
  binding.matrices.insert(binding.matrices.end(), m);
}

Step one_target(int number, const Pass& pass, bool in_vector) {
  Step step;
  const int bits = in_vector ? 2 : kTile - kRow;
  step.targets = {pass.tile_bits[static_cast<std::size_t>(number % bits + (in_vector ? 0 : kRow))]};
  return step;
}

void run(benchmark::State& state, const Bench& bench, const Pass& pass, const Binding& binding, double flops) {
  const auto prepared = bench.table->prepare_pass(bench.context, pass, binding, kQubits);
  double best = 1e9;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    bench.table->run_pass(bench.context, prepared, bench.shard, nullptr);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  const double bytes = 16 * kAmplitudes, total = flops * kAmplitudes;
  state.counters["best_ms"] = best * 1e3;
  state.counters["bytes/s"] = bytes / best;
  state.counters["flop/s"] = total / best;
  state.counters["roof"] = (bytes / bench.copy_bytes_per_second + total / bench.flops_per_second) / best;
}

void steps(const Bench& bench, const std::string& name, double flops_each, const MakeStep& make) {
  benchmark::RegisterBenchmark(("pass/12x" + name).c_str(),
                               [bench, flops_each, make](benchmark::State& state) {
                                 Pass pass = bare_pass();
                                 Binding binding;
                                 for (int s = 0; s < kSteps; ++s) pass.residencies.back().steps.push_back(make(s, binding, pass));
                                 run(state, bench, pass, binding, flops_each * kSteps);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void register_all(const Bench& bench) {
  benchmark::RegisterBenchmark("pass/bare", [bench](benchmark::State& state) { run(state, bench, bare_pass(), {}, 0); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("pass/store_all_rows_moved",
                               [bench](benchmark::State& state) {
                                 Pass pass = bare_pass();
                                 std::rotate(pass.store_bits.begin(), pass.store_bits.begin() + kRow, pass.store_bits.end());
                                 run(state, bench, pass, {}, 0);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  const cdouble i{0, 1};
  for (const bool lane : {false, true}) {
    const std::string where = lane ? "/in_vector" : "/high_bits";
    steps(bench, "ry" + where, 4, [lane](int n, Binding& b, const Pass& p) {
      Step step = one_target(n, p, lane);
      step.shape = MatrixShape::real;
      add_matrix(step, b, {std::cos(0.3 + n), -std::sin(0.3 + n), std::sin(0.3 + n), std::cos(0.3 + n)});
      return step;
    });
    steps(bench, "h" + where, 2, [lane](int n, Binding& b, const Pass& p) {
      Step step = one_target(n, p, lane);
      step.shape = MatrixShape::hadamard;
      const double h = std::sqrt(0.5);
      add_matrix(step, b, {h, h, h, -h});
      return step;
    });
    steps(bench, "u3" + where, 16, [lane, i](int n, Binding& b, const Pass& p) {
      Step step = one_target(n, p, lane);
      const double t = 0.3 + n;
      add_matrix(step, b,
                 {std::cos(t), -std::exp(i * 0.7) * std::sin(t), std::exp(i * 0.2) * std::sin(t), std::exp(i * 0.9) * std::cos(t)});
      return step;
    });
  }
  steps(bench, "cx", 0, [](int n, Binding&, const Pass& p) {
    Step step = one_target(n, p, false);
    step.shape = MatrixShape::flip;
    step.control_mask = step.control_value = bits::one(p.tile_bits[static_cast<std::size_t>(kRow + (n + 1) % (kTile - kRow))]);
    return step;
  });
  steps(bench, "two_target", 32, [](int n, Binding& b, const Pass& p) {
    Step step = one_target(n, p, false);
    step.targets.push_back(p.tile_bits[static_cast<std::size_t>(kRow + (n + 1) % (kTile - kRow))]);
    step.matrix = static_cast<std::uint32_t>(b.matrices.size());
    for (int e = 0; e < 16; ++e) b.matrices.push_back(std::polar(0.5, 0.3 * ((e / 4) * (e % 4)) + (((e / 4) & (e % 4)) != 0 ? 3.1 : 0.0)));
    return step;
  });
  steps(bench, "phases_and_rx", 12, [](int n, Binding& b, const Pass& p) {
    Step step = one_target(n, p, false);
    if (n % 2 != 0) {
      step.shape = MatrixShape::rx_like;
      add_matrix(step, b, {std::cos(0.1), cdouble(0, -std::sin(0.1)), cdouble(0, -std::sin(0.1)), std::cos(0.1)});
      return step;
    }
    step.kind = StepKind::phases;
    step.targets.clear();
    for (int q = 0; q + 1 < kQubits; ++q) {
      PhaseTerm term;
      term.kind = PhaseTerm::Kind::parity;
      term.mask = bits::one(q) | bits::one(q + 1);
      term.angle = static_cast<std::uint32_t>(b.angles.size());
      b.angles.push_back(0.1);
      step.terms.push_back(term);
    }
    return step;
  });
}

}  // namespace

int main(int argc, char** argv) {
  Bench bench;
  const char* threads = std::getenv("KETMESH_BENCH_THREADS");
  const char* wanted = std::getenv("KETMESH_BENCH_LEVEL");
  bench.context.threads = threads != nullptr ? std::atoi(threads) : 2;
  auto level = kernels::SimdLevel::best;
  for (const auto l : kernels::available_simd_levels())
    if (wanted != nullptr && kernels::to_string(l) == wanted) level = l;
  bench.table = &kernels::cpu_kernels(Precision::single, level);
  const std::size_t bytes = std::size_t{8} << kQubits;
  bench.shard = {bench.table->allocate(bench.context, bytes), kQubits, 0};
  void* other = bench.table->allocate(bench.context, bytes);
  bench.table->fill_basis(bench.context, bench.shard, 0, 1.0);
  bench.copy_bytes_per_second =
      2.0 * static_cast<double>(bytes) / seconds_of([&] { bench.table->copy(bench.context, other, bench.shard.data, bytes); });
  bench.table->release(bench.context, other, bytes);
  // The peak as these kernels can reach it: a dense matrix of two targets, 32 multiply-adds of a pair of planes, many times on a small state.
  Pass pass;
  for (int b = 0; b < 11; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
  pass.store_bits = pass.tile_bits;
  pass.residencies.emplace_back();
  Binding binding;
  for (int e = 0; e < 16; ++e) binding.matrices.push_back(std::polar(0.5, 0.3 * e * e));
  for (int s = 0; s < 4000; ++s) {
    Step step;
    // Pairs that share a bit with the one before are not fused; both fit the registers.
    step.targets = {static_cast<std::uint8_t>(s % 2 != 0 ? 7 : 0), 6};
    pass.residencies.back().steps.push_back(step);
  }
  const kernels::Shard small{bench.shard.data, 11, 0};
  const auto prepared = bench.table->prepare_pass(bench.context, pass, binding, 11);
  const double seconds = seconds_of([&] { bench.table->run_pass(bench.context, prepared, small, nullptr); });
  bench.flops_per_second = 4000.0 * 32 * 2048 / seconds * bench.context.threads;
  bench.table->fill_basis(bench.context, bench.shard, 0, 1.0);
  benchmark::AddCustomContext("level", std::string(bench.table->level));
  benchmark::AddCustomContext("copy bytes/s", std::to_string(bench.copy_bytes_per_second));
  benchmark::AddCustomContext("multiply-add peak flop/s (measured, all threads)", std::to_string(bench.flops_per_second));
  register_all(bench);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  bench.table->release(bench.context, bench.shard.data, bytes);
}
