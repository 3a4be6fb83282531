#!/usr/bin/env bash
# Times other N-Queens counters, which you have built, side by side with this program. All are pinned to the same CPUs
# and run in turn in every round, in reverse order in every other round. Each must print the published count. A program
# that prints another number or fails is reported without times, and the exit code is 1.
#
#   bash scripts/compare-peers.sh [OPTIONS] NAME=COMMAND...
#   bash scripts/compare-peers.sh --show FILE.csv      shows such a table in Markdown, with a column for each board
#
#   NAME=COMMAND          a program: its name in the table, and its command line, in which {N} is the size of the board.
#                         The command line is split at blanks and not read by a shell, e.g. 'somers=./somers {N}'.
#                         Set variables, also for the number of threads, with env:
#                         'peer=env OMP_NUM_THREADS=1 ./peer {N}'
#   --boards N,...        the boards; by default 14,15,16
#   --rounds R            the number of timed counts of each program, after one that is not timed; by default 5
#   --threads T           the threads of this program, and the CPUs that each program may use; by default 1
#   --limit SECONDS       skip larger boards for a program whose first count of a board took longer; by default 60
#   --own LABEL=ARGUMENTS rows of this program instead of its three (the engine `auto`, the backtracker, its scalar
#                         kernel), e.g. 'two-color=count {N} --threads 1 --engine two-color'; may be repeated
#   --output FILE         write the table to this file instead of standard output
#
# The table is CSV. seconds, fastest and slowest are the median, the shortest and the longest elapsed time. cpu_seconds
# is the median processor time. times_ours is the ratio of seconds to those of the first row of this program for the
# same board. NQUEENS_PROGRAM names a program that is already built.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

# Shows the medians, with their ratios to ours in brackets.
show() {
    awk "$fields_of"'
        { fields = fields_of($0, field) }
        NR == 1 { for (i = 1; i <= fields; i++) column[field[i]] = i; next }
        {
            program = field[column["program"]]; n = field[column["board"]]; ratio = field[column["times_ours"]]
            gsub(/\|/, "\\|", program)
            if (!(program in programs)) { programs[program]; names[++number] = program }
            if (!(n in boards)) { boards[n]; sizes[++columns] = n }
            seconds = field[column["seconds"]]
            time = seconds < 0.9995 ? 1000 * seconds : seconds
            shown = sprintf(time < 999.5 ? "%#.3g" : "%.0f", time)
            sub(/\.$/, "", shown)
            cell[program, n] = shown (seconds < 0.9995 ? " ms" : " s")
            if (ratio != "") cell[program, n] = cell[program, n] sprintf(" (%.1f)", ratio)
        }
        END {
            if (!number) exit 1
            printf "| program |"
            for (k = 1; k <= columns; k++) printf " N = %d |", sizes[k]
            printf "\n|---|"
            for (k = 1; k <= columns; k++) printf "---|"
            print ""
            for (i = 1; i <= number; i++) {
                printf "| %s |", names[i]
                for (k = 1; k <= columns; k++)
                    printf " %s |", (names[i], sizes[k]) in cell ? cell[names[i], sizes[k]] : "-"
                print ""
            }
        }' < "$1"
}

boards=14,15,16 rounds=5 threads=1 limit=60 output='' owns=() peers=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"; exit ;;
        --boards | --rounds | --threads | --limit | --own | --output)
            [ $# -gt 1 ] || refuse "$1 needs a value"
            case $1 in
                --boards) boards=$2 ;;
                --rounds) rounds=$2 ;;
                --threads) threads=$2 ;;
                --limit) limit=$2 ;;
                --own) owns+=("$2") ;;
                --output) output=$2; [ -n "$output" ] || refuse "--output needs the name of a file" ;;
            esac
            shift 2 ;;
        --show)
            [ $# -eq 2 ] || refuse "--show needs the name of a table, and nothing else"
            head -n 1 -- "$2" 2> /dev/null | grep -q '^program,.*times_ours' || refuse "--show $2: there is no such table"
            show "$2" || fail "--show $2: the table is empty"
            exit ;;
        -*) refuse "unknown option '$1'; bash scripts/compare-peers.sh --help lists them" ;;
        *) peers+=("$1"); shift ;;
    esac
done
[[ $rounds =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--rounds $rounds: give a number from 1 to 9999"
[[ $threads =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--threads $threads: give a number from 1 to 9999"
[[ $limit =~ ^[0-9]{1,9}(\.[0-9]{1,9})?$ ]] || refuse "--limit $limit: give a number of seconds"
[[ $boards =~ ^[0-9]+(,[0-9]+)*$ ]] || refuse "--boards $boards: give sizes of boards, as 14,15,16"
[ ${#peers[@]} -gt 0 ] || refuse "give a program to compare with, as NAME=COMMAND, e.g. 'somers=./somers {N}'"

declare -A published
while IFS=, read -r n total _; do
    published[$n]=$total
done < <(grep -v '^#' "$top/results/published.csv")
mapfile -t sizes < <(tr , '\n' <<< "$boards")
for n in "${sizes[@]}"; do
    [[ $n =~ ^[1-9][0-9]?$ && -n ${published[$n]:-} ]] || refuse "--boards $boards: no count is published for N = $n; give 1 to 27"
done
# In ascending order, because a program that is slow on a board is left out for larger ones.
mapfile -t sizes < <(printf '%s\n' "${sizes[@]}" | sort -nu)

# The first rows are those of this program.
own_given=${owns[*]+yes}
if [ ${#owns[@]} -eq 0 ]; then
    owns=("nqueens=count {N} --threads $threads"
        "nqueens backtrack=count {N} --threads $threads --engine backtrack"
        "nqueens scalar=count {N} --threads $threads --engine backtrack --kernel scalar")
fi
labels=() commands=()
for given in "${owns[@]}" "${peers[@]}"; do
    label=${given%%=*} command=${given#*=}
    [[ $given == ?*=* && $label != *[[:cntrl:]]* ]] || refuse "'$given' is not NAME=COMMAND"
    [[ $command == *'{N}'* ]] || refuse "'$given' does not say where the size of the board goes; put {N} there"
    for other in "${labels[@]}"; do
        [ "$other" != "$label" ] || refuse "two programs have the name '$label'"
    done
    labels+=("$label") commands+=("$command")
done

# Sets `words` to the command line of a program for a board.
command_line() {
    local command=${commands[$1]//'{N}'/$2}
    # A command line may be broken into several lines.
    read -r -d '' -a words <<< "$command" || true
    if [ "$1" -lt ${#owns[@]} ]; then words=("$program" "${words[@]}"); fi
}

for ((i = ${#owns[@]}; i < ${#labels[@]}; i++)); do
    for n in "${sizes[@]}"; do
        command_line "$i" "$n"
        can_be_run "${words[0]}" || refuse "${labels[i]}: there is no program '${words[0]}'"
    done
done
[ -z "${NQUEENS_PROGRAM:-}" ] || own_program

need taskset
mapfile -t cpus < <(allowed_cpus)
[ "$threads" -le ${#cpus[@]} ] || refuse "--threads $threads: this process may use ${#cpus[@]} CPUs"

work='' new_output=''
clean_up() {
    end_jobs
    if [ -n "$work" ]; then rm -rf "$work"; fi
    # The file was created only to check that it can be.
    if [ -n "$new_output" ]; then rm -f "$output"; fi
}
end_with_clean_up
if [ -n "$output" ]; then
    [ -e "$output" ] || new_output=1
    { true >> "$output"; } 2> /dev/null || refuse "--output $output: cannot be written"
fi
work=$(mktemp -d)

own_program
ours=$("$program" count 4 --format csv --quiet < /dev/null) || fail "'$program' does not count"
machine=$(csv_field cpu <<< "$ours")
version=$(csv_field program_version <<< "$ours")

# From here on, this process and its children run on the same CPUs.
cpu_list=$(IFS=,; echo "${cpus[*]:0:threads}")
taskset -cp "$cpu_list" $$ > /dev/null

# Succeeds if standard input contains the number, and not only as a part of a longer number, a fraction or a word.
# Groups of three digits may be separated by commas or apostrophes.
says() {
    awk -v wanted="$1" '
        { gsub(/[^0-9A-Za-z_.,\047-]/, " ")
          for (i = 1; i <= NF; i++) {
              sub(/^[,\047]+/, "", $i)
              sub(/[.,\047]+$/, "", $i)
              if ($i ~ /^[0-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+$/ || $i ~ /^[0-9][0-9]?[0-9]?(\047[0-9][0-9][0-9])+$/)
                  gsub(/[,\047]/, "", $i)
              parts = split($i, part, /[,\047]/)
              for (k = 1; k <= parts; k++) if (part[k] "" == wanted "") found = 1
          } }
        END { exit !found }'
}

# Runs a command and records its exit code, its elapsed seconds and its processor time.
timed() {
    local TIMEFORMAT='%U %S' status=0 begun=$EPOCHREALTIME
    { time "$@" > "$work/out" 2> "$work/err"; } 2> "$work/cpu" || status=$?
    local ended=$EPOCHREALTIME
    # If a signal ended the command, bash prints a message before the times.
    tail -n 1 "$work/cpu" | awk -v status=$status -v begun="$begun" -v ended="$ended" \
        '{ printf "%d %.6f %.3f\n", status, ended - begun, $1 + $2 }' > "$work/timed"
}

# Counts once. Sets `seconds`, or `problem` if it fails.
count() {
    local status cpu words last
    command_line "$1" "$2"
    run_apart timed "${words[@]}"
    read -r status seconds cpu < "$work/timed"
    problem=
    if [ "$status" -ne 0 ]; then
        problem="ended with exit code $status"
    elif ! cat "$work/out" "$work/err" | says "${published[$2]}"; then
        problem="did not print the published count, ${published[$2]}"
    elif [ "$3" -gt 0 ]; then
        echo "$seconds $cpu" >> "$work/$1.$2"
    fi
    if [ -n "$problem" ]; then
        last=$(cat "$work/err" "$work/out" | awk 'NF { last = $0 } END { print substr(last, 1, 200) }')
        problem="N = $2: $problem; ${last:+its last line: }${last:-it printed nothing}"
    fi
}

declare -A problems too_slow
for n in "${sizes[@]}"; do
    for ((round = 0; round <= rounds; round++)); do
        mapfile -t order < <(seq 0 $((${#labels[@]} - 1)))
        if ((round % 2)); then mapfile -t order < <(printf '%s\n' "${order[@]}" | tac); fi
        said=
        for i in "${order[@]}"; do
            if [ -n "${problems[$i]:-}" ] || [ "${too_slow[$i]:-$n}" -lt "$n" ]; then continue; fi
            count "$i" "$n" "$round"
            if [ -n "$problem" ]; then
                problems[$i]=$problem
                said+="; ${labels[i]} has no right count"
                continue
            fi
            said+="; ${labels[i]} $seconds"
            if [ "$round" -eq 0 ] && awk -v s="$seconds" -v l="$limit" 'BEGIN { exit !(s > l) }'; then too_slow[$i]=$n; fi
        done
        if [ "$round" -eq 0 ]; then name=warm-up; else name="round $round of $rounds"; fi
        echo "N = $n, $name${said/#;/:}" >&2
    done
done

quoted() {
    case $1 in
        *[,\"]*) printf '"%s"' "${1//\"/\"\"}" ;;
        *) printf '%s' "$1" ;;
    esac
}

# The origin has options and names only, because a command line contains paths of this machine.
origin="measured $(date -u +%F), nqueens $version: scripts/compare-peers.sh --boards $boards --rounds $rounds --threads $threads"
origin+=" --limit $limit"
for ((i = 0; i < ${#labels[@]}; i++)); do
    if [ "$i" -ge ${#owns[@]} ]; then origin+=" '${labels[i]}=...'"
    elif [ -n "$own_given" ]; then origin+=" --own '${labels[i]}=...'"
    fi
done

{
    echo program,machine,threads,board,seconds,fastest,slowest,cpu_seconds,rounds,times_ours,source
    for n in "${sizes[@]}"; do
        base=
        for ((i = 0; i < ${#labels[@]}; i++)); do
            times=$work/$i.$n
            if [ -n "${problems[$i]:-}" ] || ! [ -s "$times" ]; then continue; fi
            seconds=$(median "$times" 1)
            if [ "$i" -eq 0 ]; then base=$seconds; fi
            ratio=$(awk -v s="$seconds" -v b="$base" 'BEGIN { if (b > 0) printf "%.3f", s / b }')
            fastest=$(sort -n "$times" | head -n 1 | cut -d ' ' -f 1)
            slowest=$(sort -n "$times" | tail -n 1 | cut -d ' ' -f 1)
            printf '%s,%s,%d,%d,%.6f,%s,%s,%.3f,%d,%s,%s\n' "$(quoted "${labels[i]}")" "$(quoted "$machine")" \
                "$threads" "$n" "$seconds" "$fastest" "$slowest" "$(median "$times" 2)" "$rounds" "$ratio" "$(quoted "$origin")"
            echo "$i $n $seconds $ratio" >> "$work/summary"
        done
    done
} > "$work/table.csv"
if [ -n "$output" ]; then
    # If the file cannot be written, print the table, so that the measurement is not lost.
    cat "$work/table.csv" > "$output" || { cat "$work/table.csv"; fail "--output $output: it cannot be written"; }
    new_output=
else
    cat "$work/table.csv"
fi

{
    width=$(printf '%s\n' program "${labels[@]}" | wc -L)
    printf "\nseconds, medians of %d, and how many times ours; %s, CPU %s\n%-${width}s" "$rounds" "$machine" "$cpu_list" program
    printf '  %19s' "${sizes[@]/#/N = }"
    echo
    for ((i = 0; i < ${#labels[@]}; i++)); do
        printf "%-${width}s" "${labels[i]}"
        for n in "${sizes[@]}"; do
            cell=$(awk -v i="$i" -v n="$n" '$1 == i && $2 == n { printf "%.3f %9s", $3, $4 == "" ? "" : $4 "x" }' \
                "$work/summary" 2> /dev/null || true)
            printf '  %19s' "${cell:--}"
        done
        echo
    done
    for ((i = 0; i < ${#labels[@]}; i++)); do
        if [ -n "${too_slow[$i]:-}" ] && [ "${too_slow[$i]}" -lt "${sizes[-1]}" ]; then
            echo "${labels[i]}: N = ${too_slow[$i]} took longer than $limit s; it is left out for larger boards"
        fi
    done
} >&2
failed=
for ((i = 0; i < ${#labels[@]}; i++)); do
    if [ -n "${problems[$i]:-}" ]; then
        echo "error: ${labels[i]}: ${problems[$i]}" >&2
        failed=1
    fi
done
[ -z "$failed" ]
