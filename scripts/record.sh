#!/usr/bin/env bash
# Counts a board for the record on one machine, or takes the ledgers of many, and leaves a folder to publish. If it ends
# too soon, the same command goes on from there.
#
#   bash scripts/record.sh N FOLDER [OPTIONS]      N from 16 to 28
#
#   --shards LEDGERS   publish the finished shards in this folder, and count nothing but the units of the recheck
#   --threads T        the threads; by default one for each CPU
#   --recheck K        the units to count again by the other route; by default 100
#   --plan             only check the machine, and say how long it takes
#   --cron             say nothing if another record.sh is at work in the folder
#
# 1. Checks that memory and disk are enough and that the machine computes right, and prints the time to expect.
# 2. Counts with a ledger. A count that ends too soon is begun again, unless three in a row finish no unit. With --shards
#    all was counted before, by any machines and kernels.
# 3. Writes the archive, adds it up, counts K of its units again, and checks the machine again.
# 4. Writes the page FOLDER/publish/README.md, reads the folder as a reader would, and prints the page.
#
# A file of an earlier run is used again if it still has its checksum in FOLDER/made. Otherwise it is made again.
#
# After a reboot, or if this script is killed, cron begins it again:
#
#   */10 * * * * bash /path/to/scripts/record.sh 28 /path/to/q28 --cron > /dev/null 2>> /path/to/q28.log
#
# NQUEENS_KERNEL and NQUEENS_THREADS apply as to every command of the program. The program is the one that
# NQUEENS_PROGRAM names. If none is named, a checkout builds its own, and elsewhere the nqueens in PATH is taken. The
# program is copied to FOLDER, and this copy is used to the end.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
# The script reads numbers with a decimal point from the output of programs.
export LC_ALL=C

# Reports bad input in one line and exits with 2.
refuse() {
    echo "error: $*" >&2
    exit 2
}

fail() {
    echo "error: $*" >&2
    exit 1
}

# Runs a command in a new process group and waits for it. A signal then takes effect at once, while bash would otherwise
# wait for a command in the foreground. `end_jobs` reaches all processes of the command.
run_apart() {
    local status=0
    set -m
    "$@" < /dev/null &
    set +m
    wait $! || status=$?
    return $status
}

# Ends the command of `run_apart` if the script is interrupted. nqueens needs up to a second of CPU time to end, and on a
# busy machine some more by the clock.
end_jobs() {
    local group
    for group in $(jobs -p); do
        kill -TERM -- "-$group" 2> /dev/null || continue
        timeout 10 tail --pid "$group" --sleep-interval 0.05 --follow /dev/null || true
        # The processes that are left heed no other signal.
        kill -KILL -- "-$group" 2> /dev/null || true
    done
}
trap end_jobs EXIT
trap 'exit 130' INT
trap 'exit 143' HUP QUIT TERM

n='' folder='' shards='' threads=${NQUEENS_THREADS:-} units='' only_plan='' by_cron=''
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"; exit ;;
        --threads | --recheck)
            [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || refuse "$1 needs a number from 1"
            if [ "$1" = --threads ]; then threads=$2; else units=$2; fi
            shift 2 ;;
        --shards)
            shards=$(realpath -e -- "${2:-}" 2> /dev/null) && [ -d "$shards" ] || refuse "--shards needs a folder of ledgers"
            shift 2 ;;
        --plan) only_plan=1; shift ;;
        --cron) by_cron=1; shift ;;
        -*) refuse "unknown option '$1'; bash scripts/record.sh --help lists them" ;;
        *)
            if [ -z "$n" ]; then n=$1; elif [ -z "$folder" ]; then folder=$1; else refuse "'$1' is one argument too many"; fi
            shift ;;
    esac
done
[[ $n =~ ^(1[6-9]|2[0-8])$ ]] || refuse "give N from 16 to 28 and a folder, not '$n'"
[ -n "$folder" ] || refuse "give a folder, as in: bash scripts/record.sh $n q$n"
[ -z "$shards" ] || [ -z "$only_plan" ] || refuse "--plan is for a count on this machine, not for --shards"
if [ -e "$folder" ] && ! [ -d "$folder" ]; then refuse "'$folder' is not a folder"; fi
for tool in flock python3; do type -P $tool > /dev/null || fail "$tool is needed and is not installed"; done
means=(${threads:+--threads "$threads"})

# Tells whether a file of the folder `publish` is as it was made.
is_made() {
    (cd -- "$folder/publish" && [ -f "$1" ] && sha256sum -- "$1" | grep -qxFf - ../made) 2> /dev/null
}

if is_made ../nqueens; then
    program=$folder/nqueens
elif [ -n "${NQUEENS_PROGRAM:=$([ -e "$top/Cargo.toml" ] || echo nqueens)}" ]; then
    program=$(realpath -e -- "$(type -P -- "$NQUEENS_PROGRAM")" 2> /dev/null) ||
        refuse "NQUEENS_PROGRAM: there is no program '$NQUEENS_PROGRAM'"
    # The folder would keep a wrong program to the end.
    case $("$program" --version 2> /dev/null < /dev/null) in
        'nqueens '*) ;;
        *) refuse "NQUEENS_PROGRAM: '$NQUEENS_PROGRAM' is not nqueens" ;;
    esac
else
    run_apart cargo build --manifest-path "$top/Cargo.toml" --release --locked --quiet ||
        fail "this program cannot be built"
    program=$(realpath -- "${CARGO_TARGET_DIR:-$top/target}/release/nqueens")
fi
mkdir -p "$folder/publish" 2> /dev/null || refuse "the folder '$folder' cannot be made"
folder=$(realpath -- "$folder")
# The programs that count do not keep the lock, because they may outlive this script. Short programs keep it for a
# moment.
exec 9> "$folder/lock"
flock --timeout 3 9 || { [ -z "$by_cron" ] || exit 0; fail "another record.sh is at work in '$folder'"; }
# Replaces the characters that a terminal obeys.
printable() { tr -c '[:print:]\n' '?'; }
[ ! -s "$folder/fault" ] || fail "$(head -c 1000 "$folder/fault" | head -n 1 | printable); remove '$folder/fault' once you know why"
# The rows name files. In this folder the names have no path of this machine.
cd "$folder/publish"
archive=$n.jsonl.gz
# A killed program may have left these files behind.
rm -rf "$archive.new" "$archive.new.partial"*

# The first rows of an estimate, of the status of a ledger and of a total. The keys are the columns.
declare -A expected=() now=() total=()
# Reads the first row of CSV on standard input into one of these.
# shellcheck disable=SC2004,SC2034 # `row` is another name of an associative array.
read_row() {
    local -n row=$1
    local column value
    row=()
    while IFS="=" read -r column value; do row[$column]=$value; done < <(
        python3 -S -c '
import csv, sys
for name, value in next(csv.DictReader(sys.stdin), {}).items():
    print(name, value.replace("\n", " "), sep="=")')
}

step() { echo "record: $*" >&2; }

# Gives FILE.new the name FILE when it is whole and on disk, and notes its checksum.
keep() {
    { [ -s "$1.new" ] && sync "$1.new" && mv -T "$1.new" "$1"; } || fail "'$1' cannot be written"
    # Some file systems cannot sync folders.
    sync "$(dirname "$1")" 2> /dev/null || true
    # The line before may be cut, so this one begins with a line end.
    { { echo && sha256sum -- "$1"; } >> ../made && sync ../made; } || fail "'$folder/made' cannot be written"
}

if ! is_made ../nqueens; then
    cp "$program" ../nqueens.new
    keep ../nqueens
fi
program=$folder/nqueens ledger=$folder/$n.jsonl

# Ends a record in which something was computed wrong. The fault is kept, because another run might not find it.
fault() {
    echo "$*" > ../fault
    sync ../fault
    fail "$*"
}

# Writes what a command prints to a file, unless the file is made already. A command that an earlier run left behind
# writes to another file.
make() {
    local file=$1
    shift
    ! is_made "$file" || return 0
    rm -f "$file.new"
    run_apart "$@" > "$file.new" 9>&- || return
    keep "$file"
}

# Checks that this machine computes right, and keeps the rows in a file.
verify() {
    local code=0
    make "$1" "$program" verify "${means[@]}" --format csv --quiet || code=$?
    [ $code -ne 1 ] || fault "this machine computes wrong numbers"
    [ $code -eq 0 ] || fail "the check of the machine ended with exit code $code"
}

free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1000) }')
if ! is_made "$archive" && [ "$free" -lt 1000 ]; then fail "'$folder' has only $free MB free; it needs 1000"; fi
for other in ../[0-9][0-9].jsonl [0-9][0-9].jsonl.gz; do
    case $other in ../"$n".jsonl | "$archive") continue ;; esac
    [ ! -e "$other" ] || refuse "'$folder' is of N = $(basename "${other%.gz}" .jsonl); give another folder"
done
read_estimate() { read_row expected < <(awk 'NR == 1 || /,time,/' ../estimate.csv); }
[ -z "${NQUEENS_KERNEL:-}" ] || step "counts with kernel $NQUEENS_KERNEL (NQUEENS_KERNEL is set)"
if [ -z "$shards" ]; then
    if [ -n "$threads" ] && is_made ../estimate.csv; then
        read_estimate
        if [ "${expected[board]-}" = "$n" ] && [ "${expected[threads]}" != "$threads" ]; then rm ../estimate.csv; fi
    fi
    make ../estimate.csv "$program" estimate "$n" --engine two-color "${means[@]}" --probes 10 --format csv --quiet ||
        fail "no estimate can be made"
    read_estimate
    [ "${expected[board]-}" = "$n" ] || refuse "'$folder' is of N = ${expected[board]-}; give another folder"
    if [ "${expected[outcome]}" != estimated ]; then
        rm ../estimate.csv
        fail "${expected[outcome]}"
    fi
    [ "${expected[kernel]}" != portable ] || step "this CPU lacks AVX2: the count takes three to six times as long as with it"
    step "$(for name in estimate low high threads core_hours thread_memory shared_memory; do echo "${expected[$name]:-0}"; done |
        paste -sd ' ' | awk -v n="$n" '
            # Numbers have three significant digits.
            function of(x, unit) { return sprintf(x < 99.95 ? "%.3g %s" : "%.0f %s", x, unit) }
            function time(s) {
                return s < 600 ? of(s, "s") : s < 6e5 ? of(s / 3600, "h") : s < 6e7 ? of(s / 86400, "days") : of(s / 31557600, "years")
            }
            { printf "N = %d: about %s (%s to %s) on %s, %sand at most %s of memory", n, time($1), time($2), time($3),
                of($4, "thread" ($4 > 1 ? "s" : "")), ($5 > 0 ? of($5, "core-hours") ", " : ""), of(($4 * $6 + $7) / 2^30, "GiB") }')"
fi
[ -z "$only_plan" ] || exit 0
verify ../verified-before.csv

# Reads the status of a ledger, or nothing if there is no ledger yet.
look_at() { read_row now < <("$program" status "$1" --format csv --quiet 2> /dev/null 9>&-); }
in_vain=0
if [ -n "$shards" ]; then
    ledger=$shards
    look_at "$shards"
    [ "${now[board]:-$n}" = "$n" ] || refuse "'$shards' is of N = ${now[board]}, not of $n"
fi
until [ -n "$shards" ] || is_made "$archive" || { look_at "$ledger" && [ "${now[state]-}" = 'done' ]; }; do
    while [ "${now[state]-}" = running ]; do
        step "the count of an earlier run is still at work"
        run_apart sleep 5 9>&-
        look_at "$ledger"
    done
    before=${now[units_done]-} code=0
    step "counts; ${before:-0} units are done"
    run_apart "$program" count "$n" --engine two-color "${means[@]}" --ledger "$ledger" > /dev/null 9>&- || code=$?
    [ $code -ne 2 ] || exit 2
    look_at "$ledger"
    if [ "${now[units_done]-}" = "$before" ]; then in_vain=$((in_vain + 1)); else in_vain=0; fi
    [ $in_vain -lt 3 ] || fail "three counts in a row have finished no unit; the last ended with exit code $code"
    [ $in_vain -eq 0 ] || run_apart sleep $((5 * in_vain)) 9>&-
done

if ! is_made "$archive"; then
    run_apart "$program" merge "$ledger" --archive "$archive.new" --quiet > /dev/null 9>&- ||
        fail "it adds up to no total"
    keep "$archive"
fi
# Files that were made from another archive are made again.
if ! sha256sum "$archive" | cmp -s - SHA256SUMS; then
    ! is_made SHA256SUMS || rm -f total.csv recheck.csv
    rm -f SHA256SUMS
fi
make SHA256SUMS sha256sum "$archive"
make total.csv "$program" merge "$archive" --fundamental --format csv --quiet || fail "it adds up to no total"
rechecked() { tail -n +2 recheck.csv | wc -l; }
if is_made recheck.csv; then
    [ "${units:-$(rechecked)}" = "$(rechecked)" ] || step "$(rechecked) units are counted again already, and no others"
else
    step "counts ${units:=100} units again"
    code=0
    make recheck.csv "$program" recheck "$archive" --units "$units" "${means[@]}" --format csv || code=$?
    [ $code -ne 1 ] || fault "units that were counted again differ, or could not be counted"
    [ $code -eq 0 ] || fail "the recheck ended with exit code $code"
fi
verify ../verified-after.csv

read_row total < total.csv
of() { echo "$1 $2$([ "$1" = 1 ] || echo s)"; }
grouped() { sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta'; }
# Prints the rows of a page that say when, on what and by what the archive was counted.
origin() {
    python3 -S -c '
import collections, gzip, json, sys, time
counted, versions, until = collections.Counter(), set(), 0
for line in map(json.loads, gzip.open(sys.argv[1], "rt", encoding="utf-8")):
    if "run" in line:
        run = line["run"]
        versions.add(run["program_version"])
    elif "unit" in line:
        counted[", ".join(filter(None, [run.get("cpu"), "kernel " + run["kernel"], run.get("device")]))] += 1
        until = max(until, run["begun"] + line["unit"]["at"])
print("| counted until |", time.strftime("%Y-%m-%d", time.gmtime(until)), "|")
for name, units in counted.most_common():
    print("| on", name.replace("|", "/"), f"| {units:,} units |")
print("| by | nqueens", ", ".join(sorted(versions)), "|")' "$archive"
}
page() {
    printable << END
# Q($n) = $(grouped <<< "${total[total]}")

| | |
|---|---|
| all solutions | $(grouped <<< "${total[total]}") |
| up to symmetry | $(grouped <<< "${total[fundamental]}") |
| unchanged by a half turn, a quarter turn | $(grouped <<< "${total[half_turn]}"), $(grouped <<< "${total[quarter_turn]}") |
| the published count | ${total[verdict]} |
| archive, with its SHA-256 | [\`$archive\`]($archive), \`$(cut -d ' ' -f 1 SHA256SUMS)\` |
| units, core-hours | $(grouped <<< "${total[units]}"), $(awk '{ printf $1 < 100 ? "%.3g" : "%.0f", sprintf("%.2e", $1) }' <<< "${total[core_hours]}")${total[device_hours]:+, and ${total[device_hours]} hours of devices} |
$(origin)
| counted again on this machine | $(of "$(rechecked)" unit), which agree ([\`recheck.csv\`](recheck.csv)) |

\`nqueens verify\` found no fault on this machine before and after. To add up the archive, and to count some or all of it again:

    nqueens merge $archive --fundamental
    nqueens recheck $archive --units 300
    nqueens recheck $archive --all
END
}
page > README.md.new
cmp -s README.md.new README.md || keep README.md
rm -f README.md.new

# These are the checks of a reader.
{ sha256sum --check --status --strict SHA256SUMS && grep -qF "$(cut -d ' ' -f 1 SHA256SUMS)" README.md &&
    [ "$("$program" merge "$archive" --quiet)" = "${total[total]}" ] &&
    grep -qF "# Q($n) = $(grouped <<< "${total[total]}")" README.md && [ "$(rechecked)" -gt 0 ]; } ||
    fail "'$PWD' is not whole; give the same command again"
cat README.md
