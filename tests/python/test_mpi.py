"""The package on the ranks of an MPI job, handed over in every way that mpi4py knows. Skipped without mpi4py or a launcher."""

import atexit
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

pytest.importorskip("mpi4py")

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("KETMESH_SHARED", HERE.parents[2] / "shared"))
# More ranks than cores, started by root: what a launcher must be told for that.
OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


def _families():
    """{family: (launcher, environment)} of the MPIs that are here."""
    found = {}
    openmpi = shutil.which("mpirun.openmpi") or (not shutil.which("mpirun.mpich") and shutil.which("mpirun"))
    if openmpi:
        found["openmpi"] = (openmpi, OPENMPI)
    mpich = shutil.which("mpirun.mpich")
    library = sorted(glob.glob("/usr/lib/*/libmpich.so.12"))
    if mpich and library:
        # Debian's MPICH has a name of its own; wheels of mpi4py ask for the common one.
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ketmesh-mpich-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        (folder / "libmpi.so.12").symlink_to(library[0])
        found["mpich"] = (mpich, {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"})
    return found


FAMILIES = _families()
EVERY = os.environ.get("KETMESH_SLOW") == "1"
family = pytest.mark.parametrize("family", ["openmpi", "mpich"])


def launch(family, ranks, *command, **more):
    if family not in FAMILIES:
        pytest.skip(f"no launcher of {family}")
    launcher, words = FAMILIES[family]
    environment = dict(os.environ, OMP_NUM_THREADS="1", **words, **more)
    done = subprocess.run([launcher, "-n", str(ranks), sys.executable, *command], env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@family
@pytest.mark.parametrize(("kind", "ranks"), [("world", 2), ("handle", 3), ("object", 1), ("reversed", 3), ("split", 4), ("late", 2)])
def test_communicators(family, kind, ranks):
    out = launch(family, ranks, str(HERE / "mpi_program.py"), kind)
    assert out.strip() == ("" if kind == "late" else "fine")


@family
def test_started_by_mpi4py(family):
    assert launch(family, 2, "-m", "mpi4py", str(HERE / "mpi_program.py"), "world").strip() == "fine"


@pytest.mark.skipif(not (SHARED / "parity").is_dir(), reason=f"no scripts in {SHARED}/parity")
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["world", "handle", "reversed", "split"])
@family
def test_script_of_ranks(family, kind, ranks):
    """The whole script that users of several GPUs know, with processors in place of GPUs and 24 qubits in place of 34."""
    if family == "mpich" and ranks != 3 and not EVERY:
        pytest.skip("MPICH on one number of ranks only; KETMESH_SLOW=1 runs all")
    out = launch(family, ranks, str(SHARED / "parity" / "script_mpi.py"), PARITY_TYPE="DistributedMpiCpu", PARITY_QUBITS="24", PARITY_COMM=kind)
    assert "counts:" in out
