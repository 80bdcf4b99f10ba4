// Kernels made for one program, compiled at run time by NVRTC (opened on first need) on threads of their own.
//
// KETMESH_CUDA_COMPILE: `auto` compiles a program when interpreting it has cost about as much time as compiling would, and interprets until
// it is ready; `always` compiles at once and waits; `never` interprets.
#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "ketmesh/kernels/gpu/abi.h"

namespace ketmesh::kernels::cuda {

class OwnKernel;

/// The kernel of a source on a device of this compute capability (10 * major + minor); the same for equal sources. nullptr: only interpret.
std::shared_ptr<OwnKernel> own_kernel(const char* source, int capability);

/// Compiles it now, on a thread of its own.
void begin(const std::shared_ptr<OwnKernel>& kernel);

/// The kernel when it can be launched now. `seconds`: what interpreting the pass would take.
cudaKernel_t ready(const std::shared_ptr<OwnKernel>& kernel, double seconds);

}  // namespace ketmesh::kernels::cuda
