// One state over the ranks of a program that uses MPI itself. Half of the processes make a state together, in reversed order; the others do
// something else.
#include <cstdio>
#include <exception>
#include <ketmesh/ketmesh.hpp>
#include <ketmesh/mpi.hpp>

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 1, status = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  if (rank % 2 == 0) try {
      ketmesh::Simulator simulator({.backend = ketmesh::Backend::distributed_mpi_cpu, .distributed = {.placement = "equal"}},
                                   ketmesh::mpi::communicator(half));
      ketmesh::Circuit circuit(10);
      for (ketmesh::Qubit q = 0; q < 10; ++q) circuit.h(q);
      for (ketmesh::Qubit q = 0; q < 10; ++q) circuit.cx(q, (q + 3) % 10).ry(q, 0.1 * q);
      const ketmesh::Result result = simulator.run(circuit, {.shots = 100, .seed = 7});
      int place = 0;
      MPI_Comm_rank(half, &place);
      if (place == 0) std::printf("%d ranks, first of them rank %d, %zu outcomes\n", result.distribution.ranks, rank, result.counts.size());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      status = 1;
    }
  MPI_Comm_free(&half);
  MPI_Finalize();
  return status;
}
