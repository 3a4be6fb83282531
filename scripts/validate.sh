#!/usr/bin/env bash
# Checks the files that no compiler and no test reads, with cargo-deny, actionlint and shellcheck: licenses and sources
# of the dependencies, workflows of the hosted CI, shell scripts. Also checks the links of the documents, that all files
# name the same version, and that python/LICENSES has the license of every crate.
#
#   bash scripts/validate.sh                 all but the security advisories
#   bash scripts/validate.sh --advisories    these too; the database of advisories is downloaded from github.com
#
# The validators are Python packages. They are installed below the target directory, in the versions and with the hashes
# that scripts/validators/tools.txt lists. To change them, edit tools.in and run
#
#   uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
#       scripts/validators/tools.in -o scripts/validators/tools.txt
set -euo pipefail
cd "$(dirname "$0")/.."

case "$*" in
    '') checks=(licenses bans sources) ;;
    --advisories) checks=(licenses bans sources advisories) ;;
    *) echo "usage: bash scripts/validate.sh [--advisories]" >&2; exit 2 ;;
esac

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
tools=${CARGO_TARGET_DIR:-target}/validators/tools
environment "$tools" scripts/validators/tools.txt
# actionlint calls shellcheck for the commands of a workflow.
PATH=$(realpath "$tools/bin"):$PATH

run cargo-deny --locked --workspace check "${checks[@]}"
run actionlint
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
run shellcheck --external-sources "${scripts[@]}"
run bash scripts/release/check-version.sh
run "$python" scripts/links.py
run "$python" scripts/release/licenses.py --check
echo "== all files are valid"
