#!/usr/bin/env bash
# Wheels of the Python package for the interpreters that are here: cp310, cp311 and one cp312-abi3 for all later ones. Repaired with auditwheel
# (libmpi stays out: a process has its own). tools/wheels.sh [OUTPUT [PYTHON ...]]; without interpreters, python3.10, 3.11 and 3.12.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/dist}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- python3.10 python3.11 python3.12
raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT
mkdir -p "$out"
for python in "$@"; do
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "wheels: no $python, left out" >&2
    continue
  fi
  echo "wheels: $python" >&2
  "$python" -m pip wheel --quiet --no-deps --disable-pip-version-check -w "$raw" "$root"
done
"$root/.cache/venv-wheels/bin/python" -m pip --version >/dev/null 2>&1 || {
  python3 -m venv "$root/.cache/venv-wheels"
  "$root/.cache/venv-wheels/bin/pip" install -q --disable-pip-version-check -r "$root/tools/requirements-wheels.txt"
}
for wheel in "$raw"/*.whl; do
  PATH=$root/.cache/venv-wheels/bin:$PATH auditwheel repair --exclude 'libmpi*' --exclude 'libcuda*' -w "$out" "$wheel" >&2
done
ls -l "$out"
