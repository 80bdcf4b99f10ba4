#!/usr/bin/env bash
# Runs the libFuzzer target of the OpenQASM reader: tools/fuzz.sh [seconds]   (clang; 30 seconds unless told)
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/fuzz
[ -e $build/build.ninja ] || cmake --preset fuzz >/dev/null
ninja -C $build qasm_fuzz >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
$build/qasm_fuzz -max_total_time="${1:-30}" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -dict=tests/fuzz/qasm.dict \
  -artifact_prefix="$work/" -print_final_stats=1 "$work" tests/fuzz/qasm || { cp "$work"/{crash,leak,timeout,oom}-* . 2>/dev/null || true; exit 1; }
