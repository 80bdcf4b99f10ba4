// The loops of VectorOps with the vectors of one target of Highway. Included by vector_ops.cpp, once a target, inside its namespaces: no include guard.

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::ScalableTag<double>;

/// As many Reals as there are doubles in a vector: both are `Lanes` long.
template <typename Real>
using Narrow = hn::Rebind<Real, Doubles>;

HWY_INLINE hn::Vec<Doubles> load_doubles(const float* p) { return hn::PromoteTo(Doubles(), hn::LoadU(Narrow<float>(), p)); }
HWY_INLINE hn::Vec<Doubles> load_doubles(const double* p) { return hn::LoadU(Doubles(), p); }

/// (re, im) -> (im, re)
HWY_INLINE hn::Vec<hn::ScalableTag<float>> exchange_parts(hn::Vec<hn::ScalableTag<float>> v) { return hn::Shuffle2301(v); }
HWY_INLINE hn::Vec<Doubles> exchange_parts(hn::Vec<Doubles> v) { return hn::Shuffle01(v); }

HWY_INLINE double reduce(hn::Vec<Doubles> v) { return hn::GetLane(hn::SumOfLanes(Doubles(), v)); }

template <typename Real>
double square_sum(const Real* a, std::size_t n) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d), count = 2 * n;
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto x0 = load_doubles(a + i), x1 = load_doubles(a + i + lanes);
    const auto x2 = load_doubles(a + i + 2 * lanes), x3 = load_doubles(a + i + 3 * lanes);
    s0 = hn::MulAdd(x0, x0, s0);
    s1 = hn::MulAdd(x1, x1, s1);
    s2 = hn::MulAdd(x2, x2, s2);
    s3 = hn::MulAdd(x3, x3, s3);
  }
  double total = reduce(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; i < count; ++i) total += static_cast<double>(a[i]) * static_cast<double>(a[i]);
  return total;
}

/// Rounds as re * re + im * im without fused operations, at every level and position: sampling looks outcomes up in these.
template <typename Real>
void squares(const Real* a, std::size_t n, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto low = load_doubles(a + 2 * i), high = load_doubles(a + 2 * i + lanes);
    const auto low2 = hn::Mul(low, low), high2 = hn::Mul(high, high);
    // Even and odd elements of the pair of vectors are the squares of the parts.
    hn::StoreU(hn::Add(hn::ConcatEven(d, high2, low2), hn::ConcatOdd(d, high2, low2)), d, out + i);
  }
  for (; i < n; ++i) {
    const auto re = static_cast<double>(a[2 * i]), im = static_cast<double>(a[2 * i + 1]);
    out[i] = re * re + im * im;
  }
}

template <typename Real>
cdouble dot(const Real* a, const Real* b, std::size_t n) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d), count = 2 * n;
  auto re0 = hn::Zero(d), re1 = hn::Zero(d), im0 = hn::Zero(d), im1 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a0 = load_doubles(a + i), a1 = load_doubles(a + i + lanes);
    const auto b0 = load_doubles(b + i), b1 = load_doubles(b + i + lanes);
    re0 = hn::MulAdd(a0, b0, re0);
    re1 = hn::MulAdd(a1, b1, re1);
    im0 = hn::MulAdd(a0, exchange_parts(b0), im0);
    im1 = hn::MulAdd(a1, exchange_parts(b1), im1);
  }
  // Elements of im are (a.re b.im, a.im b.re): the imaginary part is their difference.
  const auto im = hn::Add(im0, im1);
  const auto zero = hn::Zero(d);
  double sum_re = reduce(hn::Add(re0, re1));
  double sum_im = reduce(hn::OddEven(hn::Sub(zero, im), im));
  for (; i < count; i += 2) {
    const cdouble x(static_cast<double>(a[i]), static_cast<double>(a[i + 1])), y(static_cast<double>(b[i]), static_cast<double>(b[i + 1]));
    sum_re += x.real() * y.real() + x.imag() * y.imag();
    sum_im += x.real() * y.imag() - x.imag() * y.real();
  }
  return {sum_re, sum_im};
}

template <typename Real>
void multiply(Real* a, std::size_t n, std::size_t periods, const Real* direct, const Real* crossed) {
  const hn::ScalableTag<Real> d;
  const std::size_t lanes = hn::Lanes(d), count = 2 * n;
  for (std::size_t p = 0; p < periods; ++p, a += count) {
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      const auto x = hn::LoadU(d, a + i);
      hn::StoreU(hn::MulAdd(x, hn::LoadU(d, direct + i), hn::Mul(exchange_parts(x), hn::LoadU(d, crossed + i))), d, a + i);
    }
    for (; i < count; i += 2) {
      const Real re = a[i], im = a[i + 1];
      a[i] = re * direct[i] + im * crossed[i];
      a[i + 1] = im * direct[i + 1] + re * crossed[i + 1];
    }
  }
}

template <typename Real>
void accumulate(Real* a, const Real* b, std::size_t n, cdouble factor) {
  const hn::ScalableTag<Real> d;
  const std::size_t lanes = hn::Lanes(d), count = 2 * n;
  const auto re = static_cast<Real>(factor.real()), im = static_cast<Real>(factor.imag());
  const auto direct = hn::Set(d, re), crossed = hn::OddEven(hn::Set(d, im), hn::Set(d, -im));
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto y = hn::LoadU(d, b + i);
    hn::StoreU(hn::MulAdd(y, direct, hn::MulAdd(exchange_parts(y), crossed, hn::LoadU(d, a + i))), d, a + i);
  }
  for (; i < count; i += 2) {
    const Real y_re = b[i], y_im = b[i + 1];
    a[i] += re * y_re - im * y_im;
    a[i + 1] += re * y_im + im * y_re;
  }
}

template <typename Real>
void split(const Real* a, std::size_t n, double* re, double* im) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto low = load_doubles(a + 2 * i), high = load_doubles(a + 2 * i + lanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, re + i);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, im + i);
  }
  for (; i < n; ++i) {
    re[i] = static_cast<double>(a[2 * i]);
    im[i] = static_cast<double>(a[2 * i + 1]);
  }
}

double sum(const double* x, std::size_t n) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::LoadU(d, x + i));
    s1 = hn::Add(s1, hn::LoadU(d, x + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, x + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, x + i + 3 * lanes));
  }
  double total = reduce(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; i < n; ++i) total += x[i];
  return total;
}

void add_halves(const double* x, std::size_t n, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, x + n + i)), d, out + i);
  for (; i < n; ++i) out[i] = x[i] + x[n + i];
}

void subtract_halves(const double* x, std::size_t n, double* out) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, x + n + i)), d, out + i);
  for (; i < n; ++i) out[i] = x[i] - x[n + i];
}

/// Index vector of the lanes i ^ flip.
HWY_INLINE auto flip_lanes(std::size_t flip) {
  const Doubles d;
  HWY_ALIGN std::int64_t index[hn::MaxLanes(Doubles())];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) index[i] = static_cast<std::int64_t>(i ^ flip);
  return hn::SetTableIndices(d, index);
}

void pair_products(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip,
                   double* re, double* im) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  if (n < lanes) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = i ^ flip;
      if (re != nullptr) re[i] = a_re[i] * b_re[j] + a_im[i] * b_im[j];
      if (im != nullptr) im[i] = a_im[i] * b_re[j] - a_re[i] * b_im[j];
    }
    return;
  }
  const std::size_t high = flip & ~(lanes - 1), low = flip & (lanes - 1);
  const auto index = flip_lanes(low);
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::size_t j = i ^ high;
    auto x = hn::LoadU(d, b_re + j), y = hn::LoadU(d, b_im + j);
    if (low != 0) {
      x = hn::TableLookupLanes(x, index);
      y = hn::TableLookupLanes(y, index);
    }
    const auto u = hn::LoadU(d, a_re + i), v = hn::LoadU(d, a_im + i);
    if (re != nullptr) hn::StoreU(hn::MulAdd(u, x, hn::Mul(v, y)), d, re + i);
    if (im != nullptr) hn::StoreU(hn::NegMulAdd(u, y, hn::Mul(v, x)), d, im + i);
  }
}

cdouble pair_sum(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  double re = 0, im = 0;
  if (n < lanes) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t j = i ^ flip;
      re += a_re[i] * b_re[j] + a_im[i] * b_im[j];
      im += a_im[i] * b_re[j] - a_re[i] * b_im[j];
    }
    return {re, im};
  }
  const std::size_t high = flip & ~(lanes - 1), low = flip & (lanes - 1);
  const auto index = flip_lanes(low);
  auto re0 = hn::Zero(d), re1 = hn::Zero(d), im0 = hn::Zero(d), im1 = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const std::size_t j = i ^ high;
    auto x = hn::LoadU(d, b_re + j), y = hn::LoadU(d, b_im + j);
    if (low != 0) {
      x = hn::TableLookupLanes(x, index);
      y = hn::TableLookupLanes(y, index);
    }
    const auto u = hn::LoadU(d, a_re + i), v = hn::LoadU(d, a_im + i);
    re0 = hn::MulAdd(u, x, re0);
    re1 = hn::MulAdd(v, y, re1);
    im0 = hn::MulAdd(v, x, im0);
    im1 = hn::MulAdd(u, y, im1);
  }
  return {reduce(hn::Add(re0, re1)), reduce(hn::Sub(im0, im1))};
}
