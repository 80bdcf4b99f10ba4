// The loops of VectorOps without vectors, for the target that has none. Included by vector_ops.cpp inside its namespaces: no include guard.

template <typename Real>
double square_sum(const Real* a, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < 2 * n; ++i) total += static_cast<double>(a[i]) * static_cast<double>(a[i]);
  return total;
}

template <typename Real>
void squares(const Real* a, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto re = static_cast<double>(a[2 * i]), im = static_cast<double>(a[2 * i + 1]);
    out[i] = re * re + im * im;
  }
}

template <typename Real>
cdouble dot(const Real* a, const Real* b, std::size_t n) {
  double re = 0, im = 0;
  for (std::size_t i = 0; i < 2 * n; i += 2) {
    const cdouble x(static_cast<double>(a[i]), static_cast<double>(a[i + 1])), y(static_cast<double>(b[i]), static_cast<double>(b[i + 1]));
    re += x.real() * y.real() + x.imag() * y.imag();
    im += x.real() * y.imag() - x.imag() * y.real();
  }
  return {re, im};
}

template <typename Real>
void multiply(Real* a, std::size_t n, std::size_t periods, const Real* direct, const Real* crossed) {
  for (std::size_t p = 0; p < periods; ++p, a += 2 * n)
    for (std::size_t i = 0; i < 2 * n; i += 2) {
      const Real re = a[i], im = a[i + 1];
      a[i] = re * direct[i] + im * crossed[i];
      a[i + 1] = im * direct[i + 1] + re * crossed[i + 1];
    }
}

template <typename Real>
void accumulate(Real* a, const Real* b, std::size_t n, cdouble factor) {
  const auto re = static_cast<Real>(factor.real()), im = static_cast<Real>(factor.imag());
  for (std::size_t i = 0; i < 2 * n; i += 2) {
    a[i] += re * b[i] - im * b[i + 1];
    a[i + 1] += re * b[i + 1] + im * b[i];
  }
}

template <typename Real>
void split(const Real* a, std::size_t n, double* re, double* im) {
  for (std::size_t i = 0; i < n; ++i) {
    re[i] = static_cast<double>(a[2 * i]);
    im[i] = static_cast<double>(a[2 * i + 1]);
  }
}

double sum(const double* x, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += x[i];
  return total;
}

void add_halves(const double* x, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] + x[n + i];
}

void subtract_halves(const double* x, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] - x[n + i];
}

void pair_products(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip,
                   double* re, double* im) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i ^ flip;
    if (re != nullptr) re[i] = a_re[i] * b_re[j] + a_im[i] * b_im[j];
    if (im != nullptr) im[i] = a_im[i] * b_re[j] - a_re[i] * b_im[j];
  }
}

cdouble pair_sum(const double* a_re, const double* a_im, const double* b_re, const double* b_im, std::size_t n, std::size_t flip) {
  double re = 0, im = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i ^ flip;
    re += a_re[i] * b_re[j] + a_im[i] * b_im[j];
    im += a_im[i] * b_re[j] - a_re[i] * b_im[j];
  }
  return {re, im};
}
