// Loops over contiguous amplitudes with SIMD, one set a level: what the measuring kernels are made of. Sums are accumulated in double in an
// order that depends on the level and the length only.
#pragma once

#include <cstddef>

#include "ketmesh/kernels/kernels.hpp"

namespace ketmesh::kernels::cpu {

/// Amplitudes are interleaved (re, im) pairs of Real; n counts amplitudes (of a and b) or doubles (of planes).
template <typename Real>
struct VectorOps {
  /// sum |a_i|^2
  double (*square_sum)(const Real* a, std::size_t n);
  /// out_i = |a_i|^2
  void (*squares)(const Real* a, std::size_t n, double* out);
  /// sum conj(a_i) b_i
  cdouble (*dot)(const Real* a, const Real* b, std::size_t n);
  /// a_i <- factor_i a_i, factors given as direct = (re, re) and crossed = (-im, im) a pair, `n` of them, for `periods` runs of n.
  void (*multiply)(Real* a, std::size_t n, std::size_t periods, const Real* direct, const Real* crossed);
  /// a_i <- a_i + factor b_i
  void (*accumulate)(Real* a, const Real* b, std::size_t n, cdouble factor);
  /// Interleaved amplitudes -> planes.
  void (*split)(const Real* a, std::size_t n, double* re, double* im);
  /// sum x_i
  double (*sum)(const double* x, std::size_t n);
  /// out_i = x_i + x_{i+n}; out may be x.
  void (*add_halves)(const double* x, std::size_t n, double* out);
  /// out_i = x_i - x_{i+n}; out may be x.
  void (*subtract_halves)(const double* x, std::size_t n, double* out);
  /// conj(b_j) a_i for j = i ^ flip over planes; n is a power of two and flip < n. re or im may be nullptr.
  void (*pair_products)(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip,
                        double* re, double* im);
  /// The sum of these products.
  cdouble (*pair_sum)(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip);
};

/// The level must be an available one (not `best`).
template <typename Real>
const VectorOps<Real>& vector_ops(SimdLevel level);

}  // namespace ketmesh::kernels::cpu
