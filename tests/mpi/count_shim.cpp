// Preloaded into a rank: counts the bytes that MPI is given to send on the communicator of amplitudes, before MPI sees them. At MPI's end the sum goes
// into the file named by KETMESH_TEST_COUNT and the process.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::uint64_t counted = 0, elsewhere = 0;

void count(int elements, MPI_Datatype type, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME + 1] = {};
  int length = 0, size = 0;
  PMPI_Comm_get_name(comm, name, &length);
  PMPI_Type_size(type, &size);
  const auto bytes = static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(size);
  (std::strcmp(name, "ketmesh data") == 0 ? counted : elsewhere) += bytes;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int MPI_Isend(const void* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                                                     MPI_Request* request) {
  count(elements, type, comm);
  return PMPI_Isend(data, elements, type, to, tag, comm, request);
}

__attribute__((visibility("default"))) int MPI_Send(const void* data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(elements, type, comm);
  return PMPI_Send(data, elements, type, to, tag, comm);
}

__attribute__((visibility("default"))) int MPI_Finalize() {
  if (const char* path = std::getenv("KETMESH_TEST_COUNT"))
    if (std::FILE* file = std::fopen((std::string(path) + "." + std::to_string(getpid())).c_str(), "w")) {
      std::fprintf(file, "%llu %llu\n", static_cast<unsigned long long>(counted), static_cast<unsigned long long>(elsewhere));
      std::fclose(file);
    }
  return PMPI_Finalize();
}
}
