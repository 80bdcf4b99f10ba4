"""State: what it does, its views, and that they never dangle."""

import gc
import os
import threading

import numpy as np
import pytest

import ketmesh as m
from ketmesh.circuits import QuantumCircuit


def sharded(shards=4, precision="double"):
    return m.SimulatorConfig(simulator_type=m.DistributedCpu, precision=precision, distributed_options={"distributed_shards": str(shards)})


def ghz(n):
    circuit = QuantumCircuit().h(0)
    for q in range(n - 1):
        circuit.cx(q, q + 1)
    return circuit


@pytest.mark.parametrize("precision", ["single", "double"])
def test_reading(precision):
    with m.State(4, sharded(precision=precision)) as state:
        assert state.apply(ghz(4)) is state and state.precision == precision and state.num_qubits == 4
        assert state.norm() == pytest.approx(1, abs=1e-6)
        np.testing.assert_allclose(state.probabilities([3]), [0.5, 0.5], atol=1e-6)
        assert set(state.sample(50, seed=1)) == {"0000", "1111"} and state.sample(50, seed=1) == state.sample(50, seed=1)
        assert state.expectation(["ZZII", "ZIII"]) == pytest.approx([1, 0], abs=1e-6)
        np.testing.assert_allclose(state.amplitudes([0, 15, 3]), [2**-0.5, 2**-0.5, 0], atol=1e-6)
        np.testing.assert_allclose(state.to_host(8), [0] * 7 + [2**-0.5], atol=1e-6)
        kept = state.snapshot()
        bit = state.measure(2)
        assert bit in (0, 1) and state.probabilities([0])[bit] == pytest.approx(1, abs=1e-6)
        state.restore(kept).drop(kept)
        np.testing.assert_allclose(state.probabilities([0]), [0.5, 0.5], atol=1e-6)
    assert state.closed and repr(state) == "State(closed)"
    state.close()


def test_gates_by_name_are_queued_and_named_in_errors():
    with m.State(3, sharded()) as state:
        state.apply("h", 0).apply("rx", 1, m.circuits.Parameter("t"), parameters={"t": 0.3}).flush()
        want = QuantumCircuit().h(0).rx(1, 0.3).x(2).x(2).get_statevector(m.SimulatorConfig(precision="double"))
        np.testing.assert_allclose(state.to_host(), want, atol=1e-12)


def test_encodings_and_host_access(tmp_path):
    with m.State(2, sharded(2)) as state:
        np.testing.assert_allclose(state.encode([3, 0, 4], "amplitude").to_host(), [0.6, 0, 0.8, 0], atol=1e-12)
        np.testing.assert_allclose(state.encode([2], "basis").to_host(), [0, 0, 1, 0], atol=1e-12)
        state.from_host([0.6, 0.8j]).save_npy(tmp_path / "state.npy")
        np.testing.assert_allclose(np.load(tmp_path / "state.npy"), [0.6, 0.8j, 1, 0], atol=1e-12)


def test_views_are_the_memory_in_physical_order():
    with m.State(5, sharded()) as state:
        state.apply(ghz(5).rx(2, 0.4).swap(0, 4))
        shards = state.local_shards()
        assert [shard.range for shard in shards] == [(8 * k, 8 * k + 8) for k in range(4)] and len(shards[0]) == 8
        physical = np.concatenate([shard.numpy() for shard in shards])
        layout = state.layout
        logical = state.to_host()
        for index in range(32):
            assert physical[sum(((index >> q) & 1) << layout[q] for q in range(5))] == logical[index]
        view = shards[0].numpy()
        assert not view.flags.writeable and not np.from_dlpack(shards[0]).flags.writeable
        with pytest.raises(ValueError):
            view[0] = 1
        writable = state.local_shards(writable=True)[0].numpy()
        writable[0] = 0.25
        assert view[0] == 0.25 and state.local_shards()[0].device == "cpu"


def test_views_outlive_their_state():
    state = m.State(12, sharded(2))
    state.apply(ghz(12))
    shard = state.local_shards()[0]
    arrays = [shard.numpy(), np.from_dlpack(shard), np.asarray(shard)]
    before = [array.copy() for array in arrays]
    state.close()
    del state
    gc.collect()
    blocks = [np.full(4096, 7.0) for _ in range(50)]  # whatever was freed would be written over
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert blocks
    with pytest.raises(ValueError, match="closed"):
        shard.numpy()
    with pytest.raises(ValueError, match="closed"):
        np.from_dlpack(shard)


def test_one_thread_at_a_time():
    with m.State(18) as state:
        errors = []

        def work():
            try:
                for _ in range(5):
                    state.apply(ghz(18))
            except RuntimeError as error:
                errors.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        assert all("another thread" in text for text in errors)
        assert state.norm() == pytest.approx(1, abs=1e-4)


@pytest.mark.skipif(os.environ.get("KETMESH_SANITIZED") == "1", reason="a sanitizer keeps what was freed")
def test_memory_does_not_grow():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def once(k):
        circuit = QuantumCircuit().h(0).rx(1, 0.001 * k).cx(0, 1).measure_all()
        circuit.execute(shots=4)
        QuantumCircuit().u(0, 0.1, 0.2, 0.001 * k).get_statevector()

    for k in range(500):
        once(k)
    gc.collect()
    start = resident()
    for k in range(10000):
        once(k)
    gc.collect()
    assert resident() - start < 4 << 20
