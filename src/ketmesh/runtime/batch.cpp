#include "ketmesh/runtime/batch.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>

#include "ketmesh/base/bits.hpp"
#include "ketmesh/base/error.hpp"
#include "ketmesh/plan/planner.hpp"

namespace ketmesh::runtime {

AngleTable::AngleTable(const Circuit& circuit, std::span<const std::string> columns) : columns_(columns.begin(), columns.end()) {
  for (const Operation op : circuit) expressions_.insert(expressions_.end(), op.parameters.begin(), op.parameters.end());
  std::vector<std::string> names;
  for (const Parameter& p : expressions_) {
    Angle angle;
    names.clear();
    p.collect_names(names);
    for (const auto& name : names)
      if (std::find(columns_.begin(), columns_.end(), name) == columns_.end())
        throw CircuitError("parameter \"" + name + "\" has no column");
    if (names.empty()) {
      angle.offset = p.evaluate({});
    } else if (const Parameter slope = p.derivative(names[0]); names.size() == 1 && slope.is_number()) {
      angle.column = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), names[0]) - columns_.begin());
      angle.scale = slope.number();
      angle.offset = p.evaluate({{names[0], 0.0}});
    } else {
      angle.expression = &p;
    }
    angles_.push_back(angle);
  }
}

void AngleTable::fill(std::span<const double> row, std::span<double> out) const {
  ParameterValues values;
  for (std::size_t k = 0; k < angles_.size(); ++k) {
    const Angle& angle = angles_[k];
    if (angle.expression == nullptr) {
      out[k] = angle.scale == 0 ? angle.offset : angle.scale * row[angle.column] + angle.offset;
      continue;
    }
    if (values.empty())
      for (std::size_t c = 0; c < columns_.size(); ++c) values[columns_[c]] = row[c];
    out[k] = angle.expression->evaluate(values);
  }
}

namespace {

using kernels::batch::Engine;
using kernels::batch::Program;
using kernels::batch::Work;

/// What one thread holds.
template <typename Real>
class Lanes {
 public:
  Lanes(const Plan& plan, const Program& program, const Circuit& circuit, const AngleTable& angles, const Engine<Real>& engine,
        const BatchReads& reads)
      : plan_(plan),
        program_(program),
        circuit_(circuit),
        table_(angles),
        engine_(engine),
        reads_(reads),
        work_(program, engine.lanes),
        angles_(angles.size()),
        sums_(static_cast<std::size_t>(engine.lanes)),
        norms_(sums_.size()),
        values_(reads.strings.size() * sums_.size()) {
    const std::size_t size = std::size_t{1} << program.num_qubits;
    if (reads.probabilities) probabilities_.resize(size);
    if (reads.amplitudes) amplitudes_.resize(size);
    if (!reads.probabilities && !reads.amplitudes) return;
    index_.resize(size);
    for (Index i = 0; i < size; ++i) index_[i] = static_cast<std::uint32_t>(program.final_layout.to_physical(i));
  }

  /// Rows [first, first + count), as many as there are lanes at most; failed() says which row threw.
  void run(std::span<const double> rows, std::size_t width, std::size_t first, std::size_t count,
           const std::function<void(const BatchRow&)>& take) {
    const auto lanes = static_cast<std::size_t>(engine_.lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      if (l < count) {
        row_ = first + l;
        table_.fill(rows.subspan(row_ * width, width), angles_);
        ketmesh::bind(plan_, circuit_, std::span<const double>(angles_), binding_);  // not std::bind
      }
      load_numbers(program_, binding_, static_cast<int>(l), engine_.lanes, work_);
    }
    engine_.run(program_, work_);
    read_values();
    for (std::size_t l = 0; l < count; ++l) {
      row_ = first + l;
      BatchRow row{row_, {}, {}, {}};
      if (!reads_.strings.empty()) {
        if (!(norms_[l] > 0)) throw Internal("a state whose squared norm is " + std::to_string(norms_[l]));
        row.values = std::span(values_).subspan(l * reads_.strings.size(), reads_.strings.size());
      }
      read_table(l, row);
      take(row);
    }
  }
  std::size_t failed() const { return row_; }

 private:
  void read_values() {
    if (reads_.strings.empty()) return;
    const auto lanes = static_cast<std::size_t>(engine_.lanes);
    engine_.pauli(program_, work_, 0, 0, norms_.data());
    for (std::size_t s = 0; s < reads_.strings.size(); ++s) {
      const auto mask = [&](Index logical) { return static_cast<std::uint32_t>(program_.final_layout.to_physical(logical)); };
      engine_.pauli(program_, work_, mask(reads_.strings[s].x), mask(reads_.strings[s].z), sums_.data());
      for (std::size_t l = 0; l < lanes; ++l) values_[l * reads_.strings.size() + s] = sums_[l] / norms_[l];
    }
  }

  void read_table(std::size_t lane, BatchRow& row) {
    const auto lanes = static_cast<std::size_t>(engine_.lanes);
    const auto amplitude = [&](std::size_t i) {
      const std::size_t at = index_[i] * lanes + lane;
      return cdouble(static_cast<double>(work_.re[at]), static_cast<double>(work_.im[at]));
    };
    if (reads_.probabilities) {
      for (std::size_t i = 0; i < probabilities_.size(); ++i) probabilities_[i] = std::norm(amplitude(i));
      row.probabilities = probabilities_;
    }
    if (reads_.amplitudes) {
      const cdouble phase = std::polar(1.0, work_.phase[lane]);
      for (std::size_t i = 0; i < amplitudes_.size(); ++i) amplitudes_[i] = phase * amplitude(i);
      row.amplitudes = amplitudes_;
    }
  }

  const Plan& plan_;
  const Program& program_;
  const Circuit& circuit_;
  const AngleTable& table_;
  const Engine<Real>& engine_;
  const BatchReads& reads_;
  Work<Real> work_;
  Binding binding_;
  std::vector<double> angles_, sums_, norms_, values_, probabilities_;
  std::vector<cdouble> amplitudes_;
  std::vector<std::uint32_t> index_;
  std::size_t row_ = 0;
};

/// The first thing that went wrong, by row.
class FirstError {
 public:
  bool any() const noexcept { return any_; }
  void keep(std::size_t row, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!any_ || row < row_) {
      row_ = row;
      error_ = std::move(error);
    }
    any_ = true;
  }
  void rethrow() const {
    if (!any_) return;
    try {
      std::rethrow_exception(error_);
    } catch (const CircuitError& e) {
      throw CircuitError("row " + std::to_string(row_) + ": " + e.what(), e.hint());
    }
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::size_t row_ = 0;
  std::exception_ptr error_;
};

template <typename Real>
void run_rows(const Plan& plan, const Circuit& circuit, const AngleTable& angles, std::span<const double> rows, std::size_t num_rows,
              std::size_t width, kernels::SimdLevel level, int threads, const BatchReads& reads,
              const std::function<void(const BatchRow&)>& take, const std::function<void(std::size_t)>& progress) {
  const Program program = kernels::batch::translate(plan);
  const Engine<Real> engine = kernels::batch::engine<Real>(level);
  const auto lanes = static_cast<std::size_t>(engine.lanes);
  const auto groups = static_cast<std::int64_t>((num_rows + lanes - 1) / lanes);
  FirstError error;
  std::atomic<std::size_t> done{0};
#pragma omp parallel num_threads(static_cast <int>(std::min <std::int64_t>(std::max(threads, 1), groups)))
  {
    Lanes<Real> work(plan, program, circuit, angles, engine, reads);
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t g = 0; g < groups; ++g) {
      if (error.any()) continue;
      const std::size_t first = static_cast<std::size_t>(g) * lanes, count = std::min(lanes, num_rows - first);
      try {
        work.run(rows, width, first, count, take);
        done += count;
        if (omp_get_thread_num() == 0 && progress && done < num_rows) progress(done);  // on the caller's thread only
      } catch (...) {
        error.keep(work.failed(), std::current_exception());
      }
    }
  }
  error.rethrow();
  if (progress) progress(num_rows);
}

}  // namespace

void run_in_lanes(const Plan& plan, const Circuit& circuit, std::span<const std::string> columns, std::span<const double> rows,
                  std::size_t num_rows, Precision precision, kernels::SimdLevel level, int threads, const BatchReads& reads,
                  const std::function<void(const BatchRow&)>& take, const std::function<void(std::size_t)>& progress) {
  const AngleTable angles(circuit, columns);
  if (precision == Precision::single)
    run_rows<float>(plan, circuit, angles, rows, num_rows, columns.size(), level, threads, reads, take, progress);
  else
    run_rows<double>(plan, circuit, angles, rows, num_rows, columns.size(), level, threads, reads, take, progress);
}

}  // namespace ketmesh::runtime
