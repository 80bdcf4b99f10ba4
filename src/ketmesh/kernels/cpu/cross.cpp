#include "ketmesh/kernels/cpu/cross.hpp"

#include <cmath>

namespace ketmesh::kernels::cpu {
namespace {

constexpr double kRounding = 4e-15;

std::optional<CrossForm::Block> block(cdouble a, cdouble b, cdouble c, cdouble d) {
  if (std::abs(a - d) > kRounding || std::abs(b - c) > kRounding) return std::nullopt;
  const cdouble phase = std::abs(a) >= std::abs(b) ? a / std::abs(a) : cdouble(0, -1) * b / std::abs(b);
  const cdouble x = a * std::conj(phase), y = b * std::conj(phase);
  if (std::abs(x.imag()) > kRounding || std::abs(y.real()) > kRounding) return std::nullopt;
  if (std::abs(y.imag()) < kRounding) return CrossForm::Block{1, 0, std::arg(a)};
  return CrossForm::Block{x.real(), y.imag(), std::arg(phase)};
}

}  // namespace

std::optional<CrossForm> cross_form(const cdouble* m) {
  for (const int zero : {1, 2, 4, 7, 8, 11, 13, 14})
    if (std::abs(m[zero]) > kRounding) return std::nullopt;
  const auto even = block(m[0], m[3], m[12], m[15]), odd = block(m[5], m[6], m[9], m[10]);
  if (!even || !odd) return std::nullopt;
  return CrossForm{*even, *odd};
}

std::array<cdouble, 16> cross_matrix(const TileOp& op) {
  std::array<cdouble, 16> m{};
  for (const bool odd : {false, true}) {
    const cdouble sum = op.matrix[odd ? 2 : 0], difference = op.matrix[odd ? 3 : 1];
    const std::size_t low = odd ? 1 : 0, high = 3 - low;
    m[5 * low] = m[5 * high] = (sum + difference) / 2.0;
    m[4 * low + high] = m[4 * high + low] = (sum - difference) / 2.0;
  }
  return m;
}

void append_cross(const CrossForm& form, TileOp op, std::vector<TileOp>& ops) {
  op.kind = OpKind::cross2;
  const double turn = form.odd.phase - form.even.phase;
  const auto factors = [](const CrossForm::Block& b, double phase) {
    const cdouble turned = std::polar(1.0, phase);
    return std::array<cdouble, 2>{turned * cdouble(b.cosine, b.sine), turned * cdouble(b.cosine, -b.sine)};
  };
  const auto even = factors(form.even, 0), odd = factors(form.odd, turn);
  op.matrix = {even[0], even[1], odd[0], odd[1]};
  const auto term = [&](std::uint32_t parity_mask, double angle) {
    TileOp phase;
    TileTerm& t = phase.term;
    t.mask = op.control_mask;
    t.value = op.control_value;
    t.condition = op.condition;
    t.parity_mask = parity_mask;
    t.angle = angle;
    if (angle != 0) ops.push_back(std::move(phase));
  };
  if (form.even.sine == 0 && form.odd.sine == 0 && form.even.cosine == 1 && form.odd.cosine == 1) {  // phases alone
    term(op.moved, -turn / 2);
    term(0, form.even.phase + turn / 2);
    return;
  }
  ops.push_back(op);
  term(0, form.even.phase);
}

}  // namespace ketmesh::kernels::cpu
