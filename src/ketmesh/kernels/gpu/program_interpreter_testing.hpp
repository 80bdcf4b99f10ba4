// Programs of the GPU interpreted on the host, one amplitude at a time, pending factors and all: what the tile kernel does, for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels::testing {

using Vector = std::vector<cdouble>;

inline Index spread(Index index, const cuda::Run* runs, int count) {
  Index out = 0;
  for (int k = 0; k < count; ++k) out |= ((index >> runs[k].from) & bits::low_mask(runs[k].length)) << runs[k].to;
  return out;
}

/// Double precision. The map says which tile bits are registers now.
class Interpreter {
 public:
  explicit Interpreter(const cuda::Sweep& sweep)
      : s_(sweep), p_(sweep.program), bits_(sweep.program.tile_bits), small_(bits_ < cuda::kMinTileBits) {}

  void run(Vector& data, Index base, int local_bits) {
    for (Index tile = 0; tile < bits::one(local_bits - bits_); ++tile) {
      const Index block = spread(tile, p_.block_runs, p_.num_block_runs);
      Vector a(std::size_t{1} << bits_);
      for (Index i = 0; i < a.size(); ++i) a[i] = data[block + spread(i, p_.tile_runs, p_.num_tile_runs)];
      if (!small_) go(from_trip(p_.trips_at));
      for (std::size_t k = 0; !small_ && k < static_cast<std::size_t>(bits_); ++k)  // the kernel loads by these
        EXPECT_EQ(bits::one(p_.load_bits[k]), spread(map_[k], p_.tile_runs, p_.num_tile_runs));
      pending_.assign(std::size_t{1} << std::max(bits_ - p_.register_bits, 0), cdouble(NAN, NAN));
      for (std::uint32_t k = 0; k < p_.num_ops; ++k)
        if (!dropped(k, base | block)) apply(from_image<cuda::Op>(0, k), a, base | block);
      if (p_.pending) settle(a);
      for (auto& x : a) x *= cdouble(p_.scale[0], p_.scale[1]);
      // Where the threads store what they hold under the last map.
      for (Index slot = 0; slot < a.size(); ++slot) {
        Index to = 0, from = 0;
        for (int b = 0; b < bits_; ++b)
          if (bits::test(slot, b)) {
            to |= small_ ? spread(bits::one(b), p_.tile_runs, p_.num_tile_runs) : bits::one(p_.store_bits[b]);
            from |= small_ ? bits::one(b) : map_[static_cast<std::size_t>(b)];
          }
        data[block + to] = a[from];
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
  cuda::Trip from_trip(std::uint32_t at) const {
    cuda::Trip out{};
    std::memcpy(&out, s_.image.data() + at, 96 + (std::size_t{4} << (bits_ - p_.register_bits - 4)));
    return out;
  }
  bool dropped(std::uint32_t op, Index outside) const {
    for (std::uint32_t g = 0; g < p_.num_guards; ++g) {
      const auto guard = from_image<cuda::Guard>(p_.guards_at, g);
      if (guard.op == op && (outside & guard.mask) != guard.value) return true;
    }
    return false;
  }
  void go(const cuda::Trip& trip) {
    for (int k = 0; k < bits_; ++k) {
      const std::uint32_t both = k < 4                          ? trip.low[1u << k]
                                 : k < bits_ - p_.register_bits ? trip.high[1u << (k - 4)]
                                                                : trip.bit[k - (bits_ - p_.register_bits)];
      map_[static_cast<std::size_t>(k)] = both & 0xffffu;
      EXPECT_EQ(both >> 16, cuda::pad(both & 0xffffu));
    }
  }
  cuda::Map map(std::size_t k) const { return from_image<cuda::Map>(p_.maps_at, k); }
  Index register_bit(int r) const { return map_[static_cast<std::size_t>(bits_ - p_.register_bits + r)]; }
  unsigned registers(Index i) const {
    unsigned out = 0;
    if (!small_)
      for (int k = 0; k < p_.register_bits; ++k) out |= (i & register_bit(k)) != 0 ? 1u << k : 0;
    return out;
  }
  Index thread(Index i) const {
    if (!small_)
      for (int k = 0; k < p_.register_bits; ++k) i &= ~register_bit(k);
    return i;
  }
  std::size_t thread_number(Index i) const {
    std::size_t out = 0;
    for (int k = 0; k < bits_ - p_.register_bits; ++k) out |= (i & map_[static_cast<std::size_t>(k)]) != 0 ? std::size_t{1} << k : 0;
    return out;
  }

  void apply(const cuda::Op& op, Vector& a, Index outside) {
    using cuda::OpKind;
    switch (op.kind) {
      case OpKind::none:
        return;
      case OpKind::trip:
        if (op.registers != 0) settle(a);
        return go(from_trip(op.data));
      case OpKind::settle:
        return settle(a);
      case OpKind::phases:
        return phases(op, a, outside);
      case OpKind::diagonal:
        return diagonal(op, a);
      case OpKind::phase_thread:
        for (std::size_t t = 0; t < pending_.size(); ++t) {
          const auto factor = from_table<cdouble>(op.extra, t);
          pending_[t] = op.registers != 0 ? pending_[t] * factor : factor;
        }
        return;
      case OpKind::rescale:
        for (auto& x : a) x *= from_image<double>(op.data, 0);
        return;
      case OpKind::matrix_any:
      case OpKind::permute_any:
      case OpKind::diagonal_any:
        return any(op, a, outside);
      case OpKind::dense2:
      case OpKind::odd2:
        return two_targets(op, a);
      case OpKind::cx:
        for (Index i = 0; i < a.size(); ++i)
          if (acts(op, i) && (i & register_bit(op.reg0)) != 0 && (i & register_bit(op.reg1)) == 0)
            std::swap(a[i], a[i | register_bit(op.reg1)]);
        return;
      default:
        for (int r = 0; r < p_.register_bits; ++r)
          if ((op.registers >> r & 1) != 0) one_target(op, r, a);
    }
  }

  void settle(Vector& a) const {
    for (Index i = 0; i < a.size(); ++i) a[i] *= pending_[thread_number(i)];
  }

  bool acts(const cuda::Op& op, Index i) const {
    return (thread(i) & op.thread_mask) == op.thread_value && (registers(i) & op.reg_mask) == op.reg_value;
  }

  void one_target(const cuda::Op& op, int r, Vector& a) const {
    using cuda::OpKind;
    const auto real = [&](int k) { return from_image<double>(op.data, static_cast<std::size_t>(k)); };
    const auto complex = [&](int k) { return cdouble(real(2 * k), real(2 * k + 1)); };
    cdouble m[4];
    switch (op.kind) {
      case OpKind::flip:
        m[0] = m[3] = 0, m[1] = m[2] = 1;
        break;
      case OpKind::rotation:
        m[0] = m[3] = 1, m[1] = -real(r), m[2] = real(r);
        break;
      case OpKind::reflection:
        m[0] = 1, m[1] = m[2] = real(r), m[3] = -1;
        break;
      case OpKind::rx:
        m[0] = m[3] = 1, m[1] = m[2] = {0, real(r)};
        break;
      case OpKind::lift:
        m[0] = m[3] = 1, m[1] = complex(r), m[2] = -std::conj(complex(r));
        break;
      case OpKind::lift_phase:
        m[0] = 1, m[1] = complex(4 * r), m[2] = complex(4 * r + 1), m[3] = complex(4 * r + 2);
        break;
      case OpKind::dense1:
        for (int k = 0; k < 4; ++k) m[k] = complex(4 * r + k);
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
      if (op.kind == cuda::OpKind::odd2) {
        for (std::size_t r = 0; r < 2; ++r)
          a[at[1 + r]] = from_image<cdouble>(op.data, 2 * r) * v[1] + from_image<cdouble>(op.data, 2 * r + 1) * v[2];
        continue;
      }
      for (std::size_t r = 0; r < 4; ++r) {
        a[at[r]] = 0;
        for (std::size_t c = 0; c < 4; ++c) a[at[r]] += from_image<cdouble>(op.data, 4 * r + c) * v[c];
      }
    }
  }

  void diagonal(const cuda::Op& op, Vector& a) const {
    for (Index i = 0; i < a.size(); ++i) {
      std::size_t kind = 0, classes = 1;
      for (int p = 0; p < 4; ++p) {
        const unsigned b = op.data >> 4 * p & 15u;
        if (b == 15) continue;
        kind |= (thread(i) >> b & 1u) << p;
        classes *= 2;
      }
      if (registers(i) != 0) a[i] *= from_table<cdouble>(op.extra, classes * registers(i) + kind);
    }
  }

  void phases(const cuda::Op& op, Vector& a, Index outside) {
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
        cdouble factor = std::polar(1.0, static_cast<double>(static_cast<std::int64_t>(sum)) * 0x1p-63 * std::numbers::pi);
        if (group.table >= 0) factor *= from_table<cdouble>(static_cast<std::uint32_t>(group.table), thread_number(i));
        if (group.set != 0 || small_) {
          a[i] *= factor;
        } else if (registers(i) == 0) {  // once a thread
          cdouble& pending = pending_[thread_number(i)];
          pending = op.reg0 != 0 ? pending * factor : factor;
        }
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
  Vector pending_;               // factors of threads
  std::array<Index, 16> map_{};  // tile index of each thread bit, then of each register bit
};

}  // namespace ketmesh::kernels::testing
