#!/usr/bin/env bash
# Builds and tests the Python package in python/. The tools are Python packages, which are installed below the target
# directory, in the versions and with the hashes that python/tests/requirements.txt lists. To change them, edit the .in
# file and run `uv pip compile` as scripts/validate.sh says.
#
#   bash scripts/python.sh test [ARGUMENT...]    builds the package quickly and runs its tests; pytest gets the arguments
#   bash scripts/python.sh build                 makes the wheel and the source distribution in dist/python
#   bash scripts/python.sh check                 installs each of these in a clean environment, and runs the notebook
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "usage: bash scripts/python.sh test [ARGUMENT...] | build | check" >&2
    exit 2
}

# shellcheck source=scripts/environment.sh
source scripts/environment.sh
target=$(realpath -m -- "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target
environment "$target/python/tools" python/tests/requirements.txt
tools=$target/python/tools/bin

maturin() { "$tools/maturin" "$1" --quiet --manifest-path python/Cargo.toml "${@:2}"; }

case "${1-}" in
    test)
        rm -rf "$target/python/wheel"
        maturin build --locked --profile dev --interpreter "$tools/python" --compatibility linux --out "$target/python/wheel"
        "$tools/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps --no-index \
            "$target"/python/wheel/*.whl
        # NQUEENS_PROGRAM is a program whose documents are compared with those of the package.
        if [ -n "${NQUEENS_PROGRAM:-}" ]; then
            NQUEENS_PROGRAM=$(realpath -- "$NQUEENS_PROGRAM")
        fi
        "$tools/python" -m pytest -q --import-mode=importlib -p no:cacheprovider -o faulthandler_timeout=120 \
            python/tests "${@:2}"
        ;;
    build)
        [ $# = 1 ] || usage
        rm -rf dist/python
        trap 'rm -f python/nqueens/LICENSES' EXIT
        { cat LICENSE-MIT LICENSE-APACHE; "$python" scripts/release/licenses.py python/Cargo.toml; } > python/nqueens/LICENSES
        # Wheels for Linux run on all but very old systems if they are linked as if on one; zig does that.
        options=(--interpreter "$tools/python")
        if [ "$(uname)" = Linux ]; then
            "$tools/pip" install --quiet --disable-pip-version-check ziglang==0.16.0
            PATH=$tools:$PATH
            options+=(--zig --compatibility manylinux2014)
        fi
        maturin build --locked --release --out dist/python "${options[@]}"
        maturin sdist --out dist/python
        ls -l dist/python
        ;;
    check)
        [ $# = 1 ] || usage
        for file in dist/python/*.whl dist/python/*.tar.gz; do
            clean=$target/python/clean
            rm -rf "$clean"
            "$python" -m venv "$clean"
            echo "== $file"
            "$clean/bin/pip" install --quiet --disable-pip-version-check "$file"
            # Outside the checkout, whose folder python/nqueens is not the package.
            (cd / && "$clean/bin/python" -c 'import nqueens; assert nqueens.count(12) == 14200; print(nqueens.__file__)')
        done
        "$clean/bin/pip" install --quiet --disable-pip-version-check ipykernel nbclient
        (cd / && "$clean/bin/jupyter-execute" "$OLDPWD/python/notebooks/n-queens.ipynb" --output "$clean/n-queens.ipynb")
        ;;
    *) usage ;;
esac
