// Programs that a GPU would run, interpreted here on the host, against the reference; and the real backend where there is a GPU.
#include "ketmesh/kernels/gpu/cuda_backend.hpp"

#include <gtest/gtest.h>

#include <array>
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

/// What the tile kernel does, one amplitude at a time: the map says which tile bits are registers now.
class Interpreter {
 public:
  explicit Interpreter(const cuda::Sweep& sweep)
      : s_(sweep), p_(sweep.program), bits_(sweep.program.tile_bits), small_(bits_ < cuda::kMinTileBits) {
    if (small_) return;
    for (int k = 0; k < bits_; ++k) transfer_[static_cast<std::size_t>(k)] = bits::one(k);  // double precision's transfer map
  }

  void run(Vector& data, Index base, int local_bits) {
    for (Index tile = 0; tile < bits::one(local_bits - bits_); ++tile) {
      const Index block = spread(tile, p_.block_runs, p_.num_block_runs);
      Vector a(std::size_t{1} << bits_);
      for (Index i = 0; i < a.size(); ++i) a[i] = data[block + spread(i, p_.tile_runs, p_.num_tile_runs)];
      map_ = transfer_;
      for (std::uint32_t k = 0; k < p_.num_ops; ++k) apply(from_image<cuda::Op>(0, k), a, base | block);
      // The amplitude that the transfer map's slots hold under the last map.
      for (Index slot = 0; slot < a.size(); ++slot) {
        Index to = 0, from = 0;
        for (int b = 0; b < bits_; ++b)
          if (bits::test(slot, b)) {
            to |= small_ ? bits::one(b) : transfer_[static_cast<std::size_t>(b)];
            from |= small_ ? bits::one(b) : map_[static_cast<std::size_t>(b)];
          }
        data[block + spread(to, p_.tile_runs, p_.num_tile_runs)] = a[from];
      }
    }
  }

 private:
  template <typename T>
  T from_image(std::uint32_t at, std::size_t k) const {
    T out;
    std::memcpy(&out, s_.image.data() + at + k * sizeof(T), sizeof(T));
    return out;
  }
  template <typename T>
  T from_table(std::uint32_t at, std::size_t k) const {
    T out;
    std::memcpy(&out, s_.tables.data() + std::size_t{16} * at + k * sizeof(T), sizeof(T));
    return out;
  }
  cuda::Map map(std::size_t k) const { return from_image<cuda::Map>(p_.maps_at, k); }
  Index register_bit(int r) const { return map_[static_cast<std::size_t>(bits_ - 4 + r)]; }
  unsigned registers(Index i) const {
    unsigned out = 0;
    if (!small_)
      for (int k = 0; k < 4; ++k) out |= (i & register_bit(k)) != 0 ? 1u << k : 0;
    return out;
  }
  Index thread(Index i) const {
    if (!small_)
      for (int k = 0; k < 4; ++k) i &= ~register_bit(k);
    return i;
  }
  std::size_t thread_number(Index i) const {
    std::size_t out = 0;
    for (int k = 0; k < bits_ - 4; ++k) out |= (i & map_[static_cast<std::size_t>(k)]) != 0 ? std::size_t{1} << k : 0;
    return out;
  }

  void apply(const cuda::Op& op, Vector& a, Index outside) {
    using cuda::OpKind;
    if (op.trip >= 0) {
      const auto trip = from_image<cuda::Trip>(p_.trips_at, static_cast<std::size_t>(op.trip));
      for (int k = 0; k < bits_ - 4; ++k) map_[static_cast<std::size_t>(k)] = from_table<std::uint16_t>(trip.places, std::size_t{1} << k);
      for (int r = 0; r < 4; ++r) map_[static_cast<std::size_t>(bits_ - 4 + r)] = trip.bit[r];
    }
    if (op.kind == OpKind::none || (outside & op.outside_mask) != op.outside_value) return;
    switch (op.kind) {
      case OpKind::phases:
        return phases(op, a, outside);
      case OpKind::matrix_any:
      case OpKind::permute_any:
      case OpKind::diagonal_any:
        return any(op, a, outside);
      case OpKind::dense2:
        return two_targets(op, a);
      default:
        for (int r = 0; r < 4; ++r)
          if ((op.registers >> r & 1) != 0) one_target(op, r, a);
    }
  }

  bool acts(const cuda::Op& op, Index i) const {
    return (thread(i) & op.thread_mask) == op.thread_value && (registers(i) & op.reg_mask) == op.reg_value;
  }

  void one_target(const cuda::Op& op, int r, Vector& a) const {
    using cuda::OpKind;
    const auto real = [&](int k) { return from_image<double>(op.data, static_cast<std::size_t>(k)); };
    const double h = std::sqrt(0.5);
    cdouble m[4];
    switch (op.kind) {
      case OpKind::flip1:
        m[0] = m[3] = 0, m[1] = m[2] = 1;
        break;
      case OpKind::hadamard1:
        m[0] = m[1] = m[2] = h, m[3] = -h;
        break;
      case OpKind::real1:
        for (int k = 0; k < 4; ++k) m[k] = real(4 * r + k);
        break;
      case OpKind::rx1:
        m[0] = real(4 * r), m[1] = {0, real(4 * r + 1)}, m[2] = {0, real(4 * r + 2)}, m[3] = real(4 * r + 3);
        break;
      case OpKind::dense1:
        for (int k = 0; k < 4; ++k) m[k] = {real(8 * r + 2 * k), real(8 * r + 2 * k + 1)};
        break;
      default:
        FAIL() << "an op that no interpreter knows";
    }
    const Index bit = register_bit(r);
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & bit) != 0 || !acts(op, i)) continue;
      const cdouble u = a[i], v = a[i | bit];
      a[i] = m[0] * u + m[1] * v;
      a[i | bit] = m[2] * u + m[3] * v;
    }
  }

  void two_targets(const cuda::Op& op, Vector& a) const {
    const Index b0 = register_bit(op.reg0), b1 = register_bit(op.reg1);
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & (b0 | b1)) != 0 || !acts(op, i)) continue;
      const Index at[4] = {i, i | b0, i | b1, i | b0 | b1};
      cdouble v[4];
      for (int k = 0; k < 4; ++k) v[k] = a[at[k]];
      for (std::size_t r = 0; r < 4; ++r) {
        a[at[r]] = 0;
        for (std::size_t c = 0; c < 4; ++c) a[at[r]] += from_image<cdouble>(op.data, 4 * r + c) * v[c];
      }
    }
  }

  void phases(const cuda::Op& op, Vector& a, Index outside) const {
    for (std::uint32_t g = op.data; g < op.data + op.count; ++g) {
      const auto group = from_image<cuda::PhaseGroup>(p_.groups_at, g);
      for (Index i = 0; i < a.size(); ++i) {
        if ((registers(i) & group.set) != group.set) continue;
        std::uint64_t sum = 0;
        for (std::uint32_t k = group.first_part; k < group.first_part + group.part_count; ++k) {
          const auto part = from_image<cuda::PhasePart>(p_.parts_at, k);
          if ((thread(i) & part.thread_mask) != part.thread_value) continue;
          std::uint64_t angle = 0;
          for (std::uint32_t e = part.first_entry; e < part.first_entry + part.entry_count; ++e) {
            const cuda::PhaseEntry& entry = s_.entries[e];
            if ((outside & entry.mask) != entry.value) continue;
            const auto value = static_cast<std::uint64_t>(entry.angle);
            angle += bits::parity(outside & entry.parity) ? ~value + 1 : value;
          }
          sum += bits::parity(thread(i) & part.thread_parity) ? ~angle + 1 : angle;
        }
        a[i] *= std::polar(1.0, static_cast<double>(static_cast<std::int64_t>(sum)) * 0x1p-63 * std::numbers::pi);
        if (group.table >= 0) a[i] *= from_table<cdouble>(static_cast<std::uint32_t>(group.table), thread_number(i));
      }
    }
  }

  void any(const cuda::Op& op, Vector& a, Index outside) const {
    const Vector before = a;
    const Index size = bits::one(op.count);
    for (Index i = 0; i < a.size(); ++i) {
      if ((i & op.thread_mask) != op.thread_value) continue;
      if (op.kind == cuda::OpKind::diagonal_any) {
        std::size_t index = 0;
        for (std::size_t k = 0; k < op.count; ++k) {
          const unsigned b = map(op.data + k / 16).bit[k % 16];
          index |= std::size_t{bits::test(b < 128 ? i : outside, static_cast<int>(b % 128))} << k;
        }
        a[i] *= from_table<cdouble>(op.extra, index);
        continue;
      }
      const cuda::Map targets = map(op.data);
      Index row = 0, others = i;
      for (int k = 0; k < op.count; ++k) {
        row |= (i >> targets.bit[k] & 1) << k;
        others &= ~bits::one(targets.bit[k]);
      }
      const auto place = [&](Index value) {
        Index out = others;
        for (int k = 0; k < op.count; ++k) out |= (value >> k & 1) << targets.bit[k];
        return out;
      };
      if (op.kind == cuda::OpKind::permute_any) {
        a[i] = before[place(from_table<std::uint32_t>(op.extra, row))];
        continue;
      }
      a[i] = 0;
      for (Index c = 0; c < size; ++c) a[i] += from_table<cdouble>(op.extra, row * size + c) * before[place(c)];
    }
  }

  const cuda::Sweep& s_;
  const cuda::Program& p_;
  int bits_;
  bool small_;
  std::array<Index, 16> map_{}, transfer_{};  // tile index of each thread bit, then of each register bit
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
      for (const cuda::Sweep& sweep : cuda::translate<double>(r.pass, r.binding, c.local)) Interpreter(sweep).run(state, base, c.local);
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
