"""SimulatorConfig and what a run makes of it."""

import copy
import pickle

import pytest

import ketmesh as m
from ketmesh.circuits import QuantumCircuit


def flipped():
    return QuantumCircuit().x(0).measure_all()


def test_fields_are_checked_alone_and_together():
    config = m.SimulatorConfig()
    config.distributed_options = {"mpi_p2p_bits": "1"}  # before the type that takes it
    config.simulator_type = m.DistributedGpu
    with pytest.raises(ValueError, match="mpi_p2p_bits"):
        flipped().execute(config)
    with pytest.raises(ValueError, match="distributed_flags"):
        config.distributed_options = {"distributed_flags": "32"}
    assert config.distributed_options == {"mpi_p2p_bits": "1"}
    with pytest.raises(ValueError, match="differ"):
        flipped().execute(m.SimulatorConfig(precision="single", distributed_options={"precision": "double"}))
    with pytest.raises(AttributeError):
        config.bogus = 1


def test_every_option_key_is_known():
    values = {"distributed_devices": "0,1", "distributed_global_qubits": "1", "distributed_flags": "1", "precision": "double", "seed": "3"}
    for key in m.option_keys():
        value = values.get(key)
        if value is not None:
            assert m.SimulatorConfig(distributed_options={key: value}).distributed_options == {key: value}
        with pytest.raises(ValueError, match=key):
            m.SimulatorConfig(distributed_options={key: "garbage"})


def test_copies():
    config = m.SimulatorConfig(simulator_type=m.DistributedCpu, seed=3, distributed_options={"distributed_flags": "8"}, max_bond_dimension=4)
    for twin in (copy.copy(config), copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert twin == config and repr(twin) == repr(config)
        twin.seed = 4
        assert twin != config
    assert repr(config).startswith("SimulatorConfig(simulator_type=SimulatorType.DistributedCpu, seed=3")


def test_types_that_cannot_run_here_say_so():
    if m.is_gpu_available():
        pytest.skip("there is a GPU")
    for kind in (m.Gpu, m.DistributedGpu, m.DistributedMpiGpu):
        with pytest.raises(RuntimeError, match=kind.name):
            flipped().execute(m.SimulatorConfig(simulator_type=kind))
    for kind in (m.QiskitAer, m.CompositeQiskitAer, m.CompositeQCSim, m.QuestSim):
        with pytest.raises(ValueError, match=kind.name):
            flipped().execute(m.SimulatorConfig(simulator_type=kind))
    with pytest.raises(ValueError, match="Statevector"):
        flipped().execute(m.SimulatorConfig(simulation_type=m.Stabilizer))
    assert m.QCSim is m.Cpu


def test_several_shards_change_nothing():
    circuit = QuantumCircuit().h(0)
    for q in range(5):
        circuit.cx(q, q + 1).rx(q, 0.1 * q)
    circuit.measure_all()
    one = m.SimulatorConfig(seed=5, precision="double")
    results = [circuit.execute(one, 500)]
    for options in ({"distributed_shards": "4"}, {"distributed_shards": "8", "distributed_backend": "conventional"}):
        config = m.SimulatorConfig(simulator_type=m.DistributedCpu, seed=5, precision="double", distributed_options=options)
        results.append(circuit.execute(config, 500))
    assert results[0]["counts"] == results[1]["counts"] == results[2]["counts"]
    assert results[1]["distribution"]["shards"] == 4 and results[1]["simulator"] == m.DistributedCpu.value
    assert results[0]["distribution"]["seed"] == 5


def test_plans_are_found_again():
    angle = m.circuits.Parameter("t")
    circuit = QuantumCircuit().rx(0, angle).cx(0, 1).measure_all()
    cached = [circuit.execute(parameters={"t": 0.1 * k})["distribution"]["plan_cached"] for k in range(3)]
    assert cached[1:] == [True, True]
