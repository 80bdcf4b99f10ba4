/* The second table of libketmesh_cuda.so, exported as ketmesh_cuda_transfer_table(): streams, events, pinned memory and what passes between devices and
   processes. The same rules as in abi.h. `device` is where a call acts; streams and events are those of CUDA. */
#ifndef KETMESH_CUDA_TRANSFER_ABI_H
#define KETMESH_CUDA_TRANSFER_ABI_H

#include <stdint.h>

#define KETMESH_CUDA_TRANSFER_VERSION 1
#define KETMESH_CUDA_HANDLE_BYTES 64 /* of memory or of an event, for another process */
#define KETMESH_NCCL_ID_BYTES 128
#define KETMESH_NCCL_UNAVAILABLE 4 /* libnccl.so.2 is not found, or too old */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  char uuid[48];
  char pci[16]; /* "0000:18:00.0" */
} KetmeshCudaIdentity;

typedef struct {
  void* communicator;
  void* stream;
  int32_t device;
  int32_t peer; /* its number in the communicator */
  const void* out;
  void* in;
  uint64_t bytes; /* each way */
} KetmeshNcclSwap;

typedef struct {
  uint32_t version;
  const char* (*last_error)(void);

  int (*identity)(int32_t device, KetmeshCudaIdentity* out); /* makes no context */
  int (*pinned)(int32_t device, uint64_t bytes, void** out); /* host memory that the device copies from and to by itself */
  int (*unpin)(void* data);
  int (*stream_create)(int32_t device, void** stream);
  int (*stream_destroy)(int32_t device, void* stream);
  int (*event_create)(int32_t device, int32_t for_others, void** event); /* for_others: may be handed to another process */
  int (*event_destroy)(int32_t device, void* event);
  int (*event_record)(int32_t device, void* event, void* stream);
  int (*event_wait)(int32_t device, void* stream, void* event); /* what comes later on the stream waits for the last record */
  int (*event_done)(int32_t device, void* event, int32_t* done);

  int (*peer)(int32_t device, int32_t other, int32_t* possible); /* lets `device` reach the memory of `other`, where it can */
  int (*memory_export)(int32_t device, void* data, void* handle);
  int (*memory_open)(int32_t device, const void* handle, void** data);
  int (*memory_close)(int32_t device, void* data);
  int (*event_export)(int32_t device, void* event, void* handle);
  int (*event_open)(int32_t device, const void* handle, void** event);

  int (*nccl_version)(int32_t* version);
  int (*nccl_id)(void* id);
  /* All own members of one communicator of `size` at once: number[k] is on device[k]. Not blocking: test with nccl_ready. */
  int (*nccl_open)(const void* id, int32_t size, int32_t count, const int32_t* number, const int32_t* device, void** communicators);
  int (*nccl_ready)(void* communicator, int32_t* ready);
  int (*nccl_close)(void* communicator, int32_t abort);
  int (*nccl_swap)(const KetmeshNcclSwap* swaps, int32_t count); /* one group, each on its stream */
} KetmeshCudaTransferTable;

typedef const KetmeshCudaTransferTable* (*KetmeshCudaTransferEntry)(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
