"""Samples in files: whole, or rows at a time without reading the rest."""

import os

import numpy as np

from ..errors import OptionError

PATHS = (str, os.PathLike)
_ARROW = {".parquet", ".arrow", ".feather", ".ipc"}
_KNOWN = ".npy .npz .csv .parquet .arrow .feather .ipc .pt .pth .h5"


def _need(module, why):
    try:
        return __import__(module, fromlist=["_"])
    except ImportError:
        raise OptionError(f"{why}: install {module}") from None


def check_null_handling(null_handling):
    """reject or fill_zero."""
    if null_handling not in ("reject", "fill_zero"):
        raise OptionError(f"null_handling = {null_handling!r}: must be reject or fill_zero")


def _column(array, null_handling, first_row, name):
    """An Arrow array of numbers, or of lists of them, as [rows] or [rows, length]."""
    import pyarrow as pa

    nested = (
        pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_fixed_size_list(array.type)
    )
    if array.null_count and null_handling == "reject":
        row = array.is_null().to_pylist().index(True)
        raise OptionError(f"sample {first_row + row}: {name} is null; null_handling('fill_zero') makes it 0")
    if not nested:
        return (array.fill_null(0) if array.null_count else array).to_numpy(zero_copy_only=False)
    # Rows one by one only where they are ragged or hold nulls, so that each stays where it was.
    lengths = np.asarray(array.value_lengths().fill_null(0) if array.null_count else array.value_lengths())
    length = int(lengths.max()) if len(lengths) else 0
    flat = array.flatten()
    if not array.null_count and not flat.null_count and (lengths == length).all():
        return flat.to_numpy(zero_copy_only=False).reshape(-1, length)
    out = np.zeros((len(array), length))
    for row, values in enumerate(array.to_pylist()):
        if values is None:
            continue
        if len(values) != length:
            raise OptionError(f"sample {first_row + row}: length {len(values)}; samples beside it have {length}")
        for entry, value in enumerate(values):
            if value is None and null_handling == "reject":
                raise OptionError(
                    f"sample {first_row + row}: entry {entry} is null; null_handling('fill_zero') makes it 0"
                )
            out[row, entry] = 0 if value is None else value
    return out


def _table(batch, null_handling, first_row):
    """A table or record batch as [rows, length]: one column of lists, or a column a value."""
    columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        columns.append(_column(whole, null_handling, first_row, name))
    if not columns:
        raise OptionError("the file has no columns")
    if len(columns) == 1:
        return columns[0] if columns[0].ndim == 2 else columns[0].reshape(-1, 1)
    if any(c.ndim != 1 for c in columns):
        raise OptionError(
            "the file has several columns and lists among them; one column of lists, or columns of numbers, can be encoded"
        )
    return np.stack(columns, axis=1)


def _read_arrow(path, extension):
    _need("pyarrow", f"{path}: files of Arrow and Parquet are read by pyarrow")
    if extension == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path)
    import pyarrow.feather
    import pyarrow.ipc

    if extension == ".feather":
        return pyarrow.feather.read_table(path)
    with open(path, "rb") as file:
        magic = file.read(6)
    source = pyarrow.memory_map(str(path))
    return (pyarrow.ipc.open_file if magic == b"ARROW1" else pyarrow.ipc.open_stream)(source).read_all()


def read(path, null_handling="reject"):
    """All samples of a file, as [length] or [B, length]."""
    check_null_handling(null_handling)
    extension = os.path.splitext(os.fspath(path))[1].lower()
    if extension == ".npy":
        return np.load(path, mmap_mode="r", allow_pickle=False)
    if extension == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            if len(arrays.files) != 1:
                raise OptionError(f"{path}: holds the arrays {', '.join(arrays.files)}; one can be encoded")
            return arrays[arrays.files[0]]
    if extension == ".csv":
        return np.loadtxt(path, delimiter=",", ndmin=2)
    if extension in _ARROW:
        return _table(_read_arrow(path, extension), null_handling, 0)
    if extension in (".pt", ".pth"):
        return (
            _need("torch", f"{path}: tensors are read by torch")
            .load(path, map_location="cpu", weights_only=True)
            .numpy()
        )
    if extension in (".h5", ".hdf5"):
        with _need("h5py", f"{path}: HDF5 is read by h5py").File(path, "r") as file:
            names = [name for name in file if hasattr(file[name], "shape")]
            if len(names) != 1:
                raise OptionError(f"{path}: holds the data sets {', '.join(names)}; one can be encoded")
            return file[names[0]][()]
    raise OptionError(f"{path}: Unsupported file format {extension or 'without an extension'}; known: {_KNOWN}")


class Rows:
    """Batches of samples by number, for loaders: ``batch(first, count)`` gives [count, length]."""

    def __init__(self, total=None):
        self.total = total

    def batches(self, first, size, total):
        """Samples [first, total) in batches; the last one may be shorter."""
        while first < total:
            yield first, self.batch(first, min(size, total - first))
            first += size


class ArrayRows(Rows):
    """Slices of an array; a mapped file is read where it is looked at."""

    def __init__(self, array):
        array = array.reshape(1, -1) if array.ndim == 1 else array
        super().__init__(array.shape[0])
        self.array = array

    def batch(self, first, count):
        """A view."""
        return self.array[first : first + count]


class SyntheticRows(Rows):
    """Reproducible numbers: a sample depends on the seed and its own number only."""

    def __init__(self, method, num_qubits, length, seed):
        super().__init__()
        self.method, self.n, self.length, self.seed = method, num_qubits, length, seed

    def batch(self, first, count):
        """Uniform in [0, 1) (basis: indices)."""
        width = -(-self.length // 4) * 4  # a step of the counter makes four numbers
        generator = np.random.Generator(np.random.Philox(key=self.seed).advance(first * width // 4))
        values = generator.random((count, width))[:, : self.length]
        return np.floor(values * (1 << self.n)) if self.method == "basis" else values


class ParquetRows(Rows):
    """Row groups one after the other: no more than one of them and a batch are held."""

    def __init__(self, path, null_handling):
        _need("pyarrow", f"{path}: Parquet is read by pyarrow")
        import pyarrow.parquet

        self.file = pyarrow.parquet.ParquetFile(path)
        self.null_handling = null_handling
        super().__init__(self.file.metadata.num_rows)

    def batches(self, first, size, total):
        """Row groups before ``first`` are not read."""
        group, group_first = 0, 0
        while group < self.file.num_row_groups and group_first + self.file.metadata.row_group(group).num_rows <= first:
            group_first += self.file.metadata.row_group(group).num_rows
            group += 1
        held, held_first = None, group_first
        groups = list(range(group, self.file.num_row_groups))
        for batch in self.file.iter_batches(batch_size=size, row_groups=groups) if groups else ():
            rows = _table(batch, self.null_handling, held_first if held is None else held_first + len(held))
            if held is None and held_first < first:
                drop = min(first - held_first, len(rows))
                rows, held_first = rows[drop:], held_first + drop
            held = rows if held is None or not len(held) else np.concatenate([held, rows])
            while len(held) >= size and first < total:
                yield first, held[: min(size, total - first)]
                held, held_first, first = held[size:], held_first + size, first + size
            if first >= total:
                return
        if held is not None and len(held) and first < total:
            yield first, held[: total - first]


def open_rows(path, streaming, null_handling):
    """Rows of a file for a loader."""
    check_null_handling(null_handling)
    if streaming and os.path.splitext(os.fspath(path))[1].lower() == ".parquet":
        return ParquetRows(path, null_handling)
    return ArrayRows(read(path, null_handling))
