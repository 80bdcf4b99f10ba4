// A sum of Pauli strings applied to a state and added to another one, a block of the result at a time: it stays in the first cache while every group of
// strings that flip the same bits adds to it.
#include <algorithm>
#include <array>
#include <vector>

#include "ketmesh/kernels/cpu/measure_kernels.hpp"

namespace ketmesh::kernels::cpu {
namespace {

constexpr int kResultBits = 10;

struct Term {
  Index z = 0;
  cdouble factor;  // i^{num_y} included
};

struct Group {
  Index x = 0;
  std::vector<Term> terms;
};

std::vector<Group> group_by_flips(std::span<const PauliMasks> terms, std::span<const cdouble> factors) {
  constexpr std::array<cdouble, 4> kPowersOfI = {cdouble(1, 0), cdouble(0, 1), cdouble(-1, 0), cdouble(0, -1)};
  std::vector<Group> groups;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.x == terms[t].x; });
    if (found == groups.end()) found = groups.insert(groups.end(), {terms[t].x, {}});
    found->terms.push_back({terms[t].z, factors[t] * kPowersOfI[static_cast<std::size_t>(terms[t].num_y()) % 4]});
  }
  return groups;
}

/// w[m] = sum over entries of w of (-1)^{parity(index & m)}: the sum of signs over a block, where each term has put its factor at its z.
template <typename Real>
void walsh(Real* w, std::size_t size) {
  for (std::size_t half = 1; half < size; half *= 2)
    for (std::size_t base = 0; base < size; base += 2 * half)
#pragma omp simd
      for (std::size_t i = base; i < base + half; ++i) {
        const Real a = w[i], b = w[i + half];
        w[i] = a + b;
        w[i + half] = a - b;
      }
}

template <typename Real>
class BlockAdder {
 public:
  explicit BlockAdder(std::size_t size) : size_(size), re_(size), im_(size) {}

  /// to[k] += sum of factor * (-1)^{parity(source & z)} from[k ^ flip], source = first | (k ^ flip).
  void add(const Group& group, Index first, std::size_t flip, const Real* from, Real* to) {
    const Index low = size_ - 1;
    if (group.terms.size() == 1 && (group.terms[0].z & low) == 0) {
      const cdouble c = bits::parity(first & group.terms[0].z) ? -group.terms[0].factor : group.terms[0].factor;
      const auto cr = static_cast<Real>(c.real()), ci = static_cast<Real>(c.imag());
      return runs(flip, from, to, [&](std::size_t) { return std::pair(cr, ci); });
    }
    std::fill(re_.begin(), re_.end(), Real{0});
    std::fill(im_.begin(), im_.end(), Real{0});
    bool real = true;
    for (const Term& term : group.terms) {
      const cdouble c = bits::parity((first & term.z & ~low) ^ (flip & term.z & low)) ? -term.factor : term.factor;
      re_[term.z & low] += static_cast<Real>(c.real());
      im_[term.z & low] += static_cast<Real>(c.imag());
      real = real && c.imag() == 0;
    }
    walsh(re_.data(), size_);
    if (!real) walsh(im_.data(), size_);
    runs(flip, from, to, [&](std::size_t k) { return std::pair(re_[k], im_[k]); });
  }

 private:
  template <typename Weight>
  void runs(std::size_t flip, const Real* from, Real* to, Weight&& weight) const {
    const std::size_t run = flip == 0 ? size_ : flip & (~flip + 1);
    for (std::size_t k0 = 0; k0 < size_; k0 += run) {
      const Real* a = from + 2 * (k0 ^ flip);
      Real* out = to + 2 * k0;
#pragma omp simd
      for (std::size_t i = 0; i < run; ++i) {
        const auto [wr, wi] = weight(k0 + i);
        const Real x = a[2 * i], y = a[2 * i + 1];
        out[2 * i] += wr * x - wi * y;
        out[2 * i + 1] += wr * y + wi * x;
      }
    }
  }

  std::size_t size_;
  std::vector<Real> re_, im_;  // of the weights; im_ stays 0 when they are real
};

}  // namespace

template <typename Real>
void add_paulis(const DeviceContext& context, const Shard& to, const Shard& from, std::span<const PauliMasks> terms,
                std::span<const cdouble> factors) {
  const std::vector<Group> groups = group_by_flips(terms, factors);
  const int block_bits = std::min(kResultBits, to.local_bits);
  const auto size = static_cast<std::size_t>(bits::one(block_bits));
  const auto blocks = static_cast<std::int64_t>(to.size() >> block_bits);
#pragma omp parallel num_threads(context.threads) if (worth_threads(context, to.size()))
  {
    BlockAdder<Real> adder(size);
#pragma omp for schedule(static)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Index block = static_cast<Index>(b) << block_bits;
      for (const Group& group : groups) {
        const Index source = block ^ (group.x & ~(Index{size} - 1));
        adder.add(group, from.base + source, static_cast<std::size_t>(group.x & (size - 1)), reals<Real>(from) + 2 * source,
                  reals<Real>(to) + 2 * block);
      }
    }
  }
}

template void add_paulis<float>(const DeviceContext&, const Shard&, const Shard&, std::span<const PauliMasks>, std::span<const cdouble>);
template void add_paulis<double>(const DeviceContext&, const Shard&, const Shard&, std::span<const PauliMasks>, std::span<const cdouble>);

}  // namespace ketmesh::kernels::cpu
