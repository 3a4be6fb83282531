#!/usr/bin/env bash
# Checks the files that no compiler and no test reads, each with a validator of its own: licenses and sources of the
# dependencies, workflows of the hosted CI, citation, container, Kubernetes manifest, profile for the Phoronix Test
# Suite, shell scripts. Also checks the links of the documents, and that all files name the same version.
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

schema() { run check-jsonschema --builtin-schema "vendor.$1" "${@:2}"; }

run cargo-deny --locked --workspace check "${checks[@]}"
run actionlint
# zizmor runs offline, because what it asks the network is not needed to check the files.
run zizmor --offline --quiet .github
schema github-workflows .github/workflows/*.yml
schema dependabot .github/dependabot.yml
schema github-issue-forms .github/ISSUE_TEMPLATE/*-*.yml
schema github-issue-config .github/ISSUE_TEMPLATE/config.yml
schema citation-file-format CITATION.cff
run hadolint Dockerfile
run kubernetes-validate --strict examples/kubernetes.yaml
run "$python" -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(file) for file in sys.argv[1:]]' benches/phoronix/*/*.xml
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
run shellcheck --external-sources "${scripts[@]}"
run bash scripts/release/check-version.sh
run "$python" scripts/links.py
echo "== all files are valid"
