#!/usr/bin/env bash
# Prints what CHANGELOG.md says about the newest version.
set -euo pipefail
awk '/^## / { sections++; next } sections == 1' "$(dirname "$0")/../../CHANGELOG.md"
