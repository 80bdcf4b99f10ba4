// Programs that a GPU would run, interpreted here on the host, against the reference; and the real backend where there is a GPU.
#include "ketmesh/kernels/gpu/cuda_backend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <random>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/gpu/random_pass.hpp"
#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels {
namespace {

using testing::RandomPass;
using Vector = std::vector<cdouble>;

Vector random_state(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Vector v(size);
  double norm = 0;
  for (auto& x : v) {
    x = {normal(random), normal(random)};
    norm += std::norm(x);
  }
  for (auto& x : v) x /= std::sqrt(norm);
  return v;
}

Index spread(Index index, const cuda::Run* runs, int count) {
  Index out = 0;
  for (int k = 0; k < count; ++k) out |= ((index >> runs[k].from) & bits::low_mask(runs[k].length)) << runs[k].to;
  return out;
}

/// What the tile kernel does, one amplitude at a time: `map` says which tile bits are registers now.
class Interpreter {
 public:
  Interpreter(const cuda::Program& program, const cuda::Translation& translation)
      : p_(program), t_(translation), bits_(program.shape.tile_bits) {
    small_ = bits_ < cuda::kMinTileBits;
    if (small_) return;
    for (int k = 0; k < bits_ - 4; ++k) map_.bit[k] = static_cast<std::uint8_t>(k);  // double precision's transfer map
    for (int k = 0; k < 4; ++k) map_.bit[bits_ - 4 + k] = static_cast<std::uint8_t>(bits_ - 4 + k);
    transfer_ = map_;
  }

  void run(Vector& data, Index base, int local_bits) {
    for (Index tile = 0; tile < bits::one(local_bits - bits_); ++tile) {
      const Index block = spread(tile, p_.shape.block_runs, p_.shape.num_block_runs);
      Vector a(std::size_t{1} << bits_);
      for (Index i = 0; i < a.size(); ++i) a[i] = data[block + spread(i, p_.shape.tile_runs, p_.shape.num_tile_runs)];
      map_ = transfer_;
      for (int k = 0; k < p_.num_ops; ++k) apply(p_.ops[k], a, base | block);
      // The amplitude that the transfer map's slots hold under the last map.
      for (Index slot = 0; slot < a.size(); ++slot) {
        Index to = 0, from = 0;
        for (int b = 0; b < bits_; ++b)
          if (bits::test(slot, b)) {
            to |= bits::one(small_ ? b : transfer_.bit[b]);
            from |= bits::one(small_ ? b : map_.bit[b]);
          }
        data[block + spread(to, p_.shape.tile_runs, p_.shape.num_tile_runs)] = a[from];
      }
    }
  }

 private:
  unsigned registers(Index i) const {
    unsigned out = 0;
    if (!small_)
      for (int k = 0; k < 4; ++k) out |= static_cast<unsigned>(i >> map_.bit[bits_ - 4 + k] & 1) << k;
    return out;
  }
  Index thread(Index i) const {
    if (!small_)
      for (int k = 0; k < 4; ++k) i &= ~bits::one(map_.bit[bits_ - 4 + k]);
    return i;
  }
  cdouble coefficient(std::uint32_t at) const {
    double v[2];
    std::memcpy(v, p_.coefficients + at * sizeof(double), sizeof v);
    return {v[0], v[1]};
  }
  double real(std::uint32_t at) const { return coefficient(at).real(); }

  void apply(const cuda::Op& op, Vector& a, Index outside) {
    using cuda::OpKind;
    if (op.kind == OpKind::trip) {
      map_ = p_.maps[op.reg0];
      return;
    }
    if ((outside & op.outside_mask) != op.outside_value) return;
    if (op.kind == OpKind::phase) return phase(op, a, outside);
    if (op.kind == OpKind::matrix_any || op.kind == OpKind::permute_any) return any(op, a);
    const auto acts = [&](Index i) {
      return (thread(i) & op.thread_mask) == op.thread_value && (registers(i) & op.reg_mask) == op.reg_value;
    };
    const Index b0 = bits::one(map_.bit[bits_ - 4 + op.reg0]),
                b1 = op.kind == OpKind::dense2 ? bits::one(map_.bit[bits_ - 4 + op.reg1]) : 0;
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & (b0 | b1)) != 0 || !acts(i)) continue;
      if (op.kind == OpKind::dense2) {
        const Index at[4] = {i, i | b0, i | b1, i | b0 | b1};
        cdouble v[4];
        for (int k = 0; k < 4; ++k) v[k] = a[at[k]];
        for (std::uint32_t r = 0; r < 4; ++r) {
          a[at[r]] = 0;
          for (std::uint32_t c = 0; c < 4; ++c) a[at[r]] += coefficient(op.data + 8 * r + 2 * c) * v[c];
        }
        continue;
      }
      const cdouble u = a[i], v = a[i | b0], j(0, 1);
      const double h = std::sqrt(0.5);
      switch (op.kind) {
        case OpKind::flip1:
          a[i] = v, a[i | b0] = u;
          break;
        case OpKind::hadamard1:
          a[i] = h * (u + v), a[i | b0] = h * (u - v);
          break;
        case OpKind::real1:
          a[i] = real(op.data) * u + real(op.data + 1) * v, a[i | b0] = real(op.data + 2) * u + real(op.data + 3) * v;
          break;
        case OpKind::rx1:
          a[i] = real(op.data) * u + j * real(op.data + 1) * v, a[i | b0] = j * real(op.data + 2) * u + real(op.data + 3) * v;
          break;
        case OpKind::dense1:
          a[i] = coefficient(op.data) * u + coefficient(op.data + 2) * v;
          a[i | b0] = coefficient(op.data + 4) * u + coefficient(op.data + 6) * v;
          break;
        default:
          FAIL() << "an op that no interpreter knows";
      }
    }
  }

  void phase(const cuda::Op& op, Vector& a, Index outside) {
    for (Index i = 0; i < a.size(); ++i) {
      if ((registers(i) & op.reg_mask) != op.reg_mask) continue;
      std::uint64_t sum = 0;
      for (std::uint32_t k = op.data; k < op.data + op.count; ++k) {
        const cuda::PhaseEntry& e = t_.entries[k];
        if ((outside & e.outside_mask) != e.outside_value || (thread(i) & e.thread_mask) != e.thread_value) continue;
        const bool odd = (bits::count(outside & e.outside_parity) + bits::count(thread(i) & e.thread_parity)) % 2 != 0;
        sum += odd ? ~static_cast<std::uint64_t>(e.angle) + 1 : static_cast<std::uint64_t>(e.angle);
      }
      a[i] *= std::polar(1.0, static_cast<double>(static_cast<std::int64_t>(sum)) * 0x1p-63 * std::numbers::pi);
    }
  }

  void any(const cuda::Op& op, Vector& a) const {
    const Vector before = a;
    const auto* table = t_.tables.data() + std::size_t{16} * op.extra;
    const Index size = bits::one(op.count);
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & op.thread_mask) != op.thread_value) continue;
      Index row = 0, others = i;
      for (int k = 0; k < op.count; ++k) {
        row |= (i >> p_.maps[op.data].bit[k] & 1) << k;
        others &= ~bits::one(p_.maps[op.data].bit[k]);
      }
      const auto place = [&](Index value) {
        Index out = others;
        for (int k = 0; k < op.count; ++k) out |= (value >> k & 1) << p_.maps[op.data].bit[k];
        return out;
      };
      if (op.kind == cuda::OpKind::permute_any) {
        std::uint32_t from = 0;
        std::memcpy(&from, table + row * sizeof from, sizeof from);
        a[i] = before[place(from)];
        continue;
      }
      a[i] = 0;
      for (Index c = 0; c < size; ++c) {
        double m[2];
        std::memcpy(m, table + (row * size + c) * sizeof m, sizeof m);
        a[i] += cdouble(m[0], m[1]) * before[place(c)];
      }
    }
  }

  const cuda::Program& p_;
  const cuda::Translation& t_;
  int bits_;
  bool small_ = false;
  cuda::Map map_{}, transfer_{};
};

struct Case {
  int local, tile, rows, steps;
};
constexpr Case kCases[] = {{3, 3, 3, 10},  {7, 7, 4, 20},   {8, 8, 4, 20},   {10, 8, 4, 30},
                           {11, 5, 3, 20}, {12, 10, 4, 40}, {13, 12, 5, 60}, {13, 13, 4, 400}};
constexpr int kGlobalBits = 2;

Vector reference(const RandomPass& r, Vector state, Index base) {
  const Kernels& k = reference_kernels(Precision::double_);
  const DeviceContext context;
  const Shard shard{state.data(), std::countr_zero(state.size()), base};
  k.run_pass(context, k.prepare_pass(context, r.pass, r.binding, shard.local_bits), shard, nullptr);
  return state;
}

double largest_difference(const Vector& a, const Vector& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(GpuProgram, InterpretedEqualsReference) {
  for (const Case& c : kCases)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const RandomPass r(seed, c.local + kGlobalBits, c.local, c.tile, c.rows, c.steps, seed % 2 == 0);
      const Index base = (seed % 4) << c.local;
      const Vector start = random_state(seed, std::size_t{1} << c.local);
      Vector state = start;
      const cuda::Translation t = cuda::translate<double>(r.pass, r.binding, c.local);
      for (const cuda::Program& p : t.programs) Interpreter(p, t).run(state, base, c.local);
      EXPECT_LT(largest_difference(state, reference(r, start, base)), 1e-13)
          << "local " << c.local << " tile " << c.tile << " seed " << seed;
    }
}

TEST(GpuProgram, AWideTileIsRefused) {
  const RandomPass r(1, 16, 16, 14, 4, 3, false);
  EXPECT_THROW(cuda::translate<float>(r.pass, r.binding, 16), OptionError);
}

TEST(CudaBackend, WithoutAGpuItSaysWhy) {
  if (cuda_status().available) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(cuda_status().reason.empty());
  EXPECT_TRUE(cuda_devices().empty());
  EXPECT_THROW(cuda_kernels(Precision::single), BackendUnavailable);
}

template <typename Real>
void compare_on_gpu() {
  const Precision precision = sizeof(Real) == 4 ? Precision::single : Precision::double_;
  const Kernels& k = cuda_kernels(precision);
  const DeviceContext context;
  for (const Case& c : kCases) {
    if (precision == Precision::double_ && c.tile > 12) continue;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const RandomPass r(seed, c.local + kGlobalBits, c.local, c.tile, c.rows, c.steps, seed % 2 == 0);
      const Index base = (seed % 4) << c.local;
      const Vector start = random_state(seed, std::size_t{1} << c.local);
      std::vector<std::complex<Real>> host(start.begin(), start.end());
      const std::size_t bytes = host.size() * sizeof(host[0]);
      void* data = k.allocate(context, bytes);
      k.copy_from_host(context, data, host.data(), bytes);
      k.run_pass(context, k.prepare_pass(context, r.pass, r.binding, c.local), {data, c.local, base}, nullptr);
      k.copy_to_host(context, host.data(), data, bytes);
      k.release(context, data, bytes);
      const Vector got(host.begin(), host.end());
      const double tolerance = precision == Precision::single ? 1e-6 + 1e-7 * std::sqrt(c.steps) : 1e-14 + 1e-15 * std::sqrt(c.steps);
      EXPECT_LT(largest_difference(got, reference(r, start, base)), tolerance)
          << "local " << c.local << " tile " << c.tile << " seed " << seed;
    }
  }
}

TEST(CudaBackend, PassesEqualReferenceSingle) {
  if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  compare_on_gpu<float>();
}

TEST(CudaBackend, PassesEqualReferenceDouble) {
  if (!cuda_status().available) GTEST_SKIP() << cuda_status().reason;
  compare_on_gpu<double>();
}

}  // namespace
}  // namespace ketmesh::kernels
