#!/usr/bin/env bash
# Several hosts on one machine, for tests: each is a network namespace with a name of its own (a UTS namespace; else an MPI takes all for one node),
# joined by veth pairs and a bridge. Needs root and iproute2.
#   bed.sh up N [RATE]     hosts kmh0 .. kmh(N-1) at 10.77.0.1 ..; RATE limits each link, e.g. 200mbit
#   bed.sh down            removes them
#   bed.sh cut HOST        takes the link of a host down
#   bed.sh on HOST COMMAND [ARGUMENTS]   runs a command there
set -euo pipefail
run=/run/ketmesh-hosts

up() {
  local count=$1 rate=${2:-} i
  { [ "$(id -u)" = 0 ] && command -v ip >/dev/null; } || { echo "the test bed needs root and iproute2" >&2; exit 77; }
  mkdir -p "$run"
  ip link add kmbr type bridge 2>/dev/null || { echo "no bridges here" >&2; exit 77; }
  ip link set kmbr up
  for ((i = 0; i < count; ++i)); do
    ip netns add "kmh$i"
    mkdir -p "/etc/netns/kmh$i"
    { echo "127.0.0.1 localhost"; for ((k = 0; k < count; ++k)); do echo "10.77.0.$((k + 1)) kmh$k"; done; } >"/etc/netns/kmh$i/hosts"
    touch "$run/uts$i"
    unshare --uts="$run/uts$i" hostname "kmh$i"
    ip link add "kmv$i" type veth peer name eth0 netns "kmh$i"
    ip link set "kmv$i" master kmbr up
    ip -n "kmh$i" addr add "10.77.0.$((i + 1))/24" dev eth0
    ip -n "kmh$i" link set eth0 up
    ip -n "kmh$i" link set lo up
    if [ -n "$rate" ]; then ip netns exec "kmh$i" tc qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 50ms; fi
  done
}

down() {
  local name
  for name in "$run"/uts*; do
    [ -e "$name" ] || continue
    umount "$name" 2>/dev/null || true
    rm -f "$name"
  done
  for name in $(ip netns list | awk '/^kmh/ {print $1}'); do
    ip netns del "$name"
    rm -rf "/etc/netns/$name"
  done
  # A namespace lives on as long as a process is in it: its link is taken away by itself.
  for name in $(ip -o link show type veth | sed -n 's/^[0-9]*: \(kmv[0-9]*\)@.*/\1/p'); do ip link del "$name"; done
  ip link del kmbr 2>/dev/null || true
}

on() {
  local host=$1
  shift
  exec ip netns exec "$host" nsenter --uts="$run/uts${host#kmh}" "$@"
}

case ${1:-} in
  up) up "${2:?number of hosts}" "${3:-}" ;;
  down) down ;;
  cut) ip -n "${2:?host}" link set eth0 down ;;
  on) shift; on "$@" ;;
  *) echo "bed.sh up N [RATE] | down | cut HOST | on HOST COMMAND" >&2; exit 1 ;;
esac
