// Shared by the files of the plugin: the error of a thread, checks of CUDA calls, scratch memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "ketmesh/kernels/cuda/norm_target.cuh"
#include "ketmesh/kernels/cuda/tile_image.cuh"
#include "ketmesh/kernels/gpu/abi.h"

namespace ketmesh::kernels::cuda {

/// The text of the last failure of this thread.
std::string& error_text();

/// As nvidia-smi writes it.
void format_uuid(const cudaUUID_t& uuid, char* out, std::size_t size);

/// 0, or the code of the table after noting `what` and CUDA's own words.
int status(cudaError_t error, const char* what);

/// Device memory that is given back at the end of the scope, in order with the stream.
class Scratch {
 public:
  Scratch(cudaStream_t stream, std::size_t bytes) : stream_(stream) { error_ = cudaMallocAsync(&data_, bytes == 0 ? 1 : bytes, stream); }
  ~Scratch() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  cudaError_t error() const { return error_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
  cudaError_t error_;
};

#define KETMESH_TRY(call)                                                                         \
  do {                                                                                            \
    if (const int code = ::ketmesh::kernels::cuda::status((call), #call); code != 0) return code; \
  } while (false)

inline cudaStream_t stream_of(const KetmeshCudaContext* context) { return static_cast<cudaStream_t>(context->stream); }

/// Sets the device for the calls of a function.
#define KETMESH_ON(context) KETMESH_TRY(cudaSetDevice((context)->device))

// One translation unit each: passes.cu, fills.cu, reduce.cu.
int prepare(const KetmeshCudaContext*, const void* program, const void* data, std::uint64_t bytes, const KetmeshCudaKernel* kernel,
            std::int64_t* handle);
int compile(const KetmeshCudaContext*, const char* source);
int unprepare(std::int64_t handle);
int run_pass(const KetmeshCudaContext*, std::int64_t handle, const KetmeshCudaShard*, const std::uint8_t* norm_bits,
             std::int32_t norm_count, double* norm_sums);
int fill_zero(const KetmeshCudaContext*, const KetmeshCudaShard*);
int set_amplitude(const KetmeshCudaContext*, const KetmeshCudaShard*, std::uint64_t local, double re, double im);
int fill_product(const KetmeshCudaContext*, const KetmeshCudaShard*, const double* factors, std::int32_t bits, double re, double im);
int collapse(const KetmeshCudaContext*, const KetmeshCudaShard*, std::uint64_t mask, std::uint64_t value, double re, double im);
int read(const KetmeshCudaContext*, const KetmeshCudaShard*, const std::uint64_t* physical, std::uint64_t count, double* out);
int apply_pauli(const KetmeshCudaContext*, const KetmeshCudaShard*, std::uint64_t x, std::uint64_t z, double re, double im);
int add(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double re, double im);
int pack(const KetmeshCudaContext*, const KetmeshCudaShard*, std::uint64_t mask, std::uint64_t value, std::uint64_t first,
         std::uint64_t count, void* out);
int unpack(const KetmeshCudaContext*, const KetmeshCudaShard*, std::uint64_t mask, std::uint64_t value, std::uint64_t first,
           std::uint64_t count, const void* in);
int swap_blocks(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, std::uint64_t mask, std::uint64_t value_a,
                std::uint64_t value_b);
int marginals(const KetmeshCudaContext*, const KetmeshCudaShard*, const std::uint8_t* bits, std::int32_t count, double* out);
int probabilities(const KetmeshCudaContext*, const KetmeshCudaShard*, const std::uint8_t* free_bits, std::int32_t free_count,
                  const std::uint64_t* fixed, std::uint64_t fixed_count, double* out);
int pauli_sums(const KetmeshCudaContext*, const KetmeshCudaShard*, const KetmeshCudaShard* partner, const std::uint64_t* x,
               const std::uint64_t* z, std::uint64_t count, double* sums);
int pauli_read(const KetmeshCudaContext*, const KetmeshCudaShard*, const std::uint8_t* tile, std::int32_t tile_bits, std::int32_t row_bits,
               const std::uint64_t* x, const std::uint64_t* z, std::uint64_t count, double* sums);
int sample(const KetmeshCudaContext*, const KetmeshCudaShard*, const KetmeshCudaSample*, KetmeshCudaRoom room, void* user);
int inner_product(const KetmeshCudaContext*, const KetmeshCudaShard* a, const KetmeshCudaShard* b, double* out);

/// function<float> or function<double> by the context's precision.
#define KETMESH_BY_PRECISION(function, context, ...) \
  ((context)->precision == 4 ? function<float>(context, __VA_ARGS__) : function<double>(context, __VA_ARGS__))

}  // namespace ketmesh::kernels::cuda
