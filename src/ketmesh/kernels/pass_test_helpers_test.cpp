#include "ketmesh/kernels/pass_test_helpers.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "ketmesh/base/bits.hpp"

namespace ketmesh::kernels::testing {

PassBuilder::PassBuilder(std::uint64_t seed, int state_bits, int local_bits, int tile_bits, int row_bits)
    : random_(seed), state_bits_(state_bits), local_bits_(local_bits) {
  std::vector<std::uint8_t> high;
  for (int b = 0; b < local_bits; ++b) (b < row_bits ? pass.tile_bits : high).push_back(static_cast<std::uint8_t>(b));
  std::shuffle(high.begin(), high.end(), random_);
  high.resize(static_cast<std::size_t>(std::max(0, tile_bits - row_bits)));
  pass.tile_bits.insert(pass.tile_bits.end(), high.begin(), high.end());
  std::sort(pass.tile_bits.begin(), pass.tile_bits.end());
  pass.store_bits = pass.tile_bits;
  pass.row_bits = row_bits;
  pass.residencies.emplace_back();
}

std::vector<std::uint8_t> PassBuilder::some(const std::vector<std::uint8_t>& from, std::size_t count) {
  auto out = from;
  std::shuffle(out.begin(), out.end(), random_);
  out.resize(std::min(count, out.size()));
  return out;
}

std::vector<std::uint8_t> PassBuilder::others(const std::vector<std::uint8_t>& used) const {
  std::vector<std::uint8_t> out;
  for (int b = 0; b < state_bits_; ++b)
    if (std::find(used.begin(), used.end(), b) == used.end()) out.push_back(static_cast<std::uint8_t>(b));
  return out;
}

Step PassBuilder::controlled(StepKind kind, const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls) {
  Step step;
  step.kind = kind;
  step.targets = targets;
  for (const auto c : controls) {
    step.control_mask |= bits::one(c);
    if (below(4) != 0) step.control_value |= bits::one(c);
  }
  return step;
}

void PassBuilder::add(Step step) {
  ++gates;
  pass.residencies.back().steps.push_back(std::move(step));
}

void PassBuilder::matrix(MatrixShape shape, std::uint8_t target, const std::vector<std::uint8_t>& controls) {
  Step step = controlled(StepKind::matrix, {target}, controls);
  step.shape = shape;
  step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
  const double t = uniform(-7, 7), c = std::cos(t), s = std::sin(t), h = std::sqrt(0.5);
  const cdouble phase = std::polar(1.0, uniform(0, 6)), inner = std::polar(1.0, uniform(0, 6)), i{0, 1};
  std::vector<cdouble> m;
  switch (shape) {
    case MatrixShape::general:
      m = {phase * c, -phase * inner * s, phase * s, phase * inner * c};
      break;
    case MatrixShape::real:
      m = below(2) != 0 ? std::vector<cdouble>{c, -s, s, c} : std::vector<cdouble>{c, s, s, -c};
      break;
    case MatrixShape::rx_like:
      m = {c, -i * s, -i * s, c};
      break;
    case MatrixShape::hadamard:
      m = {h, h, h, -h};
      break;
    case MatrixShape::flip:
      m = {0, 1, 1, 0};
      break;
  }
  binding.matrices.insert(binding.matrices.end(), m.begin(), m.end());
  add(std::move(step));
}

void PassBuilder::dense(const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls) {
  // Columns of normal numbers made orthonormal.
  const std::size_t size = std::size_t{1} << targets.size();
  std::vector<std::vector<cdouble>> columns(size, std::vector<cdouble>(size));
  std::normal_distribution<double> normal;
  for (std::size_t c = 0; c < size; ++c) {
    for (auto& x : columns[c]) x = {normal(random_), normal(random_)};
    for (int again = 0; again < 2; ++again)
      for (std::size_t k = 0; k < c; ++k) {
        cdouble dot = 0;
        for (std::size_t r = 0; r < size; ++r) dot += std::conj(columns[k][r]) * columns[c][r];
        for (std::size_t r = 0; r < size; ++r) columns[c][r] -= dot * columns[k][r];
      }
    double norm = 0;
    for (const auto& x : columns[c]) norm += std::norm(x);
    for (auto& x : columns[c]) x /= std::sqrt(norm);
  }
  Step step = controlled(StepKind::matrix, targets, controls);
  step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
  for (std::size_t r = 0; r < size; ++r)
    for (std::size_t c = 0; c < size; ++c) binding.matrices.push_back(columns[c][r]);
  add(std::move(step));
}

void PassBuilder::cross(std::uint8_t first, std::uint8_t second, const std::vector<std::uint8_t>& controls) {
  const double a = uniform(-3, 3), b = below(3) == 0 ? a : uniform(-3, 3), c = uniform(-3, 3);
  const cdouble even = std::polar(1.0, c), odd = std::polar(1.0, -c), i{0, 1};
  Step step = controlled(StepKind::matrix, {first, second}, controls);
  step.matrix = static_cast<std::uint32_t>(binding.matrices.size());
  const cdouble ce = even * std::cos(a - b), se = even * i * std::sin(a - b), co = odd * std::cos(a + b), so = odd * i * std::sin(a + b);
  for (const cdouble x :
       {ce, cdouble(0), cdouble(0), se, cdouble(0), co, so, cdouble(0), cdouble(0), so, co, cdouble(0), se, cdouble(0), cdouble(0), ce})
    binding.matrices.push_back(x);
  add(std::move(step));
}

void PassBuilder::phases(int terms, bool tables) {
  const auto all = others({});
  Step step = controlled(StepKind::phases, {}, below(4) == 0 ? some(all, 1) : std::vector<std::uint8_t>{});
  for (int t = 0; t < terms; ++t) {
    PhaseTerm term;
    term.angle = static_cast<std::uint32_t>(binding.angles.size());
    term.kind = static_cast<PhaseTerm::Kind>(below(tables ? 3 : 2));
    const auto chosen = some(all, 1 + below(4));
    const auto controls = below(3) == 0 ? some(others(chosen), 1 + below(2)) : std::vector<std::uint8_t>{};
    for (const auto b : chosen) term.mask |= bits::one(b);
    binding.angles.push_back(uniform(-3, 3));
    if (term.kind == PhaseTerm::Kind::match) {
      for (const auto b : chosen)
        if (below(3) != 0) term.value |= bits::one(b);
    } else {
      for (const auto b : controls) {
        term.control_mask |= bits::one(b);
        if (below(2) != 0) term.control_value |= bits::one(b);
      }
      if (term.kind == PhaseTerm::Kind::table) {
        term.bits = chosen;
        for (std::size_t j = 1; j < (std::size_t{1} << chosen.size()); ++j) binding.angles.push_back(uniform(-3, 3));
      }
    }
    step.terms.push_back(std::move(term));
  }
  add(std::move(step));
}

void PassBuilder::permutation(const std::vector<std::uint8_t>& targets, const std::vector<std::uint8_t>& controls, bool affine) {
  Step step = controlled(StepKind::permutation, targets, controls);
  const std::size_t size = std::size_t{1} << targets.size();
  step.table.resize(size);
  std::iota(step.table.begin(), step.table.end(), Index{0});
  if (affine) {
    for (std::size_t g = 0; g < 3 * targets.size(); ++g) {
      const std::size_t from = below(targets.size()), to = below(targets.size());
      for (auto& x : step.table) x ^= from == to ? Index{1} << to : ((x >> from) & 1) << to;
    }
  } else {
    std::shuffle(step.table.begin(), step.table.end(), random_);
  }
  add(std::move(step));
}

void PassBuilder::shuffle_store(bool rows) {
  std::shuffle(
      pass.store_bits.begin() + (rows ? 0 : std::min<std::ptrdiff_t>(pass.row_bits, static_cast<std::ptrdiff_t>(pass.store_bits.size()))),
      pass.store_bits.end(), random_);
}

void PassBuilder::random_step() {
  const auto& tile = pass.tile_bits;
  const auto targets = [&](std::size_t k) { return some(tile, std::min(k, tile.size())); };
  const auto controls = [&](const std::vector<std::uint8_t>& used) { return some(others(used), below(3) == 0 ? below(4) : 0); };
  switch (below(8)) {
    case 0:
      return phases(1 + static_cast<int>(below(6)));
    case 1: {
      const auto t = targets(2);
      return dense(t, controls(t));
    }
    case 2: {
      const auto t = targets(2);
      return t.size() < 2 ? phases(2) : cross(t[0], t[1], controls(t));
    }
    case 3: {
      const auto t = targets(1 + below(5));
      return permutation(t, controls(t), below(3) != 0);
    }
    case 4: {
      const auto t = targets(1 + below(4));
      return dense(t, controls(t));
    }
    default: {
      const auto t = targets(1);
      return matrix(static_cast<MatrixShape>(below(5)), t[0], controls(t));
    }
  }
}

namespace {

template <typename Real>
std::vector<std::complex<double>> run(const Kernels& k, const PassBuilder& built, const std::vector<cdouble>& in, int local_bits,
                                      int threads) {
  const DeviceContext context{.threads = threads};
  const std::size_t size = std::size_t{1} << local_bits;
  std::vector<cdouble> out;
  const auto prepared = k.prepare_pass(context, built.pass, built.binding, local_bits);
  auto* shard = static_cast<std::complex<Real>*>(k.allocate(context, size * sizeof(std::complex<Real>)));
  for (std::size_t first = 0; first < in.size(); first += size) {
    for (std::size_t i = 0; i < size; ++i) shard[i] = std::complex<Real>(in[first + i]);
    k.run_pass(context, prepared, {shard, local_bits, first}, nullptr);
    out.insert(out.end(), shard, shard + size);
  }
  k.release(context, shard, size * sizeof(std::complex<Real>));
  return out;
}

}  // namespace

double largest_difference(const Kernels& kernels, const PassBuilder& built, int state_bits, int local_bits, int threads) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<cdouble> state(std::size_t{1} << state_bits);
  double norm = 0;
  for (auto& x : state) {
    x = {normal(random), normal(random)};
    norm += std::norm(x);
  }
  for (auto& x : state) x /= std::sqrt(norm);
  const auto expected = run<double>(reference_kernels(Precision::double_), built, state, local_bits, 1);
  const auto got = kernels.precision == Precision::single ? run<float>(kernels, built, state, local_bits, threads)
                                                          : run<double>(kernels, built, state, local_bits, threads);
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(expected[i] - got[i]);
    if (!(difference <= largest)) largest = difference;  // keeps a NaN
    if (std::isnan(largest)) break;
  }
  return largest;
}

double tolerance(Precision precision, std::size_t gates) {
  const double root = std::sqrt(static_cast<double>(gates));
  return precision == Precision::single ? 1e-6 + 1e-7 * root : 1e-14 + 1e-15 * root;
}

}  // namespace ketmesh::kernels::testing
