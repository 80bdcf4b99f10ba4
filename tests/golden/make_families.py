#!/usr/bin/env python3
"""Writes the fixtures of the benchmark families: what a reference generator of the circuits prints in its flat format.

    python3 make_families.py PATH/circuits.py

The generator takes NAME N --format flat and prints n, then a gate a line. Run with Python 3.11: the order of floating-point
additions in sum() differs in later versions.
"""
import os
import subprocess
import sys

SIZES = {"qft": (1, 6), "rqc": (7, 12), "qv": (5, 6), "qaoa": (4, 10), "ising": (5,), "hea": (5, 20), "heisenberg": (6,), "ghz": (5,)}

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    for name, sizes in SIZES.items():
        for n in sizes:
            text = subprocess.run([sys.executable, sys.argv[1], name, str(n), "--format", "flat"], check=True, capture_output=True, text=True).stdout
            with open(os.path.join(here, "families", f"{name}_{n}.flat"), "w") as f:
                f.write(text)
