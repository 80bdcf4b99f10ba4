#!/usr/bin/env bash
# Gathers in one folder what device_check.sh needs on another machine: programs, libraries and what they link.
#   tools/device_pack.sh BUILD DIR     BUILD: a build tree with the command line, the CUDA plugin and kernels_test
set -euo pipefail
build=$1 to=$2
mkdir -p "$to"
find "$build" -maxdepth 2 \( -name ketmesh -o -name kernels_test -o -name micro_cuda \) -type f -perm -u+x -exec cp {} "$to" \;
cp -L "$build"/lib/libketmesh.so.0 "$build"/lib/libketmesh_cuda.so "$to"
strip "$to"/ketmesh "$to"/libketmesh.so.0
for program in "$to"/*; do
  ldd "$program" | awk '/=> \//{print $3}' | grep -E '/lib(hwy|hwloc|gomp|udev)\.' | while read -r library; do cp -L "$library" "$to"; done
done
