#!/usr/bin/env bash
# A Slurm of one machine for tests: its own munge, one controller, two node daemons. Needs root, slurm-wlm and munge.
#   bed.sh start DIR    starts it; `export SLURM_CONF=DIR/slurm.conf` then makes srun, sbatch and salloc use it
#   bed.sh stop DIR     ends what start started
set -euo pipefail
action=${1:?start or stop}
dir=${2:?a folder of its own}

alive() { [ -s "$1" ] && kill -0 "$(cat "$1")" 2>/dev/null; }

start() {
  { command -v slurmctld && command -v munged; } >/dev/null || { echo "no Slurm here" >&2; exit 77; }
  [ "$(id -u)" = 0 ] || { echo "the test bed needs root" >&2; exit 77; }
  mkdir -p "$dir"/{state,spool0,spool1}
  dir=$(cd "$dir" && pwd)
  chmod 755 "$dir"
  local host port cpus memory
  host=$(hostname -s)
  port=${KETMESH_SLURM_PORT:-17817}
  cpus=$(nproc)
  memory=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 2048))
  head -c 1024 /dev/urandom >"$dir/munge.key"
  chmod 600 "$dir/munge.key"
  munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munge.seed"
  cat >"$dir/slurm.conf" <<CONF
ClusterName=ketmesh
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
SlurmctldTimeout=30
SlurmdTimeout=30
KillWait=2
NodeName=km0 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$((cpus * 4)) RealMemory=$memory
NodeName=km1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$((cpus * 4)) RealMemory=$memory
PartitionName=test Nodes=km0,km1 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
CONF
  mkdir -p "$dir/spoolkm0" "$dir/spoolkm1"
  export SLURM_CONF=$dir/slurm.conf
  slurmctld -f "$dir/slurm.conf"
  slurmd -N km0 -f "$dir/slurm.conf"
  slurmd -N km1 -f "$dir/slurm.conf"
  for _ in $(seq 60); do
    [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && return 0
    sleep 0.5
  done
  sinfo -N -l >&2 || true
  tail -n 5 "$dir"/*.log >&2
  exit 1
}

stop() {
  local name
  export SLURM_CONF=$dir/slurm.conf
  scancel --full --user root 2>/dev/null || true
  for name in slurmd-km0 slurmd-km1 slurmctld munged; do
    if alive "$dir/$name.pid"; then kill "$(cat "$dir/$name.pid")" 2>/dev/null || true; fi
  done
  for _ in $(seq 20); do
    alive "$dir/slurmctld.pid" || alive "$dir/munged.pid" || return 0
    sleep 0.25
  done
}

case $action in
  start) start ;;
  stop) stop ;;
  *) echo "bed.sh start|stop DIR" >&2; exit 1 ;;
esac
