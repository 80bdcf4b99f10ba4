// NCCL, opened at run time: nothing links it, and its header is not needed.
#pragma once

#include <cstdint>

#include "ketmesh/kernels/gpu/transfer_abi.h"

namespace ketmesh::kernels::cuda {

int nccl_version(std::int32_t* version);
int nccl_id(void* id);
int nccl_open(const void* id, std::int32_t size, std::int32_t count, const std::int32_t* number, const std::int32_t* device,
              void** communicators);
int nccl_ready(void* communicator, std::int32_t* ready);
int nccl_close(void* communicator, std::int32_t give_up);
int nccl_swap(const KetmeshNcclSwap* swaps, std::int32_t count);

}  // namespace ketmesh::kernels::cuda
