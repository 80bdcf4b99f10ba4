// What the source of every specialised kernel begins with: R is its real, C its complex number.
#pragma once

namespace ketmesh::kernels::cuda {

inline constexpr const char* kSpecialiseText = R"(
struct Part { unsigned short mask, value, parity, count; unsigned first, unused; };
struct Entry { unsigned long long mask, value, parity; long long angle; };
struct Norm { double* sums; int count; unsigned char bits[24]; };
#define PLACE(i) (((i) + ((i) >> 4) + ((i) >> 8)) * C_BYTES)
#define PUT(at, a) *(C*)(sm + (at)) = C{x##a, y##a};
#define GET(at, a) {const C e = *(const C*)(sm + (at)); x##a = e.x; y##a = e.y;}
#define LOAD2(a, b, at) {const float4 e = __ldcs((const float4*)(mine + at)); x##a = e.x; y##a = e.y; x##b = e.z; y##b = e.w;}
#define LOAD1(a, b, at) {const C e = __ldcs(mine + at); x##a = e.x; y##a = e.y;}
#define STORE2(a, b, at) __stcs((float4*)(mine + at), make_float4(x##a, y##a, x##b, y##b));
#define STORE1(a, b, at) __stcs(mine + at, C{x##a, y##a});
#define CHOOSE(a, b, f) {const R u = x##a, v = y##a; x##a = f ? x##b : u; y##a = f ? y##b : v; x##b = f ? u : x##b; y##b = f ? v : y##b;}
#define SCALE(a, f) x##a *= f; y##a *= f;
#define TIMES(a, fx, fy) {const R u = x##a; x##a = u * fx - y##a * fy; y##a = u * fy + y##a * fx;}
#define ROTATE(a, b, t) {const R u = x##a, v = y##a; x##a -= t * x##b; y##a -= t * y##b; x##b += t * u; y##b += t * v;}
#define REFLECT(a, b, t) {const R u = x##a, v = y##a; x##a += t * x##b; y##a += t * y##b; x##b = t * u - x##b; y##b = t * v - y##b;}
#define RX(a, b, t) {const R u = x##a, v = y##a; x##a -= t * y##b; y##a += t * x##b; x##b -= t * v; y##b += t * u;}
#define LIFT(a, b, fx, fy) {const R u = x##a, v = y##a; x##a += fx * x##b - fy * y##b; y##a += fx * y##b + fy * x##b; \
  x##b -= fx * u + fy * v; y##b -= fx * v - fy * u;}
#define LIFT_PHASE(a, b, fx, fy, gx, gy, hx, hy) {const R u = x##a, v = y##a, r = x##b, s = y##b; \
  x##a += fx * r - fy * s; y##a += fx * s + fy * r; \
  x##b = gx * u - gy * v + hx * r - hy * s; y##b = gx * v + gy * u + hx * s + hy * r;}
#define DENSE(a, b, cx, cy, dx, dy, fx, fy, gx, gy) {const R u = x##a, v = y##a, r = x##b, s = y##b; \
  x##a = cx * u - cy * v + dx * r - dy * s; y##a = cx * v + cy * u + dx * s + dy * r; \
  x##b = fx * u - fy * v + gx * r - gy * s; y##b = fx * v + fy * u + gx * s + gy * r;}
#define ROW(a, k0, k1, k2, k3, k4, k5, k6, k7) \
  x##a = k0 * u0 - k1 * v0 + k2 * u1 - k3 * v1 + k4 * u2 - k5 * v2 + k6 * u3 - k7 * v3; \
  y##a = k0 * v0 + k1 * u0 + k2 * v1 + k3 * u1 + k4 * v2 + k5 * u2 + k6 * v3 + k7 * u3;
#define DENSE2(a, b, c, d, k0, k1, k2, k3, k4, k5, k6, k7, l0, l1, l2, l3, l4, l5, l6, l7, m0, m1, m2, m3, m4, m5, m6, m7, n0, n1, n2, n3, \
               n4, n5, n6, n7) \
  {const R u0 = x##a, v0 = y##a, u1 = x##b, v1 = y##b, u2 = x##c, v2 = y##c, u3 = x##d, v3 = y##d; \
  ROW(a, k0, k1, k2, k3, k4, k5, k6, k7) ROW(b, l0, l1, l2, l3, l4, l5, l6, l7) \
  ROW(c, m0, m1, m2, m3, m4, m5, m6, m7) ROW(d, n0, n1, n2, n3, n4, n5, n6, n7)}
#define NORM(a) ((double)x##a * x##a + (double)y##a * y##a)
__device__ __forceinline__ float2 turned(long long turns, float) {
  float s, c;
  sincospif((float)(int)(turns >> 32) * 4.656612873077392578125e-10f, &s, &c);
  return float2{c, s};
}
__device__ __forceinline__ double2 turned(long long turns, double) {
  double s, c;
  sincospi((double)turns * 1.0842021724855044340074528008699417114258e-19, &s, &c);
  return double2{c, s};
}
__device__ __forceinline__ C part_unit(const Part part, const Entry* entries, unsigned long long outside) {
  unsigned long long sum = 0;
  for (unsigned i = part.first; i < part.first + part.count; ++i) {
    const Entry e = entries[i];
    const unsigned long long angle = e.angle;
    if ((outside & e.mask) == e.value) sum += (__popcll(outside & e.parity) & 1) != 0 ? 0 - angle : angle;
  }
  return turned((long long)sum, R(0));
}
__device__ __noinline__ void add_norm(const Norm& norm, unsigned long long physical, double value) {
  unsigned bin = 0;
  for (int i = 0; i < norm.count; ++i) bin |= (unsigned)(physical >> norm.bits[i] & 1) << i;
  int same = 0;
  __match_all_sync(__activemask(), bin, &same);
  if (same != 0 && __activemask() == 0xffffffffu) {
    for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(norm.sums + bin, value);
  } else {
    atomicAdd(norm.sums + bin, value);
  }
}
)";

}  // namespace ketmesh::kernels::cuda
