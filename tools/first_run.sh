#!/usr/bin/env bash
# What `./dev run` shows: a circuit file of the repository is planned and run, and the plan stands beside the record.
# KETMESH is the command line program.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ketmesh=${KETMESH:?path of the ketmesh program}
circuit=examples/circuits/ising_quench.qasm
spins=20 shots=1000 coupling=1.0 field=0.8
cd "$root"

# The energy is a sum of bonds Z_i Z_i+1 and of fields X_i: one Pauli string each, qubit 0 leftmost.
observables=$(awk -v n=$spins 'BEGIN {
  for (i = 0; i < n - 1; i++) { s = ""; for (j = 0; j < i; j++) s = s "I"; printf "%sZZ;", s }
  for (i = 0; i < n; i++) { s = ""; for (j = 0; j < i; j++) s = s "I"; printf "%sX%s", s, i < n - 1 ? ";" : "" } }')

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$ketmesh" plan "$circuit" --json | tr -d '\n' >"$folder/plan"
"$ketmesh" run "$circuit" --shots $shots --seed 7 --observable "$observables" --json --quiet | tr -d '\n' >"$folder/run"

# part FILE KEY: the object or array of that key. number TEXT KEY: its first number of that key.
part() { grep -oE "\"$2\": *(\{[^}]*\}|\[[^]]*\])" "$folder/$1" | awk "NR == 1"; }
number() { grep -oE "\"$2\": *-?[0-9][0-9.eE+-]*" <<<"$1" | awk "NR == 1" | sed 's/.*: *//'; }

plan=$(cat "$folder/plan") run=$(cat "$folder/run")
printf '%s: a quench of the transverse-field Ising chain\n\n' "$circuit"
printf '$ ketmesh plan %s\n\n' "$circuit"
"$ketmesh" plan "$circuit"
printf '\n$ ketmesh run %s --shots %d --seed 7 --observable "ZZ;IZZ;...;X;IX;..."\n\n' "$circuit" $shots
part run counts | grep -oE '"[01]+": *[0-9]+' | tr -d '":' | sort -k2,2nr -k1,1 |
  awk 'NR <= 5 {printf "  %s  %d\n", $1, $2} END {print "  ... the five most frequent outcomes, bit 0 leftmost"}'
part run expectation_values | grep -oE -- '-?[0-9][0-9.eE+-]*' |
  awk -v n=$spins -v j=$coupling -v h=$field 'NR < n {e -= j * $1} NR >= n {e -= h * $1}
    END {if (NR != 2 * n - 1) exit 1; printf "  energy %.6f (%.0f before the quench; the difference is the Trotter error)\n", e, -j * (n - 1)}'

row() { printf '  %-28s %16s %16s\n' "$@"; }
distribution=${run#*\"distribution\"}
predicted=$(part plan seconds) spent=$(part run seconds)
printf '\n'
row "" planned "done"
row passes "$(number "$plan" passes)" "$(number "$distribution" passes)"
row exchanges "$(number "$plan" exchanges)" "$(number "$distribution" exchanges)"
row 'bytes read and written' "$(number "$plan" bytes_local)" "$(number "$distribution" bytes_local)"
row 'bytes exchanged' "$(number "$plan" bytes_exchanged_total)" "$(number "$distribution" bytes_exchanged)"
row 'bytes of memory' "$(part plan per_device | grep -oE '"bytes": *[0-9]+' | awk '{s += $2} END {print s}')" "$(number "$distribution" memory_bytes)"
row 'seconds to evolve' "$(number "$predicted" total)" "$(number "$spent" evolve)"
