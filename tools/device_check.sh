#!/usr/bin/env bash
# Runs what was built elsewhere on a machine with GPUs: conformance, sanitizers, benchmarks; one JSON file, written anew after each part.
#   tools/device_check.sh --prefix DIR [--gpus N] [--only conformance|sanitizers|benchmarks] [--out FILE]
# DIR holds ketmesh, kernels_test, micro_cuda and the libraries side by side (tools/device_pack.sh makes it). Needs python3.
set -uo pipefail
prefix='' gpus=1 only='' out=${OUT:-.}/device_check.json
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=$(cd "$2" && pwd); shift 2 ;;
    --gpus) gpus=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) echo "device_check: unknown $1" >&2; exit 2 ;;
  esac
done
[ -x "$prefix/ketmesh" ] || { echo "device_check: no ketmesh in --prefix" >&2; exit 2; }
export LD_LIBRARY_PATH=$prefix${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} KETMESH_CUDA_LIBRARY=$prefix/libketmesh_cuda.so
log=$(mktemp -d)
failed=0

# record PART NAME FILE: adds the lines of FILE to the JSON file.
record() { python3 - "$out" "$1" "$2" "$3" <<'PY'
import json, os, sys
out, part, name, path = sys.argv[1:]
data = json.load(open(out)) if os.path.exists(out) else {}
text = open(path, errors="replace").read()
try:
    value = json.loads(text)
except ValueError:
    value = text.splitlines()[-40:]
data.setdefault(part, {})[name] = value
json.dump(data, open(out, "w"), indent=1)
PY
}

conformance() {
  nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader >"$log/gpu"
  record conformance gpu "$log/gpu"
  "$prefix/kernels_test" --gtest_filter='CudaBackend.*' >"$log/kernels" 2>&1 || failed=1
  tail -n 4 "$log/kernels"
  record conformance kernels "$log/kernels"
  # Amplitudes of circuits on the GPU, on shards of one GPU, and on the processor.
  python3 - "$prefix/ketmesh" "$gpus" >"$log/circuits" 2>&1 <<'PY' || failed=1
import json, subprocess, sys
ketmesh, gpus = sys.argv[1], int(sys.argv[2])
def run(path, n, *more):
    out = subprocess.run([ketmesh, "run", path, "--amplitudes", ",".join(map(str, range(min(2**n, 512)))), "--shots", "1000", "--seed", "3",
                          "--observable", ";".join(["ZZ", "XIX", "IYZ"]), "--json", "--quiet", *more], capture_output=True, text=True)
    if out.returncode:
        return None, out.stderr.strip()
    return json.loads(out.stdout), ""
bad = done = 0
for family, n in (("qft", 14), ("rqc", 16), ("qv", 13), ("qaoa", 14), ("ising", 15), ("hea", 14), ("heisenberg", 14), ("ghz", 16), ("qv", 6), ("rqc", 9)):
    qasm = subprocess.run([ketmesh, "bench", family, str(n), "--emit", "qasm"], capture_output=True, text=True).stdout
    path = f"/tmp/device_check_{family}_{n}.qasm"
    open(path, "w").write(qasm)
    for precision, tolerance in (("single", 1e-5), ("double", 1e-12)):
        want, error = run(path, n, "--backend", "cpu", "--precision", "double")
        setups = [("gpu", ["--backend", "gpu"]), ("gpu t=8", ["--backend", "gpu", "--tile-qubits", "8"])]
        for shards in (2, 4, 8):
            setups.append((f"{shards} shards", ["--backend", "distributed-gpu", "--devices", "0", "--shards", str(shards), "--option", "distributed_flags=1"]))
        if gpus > 1:
            setups.append((f"{gpus} GPUs", ["--backend", "distributed-gpu", "--devices", ",".join(map(str, range(gpus))), "--option", "distributed_placement=equal"]))
        for name, options in setups:
            got, error = run(path, n, "--precision", precision, *options)
            done += 1
            if got is None:
                bad += 1
                print(f"{family} {n} {precision} {name}: {error}")
                continue
            worst = max(abs(complex(*got["amplitudes"][k]) - complex(*want["amplitudes"][k])) for k in want["amplitudes"])
            energy = max(abs(a - b) for a, b in zip(got["expectation_values"], want["expectation_values"]))
            counts = sum(abs(got["counts"].get(k, 0) - want["counts"].get(k, 0)) for k in {*got["counts"], *want["counts"]})
            if worst > tolerance or energy > 10 * tolerance or counts > (4 if precision == "single" else 0):
                bad += 1
                print(f"{family} {n} {precision} {name}: amplitudes differ by {worst:.2g}, energies by {energy:.2g}, counts by {counts}")
print(f"circuits: {done - bad} passed, {bad} failed")
sys.exit(bad > 0)
PY
  tail -n 12 "$log/circuits"
  record conformance circuits "$log/circuits"
}

sanitizers() {
  local tool
  for tool in memcheck racecheck; do
    timeout 100 compute-sanitizer --tool "$tool" --error-exitcode 9 "$prefix/kernels_test" --gtest_filter='CudaBackend.Passes*' >"$log/$tool" 2>&1 || failed=1
    echo "$tool: $(tail -n 1 "$log/$tool")"
    record sanitizers "$tool" "$log/$tool"
  done
}

benchmarks() {
  "$prefix/micro_cuda" 30 single 12 >"$log/micro" 2>&1
  record benchmarks micro_single "$log/micro"
  local family precision n
  for precision in single double; do
    n=30
    for family in qft rqc qv qaoa ising hea heisenberg ghz; do
      "$prefix/ketmesh" bench "$family" "$n" --backend gpu --precision "$precision" --repeat 3 --json --quiet >"$log/bench" 2>"$log/error" || { failed=1; cat "$log/error"; }
      python3 -c "
import json; d = json.load(open('$log/bench')); s = d['seconds']
print(f'{\"$family\":<11} {$n} $precision  evolve {s[\"evolve\"]:.4f} s  plan {s[\"plan\"]:.4f}  allocate {s[\"allocate\"]:.4f}  passes {d[\"distribution\"][\"passes\"]}')" || failed=1
      record benchmarks "${family}_${n}_$precision" "$log/bench"
    done
  done
}

wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }
if wanted conformance; then conformance; fi
if wanted sanitizers; then sanitizers; fi
if wanted benchmarks; then benchmarks; fi
exit $failed
