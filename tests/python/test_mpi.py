"""The package on the ranks of an MPI job, handed over in every way that mpi4py knows. Skipped without mpi4py or a launcher."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
LAUNCHER = shutil.which("mpirun") or shutil.which("mpiexec")
if LAUNCHER is None:
    pytest.skip("no mpirun", allow_module_level=True)

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("KETMESH_SHARED", HERE.parents[2] / "shared"))


def launch(ranks, *command, **more):
    environment = dict(
        os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1", **more
    )
    done = subprocess.run([LAUNCHER, "-n", str(ranks), sys.executable, *command], env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(("kind", "ranks"), [("world", 2), ("handle", 3), ("object", 1), ("reversed", 2), ("split", 4), ("late", 2)])
def test_communicators(kind, ranks):
    out = launch(ranks, str(HERE / "mpi_program.py"), kind)
    assert out.strip() == ("" if kind == "late" else "fine")


def test_started_by_mpi4py():
    assert launch(2, "-m", "mpi4py", str(HERE / "mpi_program.py"), "world").strip() == "fine"


@pytest.mark.skipif(not (SHARED / "parity").is_dir(), reason="no scripts beside this checkout")
@pytest.mark.parametrize("kind", ["world", "handle", "reversed", "split"])
def test_script_of_ranks(kind):
    every = os.environ.get("KETMESH_SLOW") == "1"  # the script's own size, on every number of ranks
    for ranks in (1, 2, 3, 4) if every else (2,):
        launch(
            ranks,
            str(SHARED / "parity" / "script_mpi.py"),
            PARITY_TYPE="DistributedMpiCpu",
            PARITY_QUBITS="24" if every else "14",
            PARITY_COMM=kind,
        )
