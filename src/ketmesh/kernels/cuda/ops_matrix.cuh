// Gates on register bits: layers of one-target gates, two-target gates.
#pragma once

#include "ketmesh/kernels/cuda/tile_image.cuh"

namespace ketmesh::kernels::cuda {

/// Four reals of shared memory. Volatile: the compiler must not hold a matrix in registers that the amplitudes need.
__device__ __forceinline__ void load4(float (&m)[4], unsigned at) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(m[0]), "=f"(m[1]), "=f"(m[2]), "=f"(m[3]) : "r"(at));
}
__device__ __forceinline__ void load4(double (&m)[4], unsigned at) {
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(m[0]), "=d"(m[1]) : "r"(at));
  asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(m[2]), "=d"(m[3]) : "r"(at + 16));
}

/// f(integral constant of r) for every bit r of `on`.
template <int R>
struct Bit {
  static constexpr int value = R;
};
template <typename F>
__device__ __forceinline__ void for_bits(unsigned on, F&& f) {
  if ((on & 1u) != 0) f(Bit<0>{});
  if ((on & 2u) != 0) f(Bit<1>{});
  if ((on & 4u) != 0) f(Bit<2>{});
  if ((on & 8u) != 0) f(Bit<3>{});
}

/// The same; a full layer is one stretch of code, so that only its end moves amplitudes back into their registers.
template <typename F>
__device__ __forceinline__ void for_layer(unsigned on, F&& f) {
  if (on == 15u) {
    f(Bit<0>{});
    f(Bit<1>{});
    f(Bit<2>{});
    f(Bit<3>{});
  } else {
    for_bits(on, f);
  }
}

/// f(u, v) for the pairs of amplitudes that differ in register bit R.
template <int R, typename C, typename F>
__device__ __forceinline__ void for_pairs(C (&a)[16], F&& f) {
#pragma unroll
  for (int j = 0; j < 16; ++j)
    if ((j >> R & 1) == 0) f(a[j], a[j | 1 << R]);
}

/// The same for pairs that register controls leave.
template <int R, typename C, typename F>
__device__ __forceinline__ void for_pairs(C (&a)[16], unsigned mask, unsigned value, F&& f) {
#pragma unroll
  for (int j = 0; j < 16; ++j)
    if ((j >> R & 1) == 0 && (j & mask) == value) f(a[j], a[j | 1 << R]);
}

template <typename Real>
__device__ __forceinline__ void rotation(complex_t<Real> (&a)[16], unsigned on, unsigned at) {
  using C = complex_t<Real>;
  Real m[4];
  load4(m, at);
  for_layer(on, [&](auto bit) {
    const Real t = m[bit.value];
    for_pairs<bit.value>(a, [t](C& u, C& v) {
      const C w = u;
      u = {w.x - t * v.x, w.y - t * v.y};
      v = {v.x + t * w.x, v.y + t * w.y};
    });
  });
}

template <typename Real>
__device__ __forceinline__ void reflection(complex_t<Real> (&a)[16], unsigned on, unsigned at) {
  using C = complex_t<Real>;
  Real m[4];
  load4(m, at);
  for_layer(on, [&](auto bit) {
    const Real t = m[bit.value];
    for_pairs<bit.value>(a, [t](C& u, C& v) {
      const C w = u;
      u = {w.x + t * v.x, w.y + t * v.y};
      v = {t * w.x - v.x, t * w.y - v.y};
    });
  });
}

template <typename Real>
__device__ __forceinline__ void rx(complex_t<Real> (&a)[16], unsigned on, unsigned at) {
  using C = complex_t<Real>;
  Real m[4];
  load4(m, at);
  for_layer(on, [&](auto bit) {
    const Real t = m[bit.value];
    for_pairs<bit.value>(a, [t](C& u, C& v) {
      const C w = u;
      u = {w.x - t * v.y, w.y + t * v.x};
      v = {v.x - t * w.y, v.y + t * w.x};
    });
  });
}

template <typename Real>
__device__ __forceinline__ void lift(complex_t<Real> (&a)[16], unsigned on, unsigned at) {
  using C = complex_t<Real>;
  for_layer(on, [&](auto bit) {
    Real m[4];
    load4(m, at + bit.value / 2 * 4 * sizeof(Real));
    const Real x = m[bit.value % 2 * 2], y = m[bit.value % 2 * 2 + 1];
    for_pairs<bit.value>(a, [x, y](C& u, C& v) {
      const C w = u;
      u = {w.x + x * v.x - y * v.y, w.y + x * v.y + y * v.x};
      v = {v.x - x * w.x - y * w.y, v.y - x * w.y + y * w.x};
    });
  });
}

template <typename Real>
__device__ __forceinline__ void lift_phase(complex_t<Real> (&a)[16], unsigned on, unsigned at) {
  using C = complex_t<Real>;
  for_bits(on, [&](auto bit) {
    Real m[4], s[4];
    load4(m, at + bit.value * 8 * sizeof(Real));
    load4(s, at + (bit.value * 8 + 4) * sizeof(Real));
    for_pairs<bit.value>(a, [&](C& u, C& v) {
      const C w = u;
      u = {w.x + m[0] * v.x - m[1] * v.y, w.y + m[0] * v.y + m[1] * v.x};
      v = {m[2] * w.x - m[3] * w.y + s[0] * v.x - s[1] * v.y, m[2] * w.y + m[3] * w.x + s[0] * v.y + s[1] * v.x};
    });
  });
}

/// Swaps where `holds`, which the compiler must not know: as selections the amplitudes stay in their registers. Plain swaps would permute
/// what the interpreter's loop carries, and every op would pay for the moves that make this good again.
template <typename C>
__device__ __forceinline__ void swap_if(C& u, C& v, bool holds) {
  const C w = u;
  u = {holds ? v.x : w.x, holds ? v.y : w.y};
  v = {holds ? w.x : v.x, holds ? w.y : v.y};
}

template <typename C>
__device__ __forceinline__ void flip(C (&a)[16], unsigned on, bool holds) {
  for_bits(on, [&](auto bit) { for_pairs<bit.value>(a, [holds](C& u, C& v) { swap_if(u, v, holds); }); });
}

/// The same under register controls.
template <typename C>
__device__ __forceinline__ void flip_controlled(C (&a)[16], unsigned on, unsigned mask, unsigned value, bool holds) {
  for_bits(on, [&](auto bit) {
#pragma unroll
    for (int j = 0; j < 16; ++j)
      if ((j >> bit.value & 1) == 0) swap_if(a[j], a[j | 1 << bit.value], holds && (j & mask) == value);
  });
}

template <int Control, int Target, typename C>
__device__ __forceinline__ void cx(C (&a)[16], bool holds) {
#pragma unroll
  for (int j = 0; j < 16; ++j)
    if ((j >> Control & 1) != 0 && (j >> Target & 1) == 0) swap_if(a[j], a[j | 1 << Target], holds);
}

template <typename C>
__device__ __forceinline__ void cx(C (&a)[16], unsigned control, unsigned target, bool holds) {
  switch (control * 4 + target) {
    case 1:
      return cx<0, 1>(a, holds);
    case 2:
      return cx<0, 2>(a, holds);
    case 3:
      return cx<0, 3>(a, holds);
    case 4:
      return cx<1, 0>(a, holds);
    case 6:
      return cx<1, 2>(a, holds);
    case 7:
      return cx<1, 3>(a, holds);
    case 8:
      return cx<2, 0>(a, holds);
    case 9:
      return cx<2, 1>(a, holds);
    case 11:
      return cx<2, 3>(a, holds);
    case 12:
      return cx<3, 0>(a, holds);
    case 13:
      return cx<3, 1>(a, holds);
    default:
      return cx<3, 2>(a, holds);
  }
}

template <typename C, typename Real>
__device__ __forceinline__ void dense_pair(C& u, C& v, const Real (&m)[4], const Real (&s)[4]) {
  const C w = u;
  u = {m[0] * w.x - m[1] * w.y + m[2] * v.x - m[3] * v.y, m[0] * w.y + m[1] * w.x + m[2] * v.y + m[3] * v.x};
  v = {s[0] * w.x - s[1] * w.y + s[2] * v.x - s[3] * v.y, s[0] * w.y + s[1] * w.x + s[2] * v.y + s[3] * v.x};
}

template <typename Real>
__device__ __forceinline__ void dense_one(complex_t<Real> (&a)[16], unsigned on, unsigned mask, unsigned value, unsigned at) {
  using C = complex_t<Real>;
  for_bits(on, [&](auto bit) {
    Real m[4], s[4];
    load4(m, at + bit.value * 8 * sizeof(Real));
    load4(s, at + (bit.value * 8 + 4) * sizeof(Real));
    for_pairs<bit.value>(a, mask, value, [&](C& u, C& v) { dense_pair(u, v, m, s); });
  });
}

template <int B0, int B1, typename Real>
__device__ __forceinline__ void dense_two(complex_t<Real> (&a)[16], unsigned mask, unsigned value, unsigned at) {
  using C = complex_t<Real>;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    if ((j >> B0 & 1) != 0 || (j >> B1 & 1) != 0) continue;
    if ((j & mask) != value) continue;
    C w[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      Real m[4], s[4];
      load4(m, at + 8 * r * sizeof(Real));
      load4(s, at + (8 * r + 4) * sizeof(Real));
      const C v0 = a[j], v1 = a[j | 1 << B0], v2 = a[j | 1 << B1], v3 = a[j | 1 << B0 | 1 << B1];
      w[r] = {m[0] * v0.x - m[1] * v0.y + m[2] * v1.x - m[3] * v1.y + s[0] * v2.x - s[1] * v2.y + s[2] * v3.x - s[3] * v3.y,
              m[0] * v0.y + m[1] * v0.x + m[2] * v1.y + m[3] * v1.x + s[0] * v2.y + s[1] * v2.x + s[2] * v3.y + s[3] * v3.x};
    }
    a[j] = w[0];
    a[j | 1 << B0] = w[1];
    a[j | 1 << B1] = w[2];
    a[j | 1 << B0 | 1 << B1] = w[3];
  }
}

template <int B0, int B1, typename Real>
__device__ __forceinline__ void odd_two(complex_t<Real> (&a)[16], unsigned mask, unsigned value, unsigned at) {
  Real m[4], s[4];
  load4(m, at);
  load4(s, at + 4 * sizeof(Real));
  if (mask == 0) {
#pragma unroll
    for (int j = 0; j < 16; ++j)
      if ((j >> B0 & 1) == 0 && (j >> B1 & 1) == 0) dense_pair(a[j | 1 << B0], a[j | 1 << B1], m, s);
    return;
  }
#pragma unroll
  for (int j = 0; j < 16; ++j)
    if ((j >> B0 & 1) == 0 && (j >> B1 & 1) == 0 && (j & mask) == value) dense_pair(a[j | 1 << B0], a[j | 1 << B1], m, s);
}

/// f(Bit, Bit) of two register bits, the first below the second.
template <typename F>
__device__ __forceinline__ void with_two_bits(unsigned b0, unsigned b1, F&& f) {
  switch (b0 * 4 + b1) {
    case 1:
      return f(Bit<0>{}, Bit<1>{});
    case 2:
      return f(Bit<0>{}, Bit<2>{});
    case 3:
      return f(Bit<0>{}, Bit<3>{});
    case 6:
      return f(Bit<1>{}, Bit<2>{});
    case 7:
      return f(Bit<1>{}, Bit<3>{});
    default:
      return f(Bit<2>{}, Bit<3>{});
  }
}

}  // namespace ketmesh::kernels::cuda
