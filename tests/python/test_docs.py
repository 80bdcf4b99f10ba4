"""Every code block of the pages runs: Python here, lines of a shell with the built program. C++ blocks are parts of files that are compiled."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
# What has a test of its own: installing (test_wheel.py), Slurm (tests/slurm), GPUs (tools/device_check.sh), other commands of ./dev (tools/check_docs.py:
# they exist).
ELSEWHERE = re.compile(r"^(pip install|srun |.*-gpu\b|\./dev (?!run [^#]|ketmesh )|mpirun .*(script\.py|\.\.\.))")
PROGRAM = os.environ.get("KETMESH_PROGRAM")


def _blocks():
    for page in PAGES:
        if page.name == "api_cpp.md":  # headers
            continue
        for number, (info, body) in enumerate(FENCE.findall(page.read_text(encoding="utf-8"))):
            words = info.split()
            yield pytest.param(words[0] if words else "", info, body, id=f"{page.stem}-{number}")


BLOCKS = list(_blocks())


@pytest.mark.parametrize(("language", "info", "body"), [block for block in BLOCKS if block.values[0] == "python"])
def test_python(language, info, body):
    needs = re.search(r"needs=(\w+)", info)
    if needs:
        pytest.importorskip(needs.group(1))
    exec(compile(body, info, "exec"), {})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the lines find where they run."""
    place = tmp_path_factory.mktemp("shell")
    (place / "examples").symlink_to(ROOT / "examples")
    (place / "circuit.qasm").write_text((ROOT / "examples" / "circuits" / "ising_quench.qasm").read_text())
    np.save(place / "samples.npy", np.random.default_rng(1).random((3, 1024)))
    return place


@pytest.mark.parametrize(("language", "info", "body"), [block for block in BLOCKS if block.values[0] in ("bash", "sh", "", "console")])
def test_shell(language, info, body, folder):
    if PROGRAM is None:
        pytest.skip("KETMESH_PROGRAM does not name the built command line")
    launcher = shutil.which("mpirun")
    words = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    for line in body.strip().splitlines():
        line = line.split("#")[0].strip()
        if not line or ELSEWHERE.match(line + " "):
            continue
        line = re.sub(r"^\./dev ketmesh ", "ketmesh ", re.sub(r"^\./dev run ", "ketmesh run ", line))
        if line.startswith("mpirun") and launcher is None:
            continue
        command = [PROGRAM if word == "ketmesh" else word for word in shlex.split(line)]
        assert command[0] in (PROGRAM, "mpirun"), f"nothing runs this line: {line}"
        done = subprocess.run(command, cwd=folder, env=words, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_other_blocks_are_of_files():
    known = {"python", "bash", "sh", "", "console", "{toctree}", "{eval-rst}"}
    loose = [block.id for block in BLOCKS if block.values[0] not in known and "file=" not in block.values[1]]
    assert loose == [], "a block that no test compiles or runs: give it file=PATH"
