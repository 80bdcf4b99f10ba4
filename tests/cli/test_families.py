#!/usr/bin/env python3
"""`ketmesh bench NAME N --emit flat` prints the same gates and angles as the fixtures.

    python3 test_families.py KETMESH FOLDER
"""
import os
import subprocess
import sys

TOLERANCE = 4e-15  # of matrix entries of qv, which another C library may round otherwise


def same(got, want):
    if got == want:
        return True
    a, b = got.split(), want.split()
    if len(a) != len(b) or a[0] != "u4" or a[:3] != b[:3]:
        return False
    return all(abs(float(x) - float(y)) <= TOLERANCE for x, y in zip(a[3:], b[3:], strict=False))


def main():
    ketmesh, folder = sys.argv[1:]
    failed = 0
    files = sorted(os.listdir(folder))
    for file in files:
        name, n = file.removesuffix(".flat").split("_")
        got = subprocess.run([ketmesh, "bench", name, n, "--emit", "flat"], check=True, capture_output=True, text=True).stdout.splitlines()
        with open(os.path.join(folder, file)) as f:
            want = f.read().splitlines()
        wrong = [i + 1 for i, (a, b) in enumerate(zip(got, want, strict=False)) if not same(a, b)]
        if wrong or len(got) != len(want):
            failed += 1
            print(f"{file}: {len(got)} lines for {len(want)}, first difference in line {wrong[0] if wrong else '-'}")
    print(f"{len(files)} fixtures, {failed} differ")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
