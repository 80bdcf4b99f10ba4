// Milliseconds of CUDA tile passes at n qubits: bare, and with layers of each kind of step; beside the bytes that a pass must move.
//   micro_cuda [n] [precision: single|double] [tile]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/gpu/cuda_backend.hpp"

using namespace ketmesh;

namespace {

struct Maker {
  Pass pass;
  Binding binding;
  explicit Maker(int n, int tile, int rows) {
    for (int b = 0; b < rows; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
    for (int b = n - (tile - rows); b < n; ++b) pass.tile_bits.push_back(static_cast<std::uint8_t>(b));
    pass.store_bits = pass.tile_bits;
    pass.row_bits = rows;
  }
  void matrix(std::vector<std::uint8_t> targets, MatrixShape shape, std::vector<cdouble> m) {
    Step s;
    s.shape = shape;
    s.targets = std::move(targets);
    s.matrix = static_cast<std::uint32_t>(binding.matrices.size());
    binding.matrices.insert(binding.matrices.end(), m.begin(), m.end());
    pass.residencies.back().steps.push_back(std::move(s));
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 30;
  const Precision precision = argc > 2 && std::string(argv[2]) == "double" ? Precision::double_ : Precision::single;
  const int tile = argc > 3 ? std::atoi(argv[3]) : (precision == Precision::single ? 12 : 11);
  if (!kernels::cuda_status().available) {
    std::printf("no GPU: %s\n", kernels::cuda_status().reason.c_str());
    return 77;
  }
  const kernels::Kernels& k = kernels::cuda_kernels(precision);
  const kernels::DeviceContext context;
  const std::size_t bytes = bytes_per_amplitude(precision) << n;
  void* data = k.allocate(context, bytes);
  const kernels::Shard shard{data, n, 0};
  const double h = 0.70710678118654752;
  std::vector<std::array<cdouble, 2>> factors(static_cast<std::size_t>(n), {cdouble(h), cdouble(h * 0.6, h * 0.8)});
  k.fill_product(context, shard, factors, 1.0);
  const auto run = [&](const char* name, int rows, const std::function<void(Maker&)>& fill) {
    Maker m(n, tile, rows);
    fill(m);
    const auto prepared = k.prepare_pass(context, m.pass, m.binding, n);
    double best = 1e9;
    for (int r = 0; r < 5; ++r) {
      k.synchronize(context);
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 4; ++i) k.run_pass(context, prepared, shard, nullptr);
      k.synchronize(context);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 4);
    }
    std::printf("%-44s %8.3f ms  %7.1f GB/s\n", name, best * 1e3, 2.0 * static_cast<double>(bytes) / best * 1e-9);
    std::fflush(stdout);
  };
  const auto sets = [&](Maker& m, int trips, const std::function<void(std::span<const std::uint8_t>)>& gates) {
    for (int t = 0; t < trips; ++t) {
      m.pass.residencies.emplace_back();
      std::vector<std::uint8_t> set;
      for (int b = 0; b < 4; ++b) set.push_back(m.pass.tile_bits[static_cast<std::size_t>((4 * t + b) % tile)]);
      m.pass.residencies.back().register_bits = set;
      gates(set);
    }
  };
  std::printf("n = %d, %s, tile %d, %s\n", n, std::string(to_string(precision)).c_str(), tile, std::string(k.level).c_str());
  for (int rows : {4, 5, 6})
    run(("bare, rows " + std::to_string(rows)).c_str(), rows, [&](Maker& m) { m.pass.residencies.emplace_back(); });
  const std::vector<cdouble> general = {cdouble(0.6, 0.1), cdouble(-0.3, 0.7), cdouble(0.3, 0.7), cdouble(0.6, -0.1)};
  for (int layers : {1, 2}) {
    const std::string times = std::to_string(layers) + " x ";
    run((times + "3 x 4 general").c_str(), 5, [&](Maker& m) {
      sets(m, 3 * layers, [&](auto set) {
        for (auto b : set) m.matrix({b}, MatrixShape::general, general);
      });
    });
    run((times + "3 x 4 real").c_str(), 5, [&](Maker& m) {
      sets(m, 3 * layers, [&](auto set) {
        for (auto b : set) m.matrix({b}, MatrixShape::real, {0.8, -0.6, 0.6, 0.8});
      });
    });
    run((times + "3 x 4 rx").c_str(), 5, [&](Maker& m) {
      sets(m, 3 * layers, [&](auto set) {
        for (auto b : set) m.matrix({b}, MatrixShape::rx_like, {0.8, cdouble(0, -0.6), cdouble(0, -0.6), 0.8});
      });
    });
    run((times + "3 x 4 h").c_str(), 5, [&](Maker& m) {
      sets(m, 3 * layers, [&](auto set) {
        for (auto b : set) m.matrix({b}, MatrixShape::hadamard, {h, h, h, -h});
      });
    });
    run((times + "3 x 2 two-target").c_str(), 5, [&](Maker& m) {
      sets(m, 3 * layers, [&](auto set) {
        std::vector<cdouble> u(16);
        for (int i = 0; i < 4; ++i) u[static_cast<std::size_t>(5 * i)] = cdouble(0.8, 0.6);
        m.matrix({set[0], set[1]}, MatrixShape::general, u);
        m.matrix({set[2], set[3]}, MatrixShape::general, u);
      });
    });
  }
  run("trips only, 6", 5, [&](Maker& m) { sets(m, 6, [&](auto set) { m.matrix({set[0]}, MatrixShape::flip, {0, 1, 1, 0}); }); });
  run("one phase layer, all neighbours (rzz chain)", 5, [&](Maker& m) {
    m.pass.residencies.emplace_back();
    Step s;
    s.kind = StepKind::phases;
    for (int b = 0; b + 1 < n; ++b) {
      PhaseTerm t;
      t.kind = PhaseTerm::Kind::parity;
      t.mask = bits::one(b) | bits::one(b + 1);
      t.angle = static_cast<std::uint32_t>(m.binding.angles.size());
      m.binding.angles.push_back(0.1);
      s.terms.push_back(t);
    }
    m.pass.residencies.back().steps.push_back(s);
  });
  run("one phase layer, one bit with all others (qft)", 5, [&](Maker& m) {
    m.pass.residencies.emplace_back();
    Step s;
    s.kind = StepKind::phases;
    for (int b = 0; b < n - 1; ++b) {
      PhaseTerm t;
      t.mask = t.value = bits::one(b) | bits::one(n - 1);
      t.angle = static_cast<std::uint32_t>(m.binding.angles.size());
      m.binding.angles.push_back(0.1);
      s.terms.push_back(t);
    }
    m.pass.residencies.back().steps.push_back(s);
  });
  k.release(context, data, bytes);
  return 0;
}
