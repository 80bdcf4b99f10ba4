"""Which simulator, which method: plain enums whose members are also at module level."""

import enum


class SimulatorType(enum.Enum):
    """Where a state lives.

    ``Auto`` takes the smallest of the others that fits. A type that was asked for by name never becomes another one.
    The last four are names of other programs' simulators; running one raises ValueError.
    """

    Auto = 0
    Cpu = 1
    Gpu = 2
    DistributedCpu = 3
    DistributedGpu = 4
    DistributedMpiCpu = 5
    DistributedMpiGpu = 6
    QCSim = 1
    QiskitAer = 7
    CompositeQiskitAer = 8
    CompositeQCSim = 9
    QuestSim = 10


class SimulationType(enum.Enum):
    """How a circuit is simulated: ketmesh has Statevector; running another one raises ValueError."""

    Statevector = 0
    MatrixProductState = 1
    Stabilizer = 2
    TensorNetwork = 3
    PauliPropagator = 4
    ExtendedStabilizer = 5
    PathIntegral = 6
    DensityMatrix = 7
    MatrixProductOperator = 8


#: The library's name of each type that runs.
BACKENDS = {
    SimulatorType.Auto: "auto",
    SimulatorType.Cpu: "cpu",
    SimulatorType.Gpu: "gpu",
    SimulatorType.DistributedCpu: "distributed-cpu",
    SimulatorType.DistributedGpu: "distributed-gpu",
    SimulatorType.DistributedMpiCpu: "distributed-mpi-cpu",
    SimulatorType.DistributedMpiGpu: "distributed-mpi-gpu",
}
MPI_TYPES = frozenset({SimulatorType.DistributedMpiCpu, SimulatorType.DistributedMpiGpu})
