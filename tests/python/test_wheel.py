"""Wheels as users get them: built, repaired, installed into fresh environments of every Python that is here. KETMESH_SLOW=1 runs it."""

import os
import pathlib
import resource
import shutil
import subprocess
import time
import zipfile

import pytest

if os.environ.get("KETMESH_SLOW") != "1":
    pytest.skip("builds the library anew for every Python; KETMESH_SLOW=1 runs it", allow_module_level=True)

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ["3.10", "3.11", "3.12", "3.13"]
FIRST = """
import ketmesh
from ketmesh.circuits import QuantumCircuit
counts = QuantumCircuit().h(0).cx(0, 1).measure_all().execute(shots=1000)["counts"]
assert set(counts) == {"00", "11"} and sum(counts.values()) == 1000, counts
assert "site-packages" in ketmesh.about()["library"], ketmesh.about()
for plugin in ketmesh.doctor()["plugins"]:
    print(plugin["name"], plugin["available"], plugin["reason"])
"""


def interpreter(version):
    """A Python of that version: on the path, or one of pyenv's."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    for candidate in [shutil.which(f"python{version}"), *pyenv.glob(f"{version}.*/bin/python{version}")]:
        if candidate and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
            return str(candidate)
    return None


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """{tag of the Python: wheel}"""
    out = pathlib.Path(os.environ.get("KETMESH_WHEELS") or tmp_path_factory.mktemp("wheels"))
    if not any(out.glob("*.whl")):
        subprocess.run([ROOT / "tools" / "wheels.sh", out], check=True)
    return {wheel.name.split("-")[2]: wheel for wheel in out.glob("ketmesh-*.whl")}


def fresh(folder, python):
    subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / "bin" / "python"


def seconds_of_children():
    """Processor seconds of the processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clean():
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "PYTHONHOME", "LD_PRELOAD")}


def test_what_a_wheel_holds(wheels):
    assert wheels, "no wheel was built"
    for tag, wheel in wheels.items():
        names = zipfile.ZipFile(wheel).namelist()
        assert wheel.stat().st_size < 15e6, wheel
        for wanted in ("ketmesh/lib/libketmesh.so.0", "ketmesh/lib/libketmesh_mpi_openmpi.so", "ketmesh/lib/libketmesh_mpi_mpich.so", "ketmesh/py.typed"):
            assert wanted in names, (tag, wanted)
        assert any(name.startswith("ketmesh/_core") and name.endswith(".so") for name in names) and "ketmesh/_core.pyi" in names
        assert not any("libmpi" in pathlib.PurePath(name).name for name in names), names
        assert "manylinux" in wheel.name and sum("libketmesh.so" in name for name in names) == 1
        assert "abi3" in wheel.name or tag in ("cp310", "cp311")


@pytest.mark.parametrize("version", VERSIONS)
def test_fresh_environment(wheels, version, tmp_path):
    python = interpreter(version)
    tag = "cp" + version.replace(".", "")
    wheel = wheels.get(tag) or (wheels.get("cp312") if version >= "3.12" else None)
    if python is None or wheel is None:
        pytest.skip(f"no Python {version} here")
    inside = fresh(tmp_path / "venv", python)
    start, work = time.monotonic(), seconds_of_children()
    subprocess.run([inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], check=True, env=clean())
    took, work = time.monotonic() - start, seconds_of_children() - work
    done = subprocess.run([inside, "-I", "-c", FIRST], capture_output=True, text=True, env=clean(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert min(took, work) < 10, f"{took:.1f} s, {work:.1f} s of work"  # others may use the cores meanwhile


def test_plugin_of_cuda(wheels, tmp_path):
    """The second wheel lays its plugin where the library looks first: what is said of GPUs changes from "no plugin" to a word about the machine."""
    plugins = [os.environ["KETMESH_CUDA_PLUGIN"]] if "KETMESH_CUDA_PLUGIN" in os.environ else sorted(ROOT.glob("build/*/lib/libketmesh_cuda.so"))
    if not plugins:
        pytest.skip("no libketmesh_cuda.so was built here")
    tag, python = next(((tag, found) for tag in ("cp310", "cp311", "cp312") if tag in wheels and (found := interpreter(f"3.{tag[3:]}"))), (None, None))
    if python is None:
        pytest.skip("no wheel for a Python that is here")
    subprocess.run([ROOT / "tools" / "wheels.sh", "--cuda", plugins[0], tmp_path], check=True)
    inside = fresh(tmp_path / "venv", python)
    install = [inside, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*install, wheels[tag]], check=True, env=clean())

    def said():
        done = subprocess.run([inside, "-I", "-c", FIRST], capture_output=True, text=True, env=clean(), check=True)
        return next(line for line in done.stdout.splitlines() if line.startswith("cuda"))

    before = said()
    subprocess.run([*install, next(tmp_path.glob("ketmesh_cuda13-*.whl"))], check=True, env=clean())
    assert said() != before, before
    subprocess.run([inside, "-m", "pip", "uninstall", "-q", "-y", "ketmesh-cuda13"], check=True, env=clean())
    assert said() == before
