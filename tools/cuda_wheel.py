#!/usr/bin/env python3
"""The wheel ketmesh-cuda13: a built libketmesh_cuda.so that installs into ketmesh/lib, where the library looks for its plugins first.

    cuda_wheel.py PLUGIN OUTPUT

It belongs to the wheel of the same version and is the same for every Python. The CUDA runtime is linked in; the driver is the machine's.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME, TAG = "ketmesh_cuda13", "py3-none-manylinux_2_34_x86_64"


def main():
    plugin, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = re.search(r"project\(ketmesh VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    info = f"{NAME}-{version}.dist-info"
    metadata = (
        "Metadata-Version: 2.1\n"
        f"Name: {NAME.replace('_', '-')}\nVersion: {version}\n"
        "Summary: The CUDA 13 plugin of ketmesh\nLicense: Apache-2.0\nRequires-Python: >=3.10\n"
        f"Requires-Dist: ketmesh=={version}\n"
    )
    files = {
        "ketmesh/lib/libketmesh_cuda.so": plugin.read_bytes(),
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: cuda_wheel\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = out / f"{NAME}-{version}-{TAG}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    print(wheel)


if __name__ == "__main__":
    main()
