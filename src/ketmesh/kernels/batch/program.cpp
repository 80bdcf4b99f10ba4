// From plan steps to operations on state indices, and from bindings to numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/kernels/batch/batch.hpp"

namespace ketmesh::kernels::batch {
namespace {

// Numbers take a vector each: larger ones would fill the cache.
constexpr std::size_t kWidestDense = 3, kWidestTable = 8;

class Translator {
 public:
  explicit Translator(const Plan& plan) : plan_(plan) {
    if (!fits_lanes(plan)) throw Internal("a plan that cannot run in lanes");
    out_.num_qubits = plan.num_qubits;
    for (std::size_t b = 0; b < position_.size(); ++b) position_[b] = static_cast<std::uint8_t>(b);
  }

  Program run() {
    if (plan_.start.kind == Start::Kind::product) start();
    for (const auto& stage : plan_.stages)
      for (const auto& pass : stage.passes) {
        for (const auto& residency : pass.residencies)
          for (const auto& step : residency.steps) add(step);
        follow_store(pass);
      }
    std::vector<int> bits;
    for (int q = 0; q < plan_.num_qubits; ++q) bits.push_back(position_[static_cast<std::size_t>(plan_.final_layout.bit_of(q))]);
    out_.final_layout = Layout(std::span<const int>(bits));
    return std::move(out_);
  }

 private:
  void start() {
    const Layout& layout = plan_.stages.empty() ? plan_.final_layout : plan_.stages.front().layout;
    out_.product_start = true;
    out_.start.resize(static_cast<std::size_t>(plan_.num_qubits));
    for (int q = 0; q < plan_.num_qubits; ++q)
      out_.start[static_cast<std::size_t>(layout.bit_of(q))] = {plan_.start.qubit_vectors[static_cast<std::size_t>(q)], take(4)};
  }

  std::uint32_t take(std::uint32_t count) {
    const auto at = out_.num_numbers;
    out_.num_numbers += count;
    return at;
  }

  std::uint32_t mask(Index physical) const {
    std::uint32_t out = 0;
    bits::for_each(physical, [&](int b) { out |= 1u << position_[static_cast<std::size_t>(b)]; });
    return out;
  }

  void follow_store(const Pass& pass) {
    if (pass.store_bits.empty()) return;
    auto next = position_;
    for (std::size_t j = 0; j < pass.tile_bits.size(); ++j) next[pass.store_bits[j]] = position_[pass.tile_bits[j]];
    position_ = next;
  }

  Op op_of(const Step& step) const {
    Op op;
    for (const auto b : step.targets) op.targets.push_back(position_[b]);
    op.control_mask = mask(step.control_mask);
    op.control_value = mask(step.control_value);
    op.source = step.matrix;
    return op;
  }

  void add(const Step& step) {
    out_.widest = std::max(out_.widest, step.targets.size());
    switch (step.kind) {
      case StepKind::matrix:
        return matrix(step);
      case StepKind::phases:
        for (const auto& term : step.terms) phase(step, term);
        return;
      case StepKind::permutation: {
        Op op = op_of(step);
        op.kind = OpKind::permutation;
        for (const auto to : step.table) op.table.push_back(static_cast<std::uint32_t>(to));
        out_.ops.push_back(std::move(op));
        return;
      }
    }
    throw Internal("a step of no known kind");
  }

  void matrix(const Step& step) {
    Op op = op_of(step);
    if (step.targets.size() > 1) {
      op.kind = OpKind::dense;
      op.count = static_cast<std::uint32_t>(2 << (2 * step.targets.size()));
    } else {
      switch (step.shape) {
        case MatrixShape::flip:
          op.kind = OpKind::flip;
          break;
        case MatrixShape::real:
        case MatrixShape::hadamard:
          op.kind = OpKind::real1;
          op.count = 4;
          break;
        case MatrixShape::rx_like:
          op.kind = OpKind::rx1;
          op.count = 4;
          break;
        case MatrixShape::general:
          op.kind = OpKind::general1;
          op.count = 8;
          break;
      }
    }
    op.numbers = take(op.count);
    out_.ops.push_back(std::move(op));
  }

  void phase(const Step& step, const PhaseTerm& term) {
    const bool match = term.kind == PhaseTerm::Kind::match;
    const Index own_mask = match ? term.mask : term.control_mask, own_value = match ? term.value : term.control_value;
    if (((own_value ^ step.control_value) & own_mask & step.control_mask) != 0) return;  // never both
    if (((own_value & ~own_mask) | (step.control_value & ~step.control_mask)) != 0) return;
    Op op;
    op.control_mask = mask(own_mask | step.control_mask);
    op.control_value = mask(own_value | step.control_value);
    op.source = term.angle;
    op.count = 2;
    switch (term.kind) {
      case PhaseTerm::Kind::match:
        op.kind = OpKind::match;
        break;
      case PhaseTerm::Kind::parity:
        op.kind = OpKind::parity;
        op.parity = mask(term.mask);
        break;
      case PhaseTerm::Kind::table:
        op.kind = OpKind::table;
        for (const auto b : term.bits) op.targets.push_back(position_[b]);
        op.count = static_cast<std::uint32_t>(2 << term.bits.size());
        break;
    }
    op.numbers = take(op.count);
    out_.ops.push_back(std::move(op));
  }

  const Plan& plan_;
  Program out_;
  std::array<std::uint8_t, 64> position_{};
};

}  // namespace

bool fits_lanes(const Plan& plan) {
  if (plan.placement.num_shards() != 1 || plan.num_qubits > kMostQubits || plan.start.kind == Start::Kind::given) return false;
  for (const auto& stage : plan.stages)
    for (const auto& pass : stage.passes)
      for (const auto& residency : pass.residencies)
        for (const auto& step : residency.steps) {
          if (step.kind == StepKind::matrix && step.targets.size() > kWidestDense) return false;
          for (const auto& term : step.terms)
            if (term.bits.size() > kWidestTable) return false;
        }
  return true;
}

Program translate(const Plan& plan) { return Translator(plan).run(); }

template <typename Real>
Work<Real>::Work(const Program& program, int lanes) : phase(static_cast<std::size_t>(lanes)) {
  constexpr std::size_t kAlign = 64 / sizeof(Real);
  const auto l = static_cast<std::size_t>(lanes);
  const std::size_t plane = (std::size_t{1} << program.num_qubits) * l;
  // Planes a few lines apart: the same index of both must not fall on the same set of the cache.
  const std::size_t gap = 17 * kAlign;
  memory.resize(2 * plane + 2 * gap + (program.num_numbers + (std::size_t{2} << program.widest)) * l + kAlign);
  const auto misaligned = (reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(Real)) % kAlign;
  re = memory.data() + (kAlign - misaligned) % kAlign;
  im = re + (plane + kAlign - 1) / kAlign * kAlign + gap;
  numbers = im + (plane + kAlign - 1) / kAlign * kAlign;
  scratch = numbers + program.num_numbers * l;
}
template struct Work<float>;
template struct Work<double>;

template <typename Real>
void load_numbers(const Program& program, const Binding& binding, int lane, int lanes, Work<Real>& work) {
  const auto put = [&](std::uint32_t vector, double value) {
    work.numbers[static_cast<std::size_t>(vector) * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)] =
        static_cast<Real>(value);
  };
  double phase = binding.global_phase;
  for (const auto& [offset, vector] : program.start)
    for (std::uint32_t i = 0; i < 2; ++i) {
      put(vector + 2 * i, binding.matrices[offset + i].real());
      put(vector + 2 * i + 1, binding.matrices[offset + i].imag());
    }
  for (const auto& op : program.ops) {
    const cdouble* m = binding.matrices.data() + op.source;
    switch (op.kind) {
      case OpKind::real1:
        for (std::uint32_t i = 0; i < 4; ++i) put(op.numbers + i, m[i].real());
        break;
      case OpKind::rx1:
        for (std::uint32_t i = 0; i < 4; ++i) put(op.numbers + i, i == 0 || i == 3 ? m[i].real() : m[i].imag());
        break;
      case OpKind::general1:
      case OpKind::dense:
        for (std::uint32_t i = 0; i < op.count / 2; ++i) {
          put(op.numbers + 2 * i, m[i].real());
          put(op.numbers + 2 * i + 1, m[i].imag());
        }
        break;
      case OpKind::match:
      case OpKind::table:
        for (std::uint32_t i = 0; i < op.count / 2; ++i) {
          put(op.numbers + 2 * i, std::cos(binding.angles[op.source + i]));
          put(op.numbers + 2 * i + 1, std::sin(binding.angles[op.source + i]));
        }
        break;
      case OpKind::parity: {
        // Without controls only the odd half is multiplied, by exp(-2 i a), and exp(i a) is kept aside.
        const double a = binding.angles[op.source];
        const double angle = op.control_mask == 0 ? -2 * a : a;
        if (op.control_mask == 0) phase += a;
        put(op.numbers, std::cos(angle));
        put(op.numbers + 1, std::sin(angle));
        break;
      }
      case OpKind::flip:
      case OpKind::permutation:
        break;
    }
  }
  work.phase[static_cast<std::size_t>(lane)] = phase;
}
template void load_numbers<float>(const Program&, const Binding&, int, int, Work<float>&);
template void load_numbers<double>(const Program&, const Binding&, int, int, Work<double>&);

}  // namespace ketmesh::kernels::batch
