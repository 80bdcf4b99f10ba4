#!/usr/bin/env bash
# Wheels of the Python package: cp310, cp311 and one cp312-abi3 for all later ones. Repaired with auditwheel (libmpi stays out: a process has its own).
#   tools/wheels.sh [OUTPUT [PYTHON ...]]         without interpreters, those of 3.10, 3.11 and 3.12 that are here
#   tools/wheels.sh --cuda PLUGIN [OUTPUT]        the wheel ketmesh-cuda13, which puts a built libketmesh_cuda.so into ketmesh/lib
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
plugin=''
if [ "${1:-}" = --cuda ]; then
  plugin=$(realpath "${2:?--cuda needs the path of libketmesh_cuda.so}")
  shift 2
fi
out=${1:-$root/dist}
[ $# -gt 0 ] && shift
raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
mkdir -p "$out"

# The interpreter of a version: on the path, or one of pyenv's that is not switched on.
interpreter() {
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1"; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  echo "wheels: no Python $1, left out" >&2
}

tools=$root/.cache/venv-wheels
if ! cmp -s "$root/tools/requirements-wheels.txt" "$tools/installed.txt"; then
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check -r "$root/tools/requirements-wheels.txt"
  cp "$root/tools/requirements-wheels.txt" "$tools/installed.txt"
fi

if [ -n "$plugin" ]; then
  python3 "$root/tools/cuda_wheel.py" "$plugin" "$out"
  exit
fi

if [ $# = 0 ]; then
  for version in 3.10 3.11 3.12; do
    found=$(interpreter "$version")
    [ -z "$found" ] || set -- "$@" "$found"
  done
fi
# The library is the same for all interpreters: with the names of the compilers that CMake takes by itself, ccache finds it after the first.
export CC=${CC:-cc} CXX=${CXX:-c++}
for python in "$@"; do
  echo "wheels: $python" >&2
  "$python" -m pip wheel --quiet --no-deps --disable-pip-version-check -w "$raw" "$root"
done
for wheel in "$raw"/*.whl; do
  PATH=$tools/bin:$PATH auditwheel repair --exclude 'libmpi*' --exclude 'libcuda*' -w "$out" "$wheel" >&2
done
ls -l "$out"
