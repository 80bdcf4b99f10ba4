/* The table of C functions that libketmesh_cuda.so exports as ketmesh_cuda_table(). No exception crosses it. Every function returns 0, or a
   code from below; last_error() of the same thread then has the text. Handles are int64; `precision` is 4 or 8, the bytes of a real. */
#ifndef KETMESH_CUDA_ABI_H
#define KETMESH_CUDA_ABI_H

#include <stdint.h>

#define KETMESH_CUDA_ABI_VERSION 5
#define KETMESH_CUDA_OUT_OF_MEMORY 2
#define KETMESH_CUDA_FAILED 3

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int32_t device;
  int32_t precision;
  void* stream;
} KetmeshCudaContext;

typedef struct {
  void* data;
  int32_t local_bits;
  uint64_t base;
} KetmeshCudaShard;

typedef struct {
  char name[256];
  char uuid[48];
  uint64_t total_bytes, free_bytes;
  int32_t multiprocessors, shared_bytes, l2_bytes, major, minor;
} KetmeshCudaDevice;

/* The source of a kernel that does what a program says, for the run-time compiler: kernels::cuda::Specialised. */
typedef struct {
  const char* source;
  const void* constants;
  uint64_t constant_bytes;
  uint32_t shared_bytes;
  int32_t sums_norm;   /* 0: not for runs with norm_sums */
  const void* program; /* its own program and data, like those of prepare */
  const void* data;
  uint64_t bytes;
} KetmeshCudaKernel;

typedef struct {
  const uint8_t* bits; /* one for each bit of the shard */
  int32_t block_bits;
  uint32_t purpose;
  const double* running; /* 2^(local_bits - block_bits) + 1 sums */
  uint64_t last_possible;
  double unit;
  uint64_t seed, first_shot, count;
} KetmeshCudaSample;

typedef void* (*KetmeshCudaRoom)(void* user, uint64_t pairs); /* NULL: there is no memory */

typedef struct {
  uint32_t version;
  const char* build;
  const char* (*last_error)(void);
  int (*device_count)(int32_t* count);
  int (*device)(int32_t device, KetmeshCudaDevice* out);

  int (*allocate)(const KetmeshCudaContext*, uint64_t bytes, void** out);
  int (*release)(const KetmeshCudaContext*, void*, uint64_t bytes);                   /* as many as were allocated */
  int (*copy)(const KetmeshCudaContext*, void* to, const void* from, uint64_t bytes); /* any direction, in order with the stream */
  int (*synchronize)(const KetmeshCudaContext*);

  int (*fill_zero)(const KetmeshCudaContext*, const KetmeshCudaShard*);
  int (*set_amplitude)(const KetmeshCudaContext*, const KetmeshCudaShard*, uint64_t local, double re, double im);
  int (*fill_product)(const KetmeshCudaContext*, const KetmeshCudaShard*, const double* factors /* 4 a bit of the state */, int32_t bits,
                      double re, double im);

  /* program: kernels::cuda::Program; data: its image, entries and tables, copied to the device; kernel: NULL, or one made for it */
  int (*prepare)(const KetmeshCudaContext*, const void* program, const void* data, uint64_t bytes, const KetmeshCudaKernel* kernel,
                 int64_t* handle);
  int (*compile)(const KetmeshCudaContext*, const char* source); /* begins to compile a kernel that a program will come with */
  int (*unprepare)(int64_t handle);
  int (*run_pass)(const KetmeshCudaContext*, int64_t handle, const KetmeshCudaShard*, const uint8_t* norm_bits, int32_t norm_count,
                  double* norm_sums);

  int (*marginals)(const KetmeshCudaContext*, const KetmeshCudaShard*, const uint8_t* bits, int32_t count, double* out);
  int (*collapse)(const KetmeshCudaContext*, const KetmeshCudaShard*, uint64_t mask, uint64_t value, double re, double im);
  int (*probabilities)(const KetmeshCudaContext*, const KetmeshCudaShard*, const uint8_t* free_bits, int32_t free_count,
                       const uint64_t* fixed, uint64_t fixed_count, double* out);
  int (*read)(const KetmeshCudaContext*, const KetmeshCudaShard*, const uint64_t* physical, uint64_t count, double* out);
  int (*pauli_sums)(const KetmeshCudaContext*, const KetmeshCudaShard*, const KetmeshCudaShard* partner, const uint64_t* x,
                    const uint64_t* z, uint64_t count, double* sums);
  int (*inner_product)(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double* out);
  int (*apply_pauli)(const KetmeshCudaContext*, const KetmeshCudaShard*, uint64_t x, uint64_t z, double re, double im);
  int (*add)(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double re, double im);
  int (*pack)(const KetmeshCudaContext*, const KetmeshCudaShard*, uint64_t mask, uint64_t value, uint64_t first, uint64_t count, void* out);
  int (*unpack)(const KetmeshCudaContext*, const KetmeshCudaShard*, uint64_t mask, uint64_t value, uint64_t first, uint64_t count,
                const void* in);
  /* sums (two doubles a string) of strings that flip only bits of a tile: one read of the shard for every 256 of them */
  int (*pauli_read)(const KetmeshCudaContext*, const KetmeshCudaShard*, const uint8_t* tile, int32_t tile_bits, int32_t row_bits,
                    const uint64_t* x, const uint64_t* z, uint64_t count, double* sums);
  int (*swap_blocks)(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, uint64_t mask, uint64_t value_a,
                     uint64_t value_b);
  /* pairs (outcome, count) in ascending order; `room` is asked once for memory for as many as there are */
  int (*sample)(const KetmeshCudaContext*, const KetmeshCudaShard*, const KetmeshCudaSample*, KetmeshCudaRoom room, void* user);
} KetmeshCudaTable;

/* NULL when the version is not the one asked for. */
typedef const KetmeshCudaTable* (*KetmeshCudaEntry)(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
