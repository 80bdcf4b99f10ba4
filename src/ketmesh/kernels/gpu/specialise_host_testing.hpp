// Runs specialised kernels on the host: their source is CUDA C++ of the simplest kind, so the system's compiler takes it after a few
// definitions; a thread of the system is a thread of the block.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "ketmesh/base/types.hpp"
#include "ketmesh/kernels/gpu/specialise.hpp"

namespace ketmesh::kernels::testing {

inline constexpr const char* kCudaOnTheHost = R"(
#include <barrier>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __global__
#define __launch_bounds__(...)
#define __shared__
#define __align__(n)
#define __grid_constant__
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static double2 make_double2(double x, double y) { return {x, y}; }
struct Number { unsigned x; };
static thread_local Number threadIdx, blockIdx;
static std::barrier<>* meeting;
static std::mutex adding;
static void __syncthreads() { meeting->arrive_and_wait(); }
template <typename T> T __ldcs(const T* p) { return *p; }
template <typename T> T __ldg(const T* p) { return *p; }
template <typename T> void __stcs(T* p, T v) { *p = v; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static void sincospif(float x, float* s, float* c) { *s = std::sin(3.14159265358979 * x); *c = std::cos(3.14159265358979 * x); }
static void sincospi(double x, double* s, double* c) { *s = std::sin(3.141592653589793L * x); *c = std::cos(3.141592653589793L * x); }
static unsigned __activemask() { return 1; }
static void __match_all_sync(unsigned, unsigned, int* same) { *same = 1; }
static double __shfl_down_sync(unsigned, double v, int) { return v; }
static void atomicAdd(double* to, double v) { std::lock_guard lock(adding); *to += v; }
alignas(16) unsigned char sm[1 << 18];
)";

inline constexpr const char* kRunOnTheHost = R"(
extern "C" void run_blocks(void* data, unsigned long long base, const void* parts, const void* entries, const void* tables,
                           const void* norm, const void* k, unsigned blocks, unsigned threads) {
  std::barrier<> all(threads);
  meeting = &all;
  std::vector<std::jthread> team;
  for (unsigned t = 0; t < threads; ++t)
    team.emplace_back([=] {
      for (unsigned b = 0; b < blocks; ++b) {
        threadIdx.x = t;
        blockIdx.x = b;
        tile_pass((C*)data, base, (const Part*)parts, (const Entry*)entries, (const unsigned char*)tables, *(const Norm*)norm, *(const K*)k);
        __syncthreads();
      }
    });
}
)";

struct HostNorm {
  double* sums = nullptr;
  int count = 0;
  unsigned char bits[24] = {};
};

/// Runs the kernel of a sweep on a shard; throws when the source does not compile.
template <typename Real>
void run_on_host(const cuda::Sweep& sweep, const cuda::Specialised& kernel, std::vector<std::complex<Real>>& data, Index base,
                 int local_bits, const HostNorm& norm = {}) {
  const char* temporary = std::getenv("TMPDIR");
  std::string folder = std::string(temporary != nullptr ? temporary : "/tmp") + "/ketmesh_specialise_XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const char* chosen = std::getenv("CXX");
  const std::string path = folder + "/kernel.so";
  const std::string command =
      std::string(chosen != nullptr ? chosen : "c++") + " -std=c++20 -O0 -w -shared -fPIC -pthread -x c++ -o " + path + " -";
  std::FILE* const compiler = popen(command.c_str(), "w");
  if (compiler == nullptr) throw std::runtime_error("no process for " + command);
  const std::string text = kCudaOnTheHost + kernel.source + kRunOnTheHost;
  std::fwrite(text.data(), 1, text.size(), compiler);
  const int code = pclose(compiler);
  void* const library = code == 0 ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  std::remove(path.c_str());
  rmdir(folder.c_str());
  if (library == nullptr) throw std::runtime_error("a specialised kernel does not compile: " + command);
  using Run = void (*)(void*, unsigned long long, const void*, const void*, const void*, const void*, const void*, unsigned, unsigned);
  const auto run = reinterpret_cast<Run>(dlsym(library, "run_blocks"));
  const int t = sweep.program.tile_bits;
  run(data.data(), base, sweep.image.data() + sweep.program.parts_at, sweep.entries.data(), sweep.tables.data(), &norm,
      kernel.constants.data(), 1u << (local_bits - t), 1u << (t - sweep.program.register_bits));
  dlclose(library);
}

}  // namespace ketmesh::kernels::testing
