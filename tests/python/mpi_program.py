"""What test_mpi.py starts on every rank: python mpi_program.py KIND, KIND one of world, handle, object, reversed, split, late."""

import sys

import mpi4py

kind = sys.argv[1]
mpi4py.rc.thread_level = "serialized"
if kind == "late":
    mpi4py.rc.initialize = False

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

import ketmesh  # noqa: E402
from ketmesh.circuits import QuantumCircuit  # noqa: E402

assert not MPI.Is_initialized() or kind != "late"  # importing ketmesh starts nothing
if kind == "late":
    ketmesh.init_mpi()
world = MPI.COMM_WORLD
comm = {"reversed": lambda: world.Split(0, -world.rank), "split": lambda: world.Split(world.rank % 2, world.rank)}.get(kind, lambda: world)()
options = {}
if kind == "object":
    options = {"mpi_communicator": comm}
elif kind in ("handle", "reversed", "split"):
    options = {"mpi_communicator": str(comm.py2f())}
config = ketmesh.SimulatorConfig(simulator_type=ketmesh.SimulatorType.DistributedMpiCpu, precision="double", distributed_options=options)

n = 10
ghz = QuantumCircuit().h(0)
for q in range(n - 1):
    ghz.cx(q, q + 1)
result = ghz.copy().measure_all().execute(config, 500)
assert result["distribution"]["ranks"] == comm.size, result["distribution"]
everywhere = comm.allgather((sorted(result["counts"].items()), result["distribution"]["seed"]))
assert all(one == everywhere[0] for one in everywhere), everywhere
assert set(result["counts"]) == {"0" * n, "1" * n} and sum(result["counts"].values()) == 500

turned = ghz.copy().rx(0, 0.3).ry(n - 1, 0.4)
exact = ketmesh.SimulatorConfig(precision="double")
np.testing.assert_allclose(turned.get_statevector(config), turned.get_statevector(exact), atol=1e-12)
observables = ["Z" * n, {"XX": 0.5, "Z": 1.0}]
np.testing.assert_allclose(turned.estimate(observables, config)["expectation_values"], turned.estimate(observables, exact)["expectation_values"], atol=1e-12)
with ketmesh.State(n, config) as state:
    state.apply(turned)
    norms = comm.allgather(state.norm())
    assert all(value == norms[0] for value in norms)
    own = sum(len(shard) for shard in state.local_shards())
    assert comm.allreduce(own) == 2**n and all(shard.rank == comm.rank for shard in state.local_shards())
    samples = comm.allgather(sorted(state.sample(100).items()))
    assert all(one == samples[0] for one in samples)
    try:
        ketmesh.finalize_distributed_mpi_gpu()
        raise SystemExit("ended under a living state")
    except RuntimeError:
        pass
# Every rank makes the same calls with the same arguments; the one that does not is named to all.
if comm.size > 1:
    other = comm.size - 1
    for call in (
        lambda: ghz.execute(config, 10 + (comm.rank == other)),
        lambda: ghz.copy().rx(1, 0.1 * (comm.rank == other)).estimate("Z", config),
        lambda: ghz.get_statevector(config) if comm.rank == other else ghz.get_probabilities(config),
    ):
        try:
            call()
            raise SystemExit("ran with another rank's arguments")
        except RuntimeError as error:
            said = comm.allgather(str(error))
            assert all("rank " in one for one in said), said
            if comm.size > 2:  # of two, either may be the one that differs
                assert all(f"rank {other}" in one for one in said), said
assert ghz.copy().measure_all().execute(config, 5)["distribution"]["ranks"] == comm.size  # and they go on together
ketmesh.finalize_distributed_mpi_gpu()
ketmesh.finalize_distributed_mpi_gpu()
try:
    ghz.execute(config, 1)
    raise SystemExit("ran after the end")
except RuntimeError as error:
    assert "finalized" in str(error)
assert QuantumCircuit().x(0).measure_all().execute(exact, 1)["counts"] == {"1": 1}
if kind != "late" and world.rank == 0:
    print("fine")
if kind == "late" and not MPI.Is_finalized():
    raise SystemExit("init_mpi()'s MPI was not ended")
