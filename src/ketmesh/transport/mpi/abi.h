/* The table of C functions that libketmesh_mpi_openmpi.so and libketmesh_mpi_mpich.so export as ketmesh_mpi_table(). No exception crosses it.
   Every function returns 0, or a code from below; last_error() of the same thread then has the text. Handles are int64. Nothing waits without
   end: what takes time is started and then tested. */
#ifndef KETMESH_MPI_ABI_H
#define KETMESH_MPI_ABI_H

#include <stdint.h>

#define KETMESH_MPI_ABI_VERSION 2
#define KETMESH_MPI_FAILED 1      /* an MPI call failed */
#define KETMESH_MPI_UNAVAILABLE 2 /* MPI is not initialised, finalised already, or initialised with too low a thread level */
#define KETMESH_MPI_BAD_HANDLE 3  /* no such communicator, world or request */
#define KETMESH_MPI_TRUNCATED 4   /* a message was longer than its room */

/* The two duplicates of a world's communicator. */
#define KETMESH_MPI_DATA 0    /* amplitudes and nothing else: what is sent there is what an exchange moves */
#define KETMESH_MPI_CONTROL 1 /* collectives of a few scalars, errors */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t version;
  const char* build;  /* of the plugin */
  const char* family; /* "openmpi", "mpich" */
  const char* (*last_error)(void);

  int (*library_version)(char* out, int32_t size);                               /* what MPI says of itself; may be asked at any time */
  int (*state)(int32_t* initialized, int32_t* finalized, int32_t* thread_level); /* level 0..3: single, funneled, serialized, multiple */
  int (*initialize)(void);                                                       /* thread level funneled or higher */
  int (*finalize)(void);
  int (*abort)(int32_t code);
  int (*launcher_communicator)(int64_t* fortran); /* all ranks that were launched together */

  /* Duplicates a communicator (Fortran handle) twice. Collective: started by open_world, done when test_world says so; then errors are
     returned on both duplicates and describe_world has the figures. */
  int (*open_world)(int64_t fortran, int64_t* world);
  int (*test_world)(int64_t world, int32_t* done);
  int (*describe_world)(int64_t world, int32_t* rank, int32_t* size,
                        int32_t* first_on_host); /* lowest rank that shares memory with this one */
  int (*close_world)(int64_t world);

  /* At most 2^30 - 1 bytes a message. Received from -1: from any rank. */
  int (*send)(int64_t world, int32_t channel, const void* data, uint64_t bytes, int32_t to, int32_t tag, int64_t* request);
  int (*receive)(int64_t world, int32_t channel, void* data, uint64_t bytes, int32_t from, int32_t tag, int64_t* request);
  int (*test)(int64_t request, int32_t* done, uint64_t* bytes); /* a request that is done, or that failed, is gone */
  /* The request is gone. One that is under way is given `milliseconds` to end first: MPI may touch its memory no longer when *ended is 1. */
  int (*cancel)(int64_t request, int32_t milliseconds, int32_t* ended);
  int (*takes_device_memory)(int32_t* takes); /* whether this MPI says that it takes device pointers */
} KetmeshMpiTable;

/* NULL when the version is not the one asked for. */
typedef const KetmeshMpiTable* (*KetmeshMpiEntry)(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
