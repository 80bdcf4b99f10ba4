#!/usr/bin/env bash
# Runs what was built elsewhere on a machine with GPUs; tools/device_check.py has the parts and their words.
#   tools/device_check.sh --prefix DIR [--gpus N] [--only PART] [--out FILE] [--seconds S]
exec python3 "$(dirname "${BASH_SOURCE[0]}")/device_check.py" "$@"
