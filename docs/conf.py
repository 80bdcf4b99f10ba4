"""The site: ./dev docs builds it into build/docs. Pages are Markdown; the gate table and the interfaces are made from the sources."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
project = "Ketmesh"
version = release = re.search(r"project\(ketmesh VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
copyright = "the authors; Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"Ketmesh {version}"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
suppress_warnings = ["misc.highlighting_failure"]
linkcheck_ignore = [r"https?://"]  # the machines that build this reach no network


def cpp_pages():
    """One page of the public headers, as they are: their comments are the documentation."""
    include = ROOT / "include"
    text = ["# C++ and C interface", "", "The installed headers. `#include <ketmesh/ketmesh.hpp>` brings all but `mpi.hpp` and `c_api.h`.", ""]
    for header in sorted(include.rglob("*.h*"), key=lambda path: (len(path.relative_to(include).parts), path)):
        name = header.relative_to(include).as_posix()
        language = "c" if name.endswith(".h") else "cpp"
        text += [f"## `{name}`", "", f"````{language}", header.read_text(encoding="utf-8").rstrip(), "````", ""]
    (ROOT / "docs" / "api_cpp.md").write_text("\n".join(text), encoding="utf-8")


def escape_bars(app, what, name, obj, options, lines):
    """|0> is a state and no substitution."""
    for number, line in enumerate(lines):
        parts = line.split("``")
        parts[::2] = [part.replace("|", "\\|") for part in parts[::2]]
        lines[number] = "``".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars)
    cpp_pages()
    pictures = [sys.executable, ROOT / "docs" / "make_pictures.py", ROOT / "docs" / "_generated"]
    program = os.environ.get("KETMESH_PROGRAM")
    subprocess.run(pictures + ([program] if program else []), check=True)
