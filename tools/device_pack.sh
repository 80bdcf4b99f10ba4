#!/usr/bin/env bash
# Gathers in one folder what device_check.sh needs on another machine: programs, libraries and what they link.
#   tools/device_pack.sh BUILD DIR     BUILD: a build tree with the command line, the plugins, kernels_test and conformance
set -euo pipefail
build=$1 to=$2
mkdir -p "$to"
for name in ketmesh kernels_test conformance micro_cuda micro_transport micro_sample micro_small; do
  find "$build" -maxdepth 3 -name "$name" -type f -perm -u+x -exec cp {} "$to" \;
done
cp -L "$build"/lib/libketmesh.so.0 "$build"/lib/libketmesh_cuda.so "$to"
for plugin in openmpi mpich; do
  if [ -e "$build/lib/libketmesh_mpi_$plugin.so" ]; then cp "$build/lib/libketmesh_mpi_$plugin.so" "$to"; fi
done
find "$to" -type f -exec strip {} \;
for program in "$to"/*; do
  ldd "$program" | awk '/=> \//{print $3}' | { grep -E '/lib(hwy|hwloc|gomp|udev|benchmark)\.' || true; } | while read -r library; do cp -L "$library" "$to"; done
done
