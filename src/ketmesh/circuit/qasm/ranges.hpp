// The numbers of a loop's range, one at a time.
#pragma once

#include <cmath>

#include "ketmesh/circuit/qasm/code.hpp"

namespace ketmesh::qasm {

/// begin, begin + step, ... up to end, which belongs to it. Whole numbers, or reals when a bound is one.
class Steps {
 public:
  Steps(const Value& begin, const Value& step, const Value& end, const Context& at) {
    whole_ = begin.is_integral() && step.is_integral() && end.is_integral();
    if (whole_) {
      i_ = to_index(begin, at, "begin of a range");
      step_ = to_index(step, at, "step of a range");
      end_ = to_index(end, at, "end of a range");
      if (step_ == 0) at.sources.circuit_error(at.place, "step 0 of a range; expected another number");
      more_ = step_ > 0 ? i_ <= end_ : i_ >= end_;
      return;
    }
    for (const Value* v : {&begin, &step, &end}) {
      if (!v->is_numeric()) at.sources.circuit_error(at.place, "a range needs constant numbers, found " + describe(*v));
    }
    begin_real_ = as_double(begin);
    step_real_ = as_double(step);
    const double steps = (as_double(end) - begin_real_) / step_real_;
    if (step_real_ == 0 || !std::isfinite(steps)) at.sources.circuit_error(at.place, "step 0 of a range; expected another number");
    last_ = std::floor(steps + 1e-9);  // 0.3 belongs to [0 : 0.1 : 0.3]
    more_ = steps >= -1e-9;
  }
  bool more() const { return more_; }
  Value value() const { return whole_ ? Value::of_integer(i_) : Value::of_real(begin_real_ + k_ * step_real_); }
  void advance() {
    if (whole_) {
      std::int64_t next = 0;
      more_ = !__builtin_add_overflow(i_, step_, &next) && (step_ > 0 ? next <= end_ : next >= end_);
      i_ = next;
    } else {
      more_ = ++k_ <= last_;
    }
  }

 private:
  bool whole_ = true, more_ = false;
  std::int64_t i_ = 0, step_ = 1, end_ = 0;
  double begin_real_ = 0, step_real_ = 1, last_ = 0, k_ = 0;
};

}  // namespace ketmesh::qasm
