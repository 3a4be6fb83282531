#!/usr/bin/env bash
# Generates again what is derived from the measurements in results/: the tables between these lines of Markdown files
#
#     <!-- COMMAND -->
#     <!-- end -->
#
# and the pictures that their commands write, whose names end with .svg. COMMAND is `nqueens compare ...`, `python3
# scripts/...` or `bash scripts/...`. It is run in the top directory, and its output becomes the table.
#
#   bash scripts/refresh-results.sh           writes what has changed
#   bash scripts/refresh-results.sh --check   writes nothing, names every file that is stale, and exits with 1 if one is
#
# NQUEENS_PROGRAM names a program that is already built.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

check=
case "$*" in
    '') ;;
    --check) check=1 ;;
    *) echo "usage: bash scripts/refresh-results.sh [--check]" >&2; exit 2 ;;
esac
made=''
clean_up() {
    end_jobs
    if [ -n "$made" ]; then rm -rf "$made"; fi
}
end_with_clean_up
own_program
cd "$top"
# Environment variables must not add options to the commands.
unset "${!NQUEENS_@}"
export NQUEENS_PROGRAM=$program PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8

made=$(mktemp -d)

# Runs the command of a block. Files that it writes go to $made.
run_block() {
    local words word command=()
    read -ra words <<< "$1"
    for word in "${words[@]}"; do
        case /$word/ in
            //*.svg/ | */../*.svg/) return 2 ;;
            *.svg/)
                mkdir -p "$made/$(dirname "$word")"
                word=$made/$word ;;
        esac
        command+=("$word")
    done
    case "$1" in
        'nqueens compare '*) command[0]=$program ;;
        'bash scripts/'* | 'python3 scripts/'*) ;;
        *) return 2 ;;
    esac
    "${command[@]}" < /dev/null 2> "$made/.errors" || {
        cat "$made/.errors" >&2
        return 1
    }
}

# Prints a Markdown file with its blocks generated again.
render() {
    local file=$1 line end
    while IFS= read -r line || [ -n "$line" ]; do
        printf '%s\n' "$line"
        if [[ $line =~ ^'<!-- '((nqueens|python3|bash)' '.*)' -->'$ ]]; then
            run_block "${BASH_REMATCH[1]}" || {
                echo "error: $file: this command failed: ${BASH_REMATCH[1]}" >&2
                return 1
            }
            end=
            while IFS= read -r line; do
                if [ "$line" = '<!-- end -->' ]; then end=1; break; fi
            done
            if [ -z "$end" ]; then echo "error: $file: a block has no line '<!-- end -->'" >&2; return 1; fi
            printf '%s\n' "$line"
        fi
    done < "$file"
}

for file in *.md */*.md; do
    if grep -q '^<!-- \(nqueens\|python3\|bash\) ' "$file"; then
        mkdir -p "$made/$(dirname "$file")"
        render "$file" > "$made/$file"
    fi
done

stale='' orphan=''
while IFS= read -r file; do
    if ! cmp -s "$made/$file" "$file"; then
        stale=1
        if [ -n "$check" ]; then
            echo "$file is stale: run bash scripts/refresh-results.sh"
        else
            cp "$made/$file" "$file"
            echo "$file"
        fi
    fi
done < <(cd "$made" && rm -f .errors && find . -type f | sed 's|^\./||' | sort)
while IFS= read -r file; do
    if [ ! -e "$made/$file" ]; then
        orphan=1
        echo "$file is made by no command in a Markdown file: say there how it is made, or remove it"
    fi
done < <(find results -name '*.svg' | sort)
if [ -n "$orphan" ] || { [ -n "$check" ] && [ -n "$stale" ]; }; then exit 1; fi
if [ -n "$check" ]; then
    echo "everything derived from the measurements is as they say"
fi
