#!/usr/bin/env bash
# Runs a command in a Slurm of its own: munged, slurmctld and slurmd on the loopback interface, with one node of two CPUs
# whose configuration, state, logs and sockets are in FOLDER. Waits until no job is left, and ends the daemons.
#
#   bash slurm.sh FOLDER COMMAND...
set -euo pipefail
folder=$(realpath "$1")
shift
PATH=$PATH:/usr/sbin # where Debian has daemons
export SLURM_CONF=$folder/slurm.conf

mkdir "$folder"/{state,spool}
(umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
host=$(hostname -s) user=$(id -un) port=$((20000 + 2 * ($$ % 10000)))
# config_overrides allows two CPUs on any machine. cred_expire is the time that a requeued task waits.
cat > "$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
SlurmUser=$user
SlurmdUser=$user
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=5
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
END

# The controller starts jobs, so it ends first. The others need munged to communicate, so munged ends last.
daemons=()
end() { for daemon in "${daemons[@]}"; do kill -9 "$daemon" && wait "$daemon"; done 2> /dev/null || true; }
trap end EXIT
start() {
    "$@" > "$folder/$1.log" 2>&1 < /dev/null &
    daemons=($! "${daemons[@]}")
}
# A machine that is busy may take long; a minute is too long.
until_true() {
    local tries
    for ((tries = 0; tries < 600; tries++)); do
        if "$@"; then return; fi
        sleep 0.1
    done
    tail -n 5 "$folder"/*.log >&2
    exit 1
}
is_idle() { [ "$(sinfo --noheader --format=%T 2> /dev/null)" = idle ]; }
is_empty() { [ -z "$(squeue --noheader 2>&1)" ]; }

# Without --force, munged requires that every folder above its files belongs to the user or to root.
start munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munge.pid" --seed-file="$folder/munge.seed"
until_true test -S "$folder/munge.socket"
start slurmd -D
start slurmctld -D -i
until_true is_idle
"$@"
until_true is_empty
