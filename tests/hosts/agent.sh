#!/bin/sh
# What an mpirun calls instead of ssh: agent.sh [-OPTIONS] HOST COMMAND...
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec "$(dirname "$0")/bed.sh" on "$host" sh -c "$*"
