#!/usr/bin/env bash
# From nothing to a report: record a program, show what it did, write its page.
source "$(dirname "$0")/common.sh"

RANKS=4
# Open MPI 4 and 5: as root too, and with more ranks than cores. Other launchers do not look.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

need_program
have cc || fail "the demo needs a C compiler, cc"
rm -rf demo-out/run demo-out/job.*
mkdir -p demo-out/run
program=$PWD/scripts/demo.c
cd demo-out/run

# With MPI where it works, else with processes of its own.
with_mpi() {
    have mpicc && have mpirun || return 1
    mpicc -O2 -DWITH_MPI -o simulation "$program" && timeout 10 mpirun -n $RANKS ./simulation check
}
if with_mpi >/dev/null 2>&1; then
    command=(mpirun -n $RANKS ./simulation)
else
    cc -O2 -o simulation "$program"
    command=(./simulation)
fi

run() {
    printf '\n$ marigraph %s\n' "$*"
    "$MARIGRAPH" "$@"
}
run record --trace -o ../job -- "${command[@]}"
cd ..
rm -rf run
run show job.darshan
run report job.darshan -o job.html
run period job.mari
run show --tree job.mari | sed '/^  [^ ].*: /,$d' # the order of calls, without their values

cat <<END

What to look at, in $PWD:
  job.html      the page: open it in a browser (it needs no network)
  job.darshan   its counters and operations: other Darshan tools read it
  job.mari      every call in $(wc -c <job.mari) bytes: marigraph show [--tree] job.mari
The program was scripts/demo.c. Yours: marigraph record --trace -o NAME -- COMMAND...
END
