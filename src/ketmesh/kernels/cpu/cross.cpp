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

void append_cross(const CrossForm& form, TileOp op, std::vector<TileOp>& ops) {
  op.kind = OpKind::cross2;
  op.matrix = {form.even.cosine, form.even.sine, form.odd.cosine, form.odd.sine};
  const bool moves = form.even.sine != 0 || form.odd.sine != 0 || form.even.cosine != 1 || form.odd.cosine != 1;
  if (moves) ops.push_back(op);
  for (const bool parity : {false, true}) {
    TileOp phase;
    TileTerm& t = phase.term;
    t.mask = op.control_mask;
    t.value = op.control_value;
    t.condition = op.condition;
    t.parity_mask = parity ? op.moved : 0;
    t.angle = parity ? (form.even.phase - form.odd.phase) / 2 : (form.even.phase + form.odd.phase) / 2;
    if (t.angle != 0) ops.push_back(std::move(phase));
  }
}

}  // namespace ketmesh::kernels::cpu
