// The loops over amplitudes whose lanes are circuits, compiled once a SIMD target.
#include <bit>
#include <cstdint>

#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/batch/batch.hpp"
#include "ketmesh/kernels/cpu/level.hpp"
#include "ketmesh/kernels/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ketmesh/kernels/batch/engine.cpp"
#include <hwy/foreach_target.h>
// after foreach_target.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ketmesh::kernels::batch::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
using Tag = hn::ScalableTag<Real>;

/// f(index) for all indices below 2^n whose bits of `fixed` are `value`.
template <typename F>
HWY_INLINE void for_free(int n, std::uint32_t fixed, std::uint32_t value, F&& f) {
  const std::uint32_t free = ((1u << n) - 1) & ~fixed;
  std::uint32_t i = 0;
  do {
    f(i | value);
    i = (i - free) & free;
  } while (i != 0);
}

template <typename Real>
class Runner {
 public:
  Runner(const Program& program, Work<Real>& work)
      : n_(program.num_qubits), lanes_(hn::Lanes(d_)), re_(work.re), im_(work.im), numbers_(work.numbers), scratch_(work.scratch) {}

  void start(const Program& program) {
    const auto zero = hn::Zero(d_);
    const std::size_t size = std::size_t{1} << n_;
    if (!program.product_start) {
      for (std::size_t i = 0; i < size; ++i) {
        store(i, zero, zero);
      }
      hn::Store(hn::Set(d_, Real{1}), d_, re_);
      return;
    }
    store(0, hn::Set(d_, Real{1}), zero);
    for (int p = 0; p < n_; ++p) {
      const Real* v = number(program.start[static_cast<std::size_t>(p)][1]);
      const auto v0r = at(v, 0), v0i = at(v, 1), v1r = at(v, 2), v1i = at(v, 3);
      const std::size_t half = std::size_t{1} << p;
      for (std::size_t i = 0; i < half; ++i) {
        const auto r = hn::Load(d_, re_ + i * lanes_), m = hn::Load(d_, im_ + i * lanes_);
        store(i + half, hn::NegMulAdd(m, v1i, hn::Mul(r, v1r)), hn::MulAdd(m, v1r, hn::Mul(r, v1i)));
        store(i, hn::NegMulAdd(m, v0i, hn::Mul(r, v0r)), hn::MulAdd(m, v0r, hn::Mul(r, v0i)));
      }
    }
  }

  void apply(const Op& op) {
    const Real* m = number(op.numbers);
    switch (op.kind) {
      case OpKind::real1:
        return pairs(op, [&, a = at(m, 0), b = at(m, 1), c = at(m, 2), e = at(m, 3)](auto& x) HWY_ATTR {
          const auto r0 = hn::MulAdd(b, x.r1, hn::Mul(a, x.r0)), i0 = hn::MulAdd(b, x.i1, hn::Mul(a, x.i0));
          const auto r1 = hn::MulAdd(e, x.r1, hn::Mul(c, x.r0)), i1 = hn::MulAdd(e, x.i1, hn::Mul(c, x.i0));
          x = {r0, i0, r1, i1};
        });
      case OpKind::rx1:  // real diagonal, imaginary elsewhere
        return pairs(op, [&, a = at(m, 0), b = at(m, 1), c = at(m, 2), e = at(m, 3)](auto& x) HWY_ATTR {
          const auto r0 = hn::NegMulAdd(b, x.i1, hn::Mul(a, x.r0)), i0 = hn::MulAdd(b, x.r1, hn::Mul(a, x.i0));
          const auto r1 = hn::NegMulAdd(c, x.i0, hn::Mul(e, x.r1)), i1 = hn::MulAdd(c, x.r0, hn::Mul(e, x.i1));
          x = {r0, i0, r1, i1};
        });
      case OpKind::general1:
        return pairs(op, [&, ar = at(m, 0), ai = at(m, 1), br = at(m, 2), bi = at(m, 3), cr = at(m, 4), ci = at(m, 5), er = at(m, 6),
                          ei = at(m, 7)](auto& x) HWY_ATTR {
          const auto r0 = hn::NegMulAdd(bi, x.i1, hn::MulAdd(br, x.r1, hn::NegMulAdd(ai, x.i0, hn::Mul(ar, x.r0))));
          const auto i0 = hn::MulAdd(bi, x.r1, hn::MulAdd(br, x.i1, hn::MulAdd(ai, x.r0, hn::Mul(ar, x.i0))));
          const auto r1 = hn::NegMulAdd(ei, x.i1, hn::MulAdd(er, x.r1, hn::NegMulAdd(ci, x.i0, hn::Mul(cr, x.r0))));
          const auto i1 = hn::MulAdd(ei, x.r1, hn::MulAdd(er, x.i1, hn::MulAdd(ci, x.r0, hn::Mul(cr, x.i0))));
          x = {r0, i0, r1, i1};
        });
      case OpKind::flip:
        return pairs(op, [](auto& x) HWY_ATTR { x = {x.r1, x.i1, x.r0, x.i0}; });
      case OpKind::dense:
        return dense(op, m);
      case OpKind::match:
        for_free(n_, op.control_mask, op.control_value, [&, c = at(m, 0), s = at(m, 1)](std::uint32_t i) HWY_ATTR { multiply(i, c, s); });
        return;
      case OpKind::parity:
        return parity(op, at(m, 0), at(m, 1));
      case OpKind::table:
        for_free(n_, op.control_mask, op.control_value, [&](std::uint32_t i) HWY_ATTR {
          std::uint32_t entry = 0;
          for (std::size_t j = 0; j < op.targets.size(); ++j) entry |= ((i >> op.targets[j]) & 1u) << j;
          multiply(i, at(m, 2 * entry), at(m, 2 * entry + 1));
        });
        return;
      case OpKind::permutation:
        return permute(op);
    }
  }

 private:
  using Vec = hn::Vec<Tag<Real>>;
  struct Pair {
    Vec r0, i0, r1, i1;
  };

  const Real* number(std::uint32_t vector) const { return numbers_ + vector * lanes_; }
  HWY_INLINE Vec at(const Real* numbers, std::size_t i) const { return hn::Load(d_, numbers + i * lanes_); }
  HWY_INLINE void store(std::size_t i, Vec r, Vec m) {
    hn::Store(r, d_, re_ + i * lanes_);
    hn::Store(m, d_, im_ + i * lanes_);
  }
  HWY_INLINE void multiply(std::uint32_t i, Vec c, Vec s) {
    const auto r = hn::Load(d_, re_ + i * lanes_), m = hn::Load(d_, im_ + i * lanes_);
    store(i, hn::NegMulAdd(m, s, hn::Mul(r, c)), hn::MulAdd(m, c, hn::Mul(r, s)));
  }

  template <typename F>
  HWY_INLINE void pairs(const Op& op, F&& f) {
    const std::uint32_t bit = 1u << op.targets[0];
    for_free(n_, op.control_mask | bit, op.control_value, [&](std::uint32_t i) HWY_ATTR {
      const std::size_t a = i * lanes_, b = (i | bit) * lanes_;
      Pair x{hn::Load(d_, re_ + a), hn::Load(d_, im_ + a), hn::Load(d_, re_ + b), hn::Load(d_, im_ + b)};
      f(x);
      store(i, x.r0, x.i0);
      store(i | bit, x.r1, x.i1);
    });
  }

  void parity(const Op& op, Vec c, Vec s) {
    if (op.control_mask == 0) {
      const std::uint32_t lowest = op.parity & (~op.parity + 1);
      for_free(n_, lowest, 0, [&](std::uint32_t i) HWY_ATTR { multiply((std::popcount(i & op.parity) & 1) != 0 ? i : i | lowest, c, s); });
      return;
    }
    const auto minus = hn::Neg(s);
    for_free(n_, op.control_mask, op.control_value,
             [&](std::uint32_t i) HWY_ATTR { multiply(i, c, (std::popcount(i & op.parity) & 1) != 0 ? minus : s); });
  }

  std::uint32_t spread(const Op& op, std::uint32_t index) const {
    std::uint32_t out = 0;
    for (std::size_t j = 0; j < op.targets.size(); ++j) out |= ((index >> j) & 1u) << op.targets[j];
    return out;
  }

  template <typename F>
  HWY_INLINE void groups(const Op& op, F&& f) {
    const std::uint32_t size = 1u << op.targets.size(), all = spread(op, size - 1);
    std::uint32_t offsets[1 << kMaxDenseTargets];
    for (std::uint32_t k = 0; k < size; ++k) offsets[k] = spread(op, k);
    for_free(n_, op.control_mask | all, op.control_value, [&](std::uint32_t i) HWY_ATTR {
      for (std::uint32_t k = 0; k < size; ++k) {
        hn::Store(hn::Load(d_, re_ + (i | offsets[k]) * lanes_), d_, scratch_ + 2 * k * lanes_);
        hn::Store(hn::Load(d_, im_ + (i | offsets[k]) * lanes_), d_, scratch_ + (2 * k + 1) * lanes_);
      }
      f(i, size, offsets);
    });
  }

  void dense(const Op& op, const Real* m) {
    groups(op, [&](std::uint32_t i, std::uint32_t size, const std::uint32_t* offsets) HWY_ATTR {
      for (std::uint32_t r = 0; r < size; ++r) {
        auto x = hn::Zero(d_), y = hn::Zero(d_);
        const Real* row = m + std::size_t{2} * r * size * lanes_;
        for (std::uint32_t c = 0; c < size; ++c) {
          const auto ar = at(row, 2 * c), ai = at(row, 2 * c + 1), br = at(scratch_, 2 * c), bi = at(scratch_, 2 * c + 1);
          x = hn::NegMulAdd(ai, bi, hn::MulAdd(ar, br, x));
          y = hn::MulAdd(ai, br, hn::MulAdd(ar, bi, y));
        }
        store(i | offsets[r], x, y);
      }
    });
  }

  void permute(const Op& op) {
    groups(op, [&](std::uint32_t i, std::uint32_t size, const std::uint32_t* offsets) HWY_ATTR {
      for (std::uint32_t k = 0; k < size; ++k) store(i | offsets[op.table[k]], at(scratch_, 2 * k), at(scratch_, 2 * k + 1));
    });
  }

  const Tag<Real> d_;
  int n_;
  std::size_t lanes_;
  Real *re_, *im_;
  const Real* numbers_;
  Real* scratch_;
};

template <typename Real>
void run(const Program& program, Work<Real>& work) {
  Runner<Real> runner(program, work);
  runner.start(program);
  for (const Op& op : program.ops) runner.apply(op);
}

template <typename Real>
void pauli(const Program& program, const Work<Real>& work, std::uint32_t x, std::uint32_t z, double* out) {
  constexpr std::uint32_t kRun = 64;  // terms summed in the working precision before they join sums of doubles
  const Tag<Real> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN Real part[HWY_MAX_BYTES / sizeof(Real)];
  for (std::size_t l = 0; l < lanes; ++l) out[l] = 0;
  const bool odd = (std::popcount(x & z) & 1) != 0;
  // i^{y} conj(b) a: of the pair (i, i ^ x) the real part counts twice, and one of both is enough.
  const double weight = ((std::popcount(x & z) >> 1) & 1) != 0 ? -1.0 : 1.0;
  const double scale = x == 0 ? weight : 2 * weight;
  const std::uint32_t top = x == 0 ? 0 : std::bit_floor(x);
  auto sum = hn::Zero(d);
  std::uint32_t seen = 0;
  const auto flush = [&]() HWY_ATTR {
    hn::Store(sum, d, part);
    for (std::size_t l = 0; l < lanes; ++l) out[l] += scale * static_cast<double>(part[l]);
    sum = hn::Zero(d);
  };
  for_free(program.num_qubits, top, 0, [&](std::uint32_t i) HWY_ATTR {
    const std::size_t a = i * lanes, b = (i ^ x) * lanes;
    const auto ar = hn::Load(d, work.re + a), ai = hn::Load(d, work.im + a), br = hn::Load(d, work.re + b), bi = hn::Load(d, work.im + b);
    const auto term = odd ? hn::NegMulAdd(br, ai, hn::Mul(bi, ar)) : hn::MulAdd(bi, ai, hn::Mul(br, ar));
    const auto sign = hn::Set(d, (std::popcount(i & z) & 1) != 0 ? Real{-1} : Real{1});
    sum = hn::MulAdd(sign, term, sum);
    if (++seen % kRun == 0) flush();
  });
  flush();
}

template <typename Real>
Engine<Real> make_engine() {
  return {static_cast<int>(hn::Lanes(Tag<Real>())), &run<Real>, &pauli<Real>};
}

}  // namespace

Engine<float> single_engine() { return make_engine<float>(); }
Engine<double> double_engine() { return make_engine<double>(); }

}  // namespace ketmesh::kernels::batch::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ketmesh::kernels::batch {

#define KETMESH_ENGINE(Real, make)                                                   \
  template <>                                                                        \
  Engine<Real> engine<Real>(SimdLevel level) {                                       \
    Engine<Real> (*chosen)() = nullptr;                                              \
    switch (cpu::choose_level(level)) {                                              \
      case SimdLevel::avx512:                                                        \
        chosen = HWY_CHOOSE_AVX3(make);                                              \
        break;                                                                       \
      case SimdLevel::avx2:                                                          \
        chosen = HWY_CHOOSE_AVX2(make);                                              \
        break;                                                                       \
      case SimdLevel::sse4:                                                          \
        chosen = HWY_CHOOSE_SSE4(make);                                              \
        break;                                                                       \
      case SimdLevel::neon:                                                          \
        chosen = HWY_CHOOSE_NEON(make);                                              \
        break;                                                                       \
      case SimdLevel::scalar:                                                        \
      case SimdLevel::best:                                                          \
        chosen = HWY_CHOOSE_FALLBACK(make);                                          \
        break;                                                                       \
    }                                                                                \
    if (chosen == nullptr) throw Internal("a SIMD level that is not in this build"); \
    return chosen();                                                                 \
  }
KETMESH_ENGINE(float, single_engine)
KETMESH_ENGINE(double, double_engine)
#undef KETMESH_ENGINE

}  // namespace ketmesh::kernels::batch
#endif
