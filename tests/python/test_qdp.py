"""Encoders, loaders and files from Python, against NumPy."""

import threading

import numpy as np
import pytest

import ketmesh
from ketmesh.qdp import METHODS, QdpBenchmark, QdpEngine, QuantumDataLoader, estimate_memory


def reference(sample, n, method):
    b = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    x = np.asarray(sample)
    if method == "amplitude":
        out = np.zeros(1 << n, complex)
        out[: len(x)] = x / np.linalg.norm(x)
        return out
    if method == "angle":
        return np.prod(np.where(b, np.sin(x), np.cos(x)), axis=1)
    if method == "basis":
        return np.eye(1 << n)[int(x[0])]
    if method == "phase":
        return np.exp(1j * b @ x) / np.sqrt(1 << n)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    hadamard = np.array([[(-1) ** bin(i & j).count("1") for j in range(1 << n)] for i in range(1 << n)]) / np.sqrt(
        1 << n
    )
    if method in ("iqp", "iqp-z"):
        theta = b @ x[:n] + (
            sum(x[n + k] * b[:, i] * b[:, j] for k, (i, j) in enumerate(pairs)) if method == "iqp" else 0
        )
        return hadamard @ (np.exp(1j * theta) / np.sqrt(1 << n))
    theta = b @ (2 * x) + sum(2 * (np.pi - x[i]) * (np.pi - x[j]) * (b[:, i] ^ b[:, j]) for i, j in pairs)
    state = np.eye(1 << n)[0].astype(complex)
    for _ in range(2):
        state = np.exp(1j * theta) * (hadamard @ state)
    return state


def samples(method, n, rows, seed=1):
    length = ketmesh._core.vector_len(n, method)
    rng = np.random.default_rng(seed)
    return rng.integers(0, 1 << n, (rows, 1)) if method == "basis" else rng.uniform(-2, 2, (rows, length))


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    for n in (1, 2, 4):
        data = samples(method, n, 5)
        want = np.array([reference(row, n, method) for row in data])
        np.testing.assert_allclose(QdpEngine(precision="float64").encode(data, n, method), want, atol=1e-12)
        single = QdpEngine().encode(data, n, method)
        assert single.dtype == np.complex64
        np.testing.assert_allclose(single, want, atol=1e-6)
        with ketmesh.State(n, ketmesh.SimulatorConfig(precision="double")) as state:
            np.testing.assert_allclose(state.encode(data[2], method).to_host(), want[2], atol=1e-12)


def test_arrays_of_any_kind():
    base = np.arange(1, 25).reshape(4, 6)[:, :4]
    want = base / np.linalg.norm(base, axis=1)[:, None]
    engine = QdpEngine(precision="float64")
    for dtype in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 c8 c16 >f8 >i2 >c8".split():
        for array in (base.astype(dtype), np.asfortranarray(base.astype(dtype)), base.astype(dtype)[::-1][::-1]):
            before = array.copy()
            np.testing.assert_allclose(engine.encode(array, 2), want, atol=1e-12, err_msg=dtype)
            np.testing.assert_array_equal(array, before)
    np.testing.assert_allclose(engine.encode(base.tolist(), 2), want, atol=1e-12)
    np.testing.assert_allclose(engine.encode(base[::-1, ::-1], 2), want[::-1, ::-1], atol=1e-12)
    assert engine.encode(5, 3, "basis").shape == engine.encode([5], 3, "basis").shape == (1, 8)
    assert np.from_dlpack(engine.encode([1.0, 2.0], 1)).shape == (1, 2)


def test_refusals():
    engine = QdpEngine()
    bad = np.ones((20000, 4))
    bad[12345, 2] = np.nan
    for call, error, words in (
        (lambda: engine.encode(bad, 2), ValueError, "sample 12345: entry 2 is NaN: values must be finite"),
        (lambda: engine.encode(np.zeros(4), 2), ValueError, "zero norm"),
        (lambda: engine.encode(np.ones(5), 2), ValueError, "exceeds state vector size"),
        (lambda: engine.encode([], 2), ValueError, "cannot be empty"),
        (lambda: engine.encode([1, 2], 3, "angle"), ValueError, "expects 3 values"),
        (lambda: engine.encode([1.5], 3, "basis"), ValueError, "integer"),
        (lambda: engine.encode([-1], 3, "basis"), ValueError, "non-negative"),
        (lambda: engine.encode([1], 0), ValueError, "at least 1"),
        (lambda: engine.encode([1], 1, "fourier"), ValueError, "zz-feature-map"),
        (lambda: engine.encode(["a"], 1), TypeError, "cannot be encoded"),
        (lambda: engine.encode([[1, 2], [1]], 1), ValueError, "different lengths"),
        (lambda: engine.encode("x.xyz", 1), ValueError, "Unsupported file format"),
        (lambda: QdpEngine(precision="float16"), ValueError, "float32 or float64"),
        (lambda: QdpEngine(backend="gpu"), RuntimeError, "host"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_files(tmp_path):
    data = samples("amplitude", 3, 7)
    want = QdpEngine().encode(data, 3)
    np.save(tmp_path / "a.npy", np.asfortranarray(data))
    np.savez(tmp_path / "a.npz", data)
    np.savetxt(tmp_path / "a.csv", data, delimiter=",")
    for name in ("a.npy", "a.npz", "a.csv"):
        np.testing.assert_allclose(QdpEngine().encode(tmp_path / name, 3), want, atol=1e-6)
        got = list(QuantumDataLoader().qubits(3).batches(None, 3).source_file(tmp_path / name))
        np.testing.assert_allclose(np.concatenate(got), want, atol=1e-6)


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    data = samples("angle", 3, 23)
    want = QdpEngine().encode(data, 3, "angle")
    lists, columns = tmp_path / "lists.parquet", tmp_path / "columns.parquet"
    pq.write_table(pa.table({"x": pa.array(data.tolist())}), lists, row_group_size=5)
    pq.write_table(pa.table({f"x{k}": data[:, k] for k in range(3)}), columns, row_group_size=4)
    for path in (lists, columns):
        np.testing.assert_allclose(QdpEngine().encode(path, 3, "angle"), want, atol=1e-6)
        for first in (0, 1, 3):
            loader = (
                QuantumDataLoader()
                .qubits(3)
                .encoding("angle")
                .batches(None, 4)
                .start_at(first)
                .source_file(path, streaming=True)
            )
            got = list(loader)
            assert [len(batch) for batch in got] == [4] * (5 - first) + [3]
            np.testing.assert_allclose(np.concatenate(got), want[4 * first :], atol=1e-6)
    rows = data.tolist()
    rows[13][1] = None
    pq.write_table(pa.table({"x": pa.array(rows)}), lists, row_group_size=5)
    for streaming in (False, True):
        loader = (
            QuantumDataLoader().qubits(3).encoding("angle").batches(None, 4).source_file(lists, streaming=streaming)
        )
        with pytest.raises(ValueError, match="sample 13: entry 1 is null"):
            list(loader)
        data[13, 1] = 0
        filled = np.concatenate(list(loader.null_handling("fill_zero")))
        np.testing.assert_allclose(filled, QdpEngine().encode(data, 3, "angle"), atol=1e-6)


def test_loader_order_restart_and_early_stop():
    def loader():
        return QuantumDataLoader().qubits(4).encoding("iqp").batches(50, 8).source_synthetic().seed(3)

    whole = list(loader())
    assert [len(batch) for batch in whole] == [8] * 6 + [2]
    np.testing.assert_array_equal(np.concatenate(whole), np.concatenate(list(loader())))
    for first in (1, 5):
        for got, want in zip(loader().start_at(first), whole[first:], strict=True):
            np.testing.assert_array_equal(got, want)
    before = threading.active_count()
    for _ in loader():
        break
    assert threading.active_count() == before


def test_errors_travel_to_the_consumer():
    data = np.ones((30, 4))
    data[17, 1] = np.inf
    taken = 0
    with pytest.raises(ValueError, match="sample 17: entry 1 is infinite"):
        for _ in QuantumDataLoader().qubits(2).batches(None, 5).source_array(data):
            taken += 1
    assert taken == 3
    with pytest.raises(ValueError, match="no source"):
        list(QuantumDataLoader())
    with pytest.raises(ValueError, match="never end"):
        list(QuantumDataLoader().source_synthetic())


def test_benchmark_and_memory():
    result = QdpBenchmark().qubits(3).encoding("angle").batches(4, 8).warmup(1).run_throughput()
    assert result["vectors"] == 32 and result["vectors_per_sec"] > 0
    assert QdpBenchmark().qubits(3).batches(4, 8).run_latency()["latency_ms_per_vector"] > 0
    assert estimate_memory("amplitude", 10, 100)["fits"]
    assert not estimate_memory("amplitude", 39, 100)["fits"]
    with pytest.raises(MemoryError):
        QdpEngine().encode([1.0], 40)


def test_torch():
    torch = pytest.importorskip("torch")
    data = torch.ones((6, 4), requires_grad=True)
    assert torch.from_dlpack(QdpEngine().encode(data, 2)).shape == (6, 4)
    dataset = QuantumDataLoader().qubits(2).batches(None, 4).source_array(data).as_torch_dataset()
    assert [tuple(batch.shape) for batch in dataset] == [(4, 4), (2, 4)]
