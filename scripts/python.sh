#!/usr/bin/env bash
# Builds and tests the Python package in python/. The tools are Python packages, which are installed below the target
# directory, in the versions and with the hashes that python/tests/requirements.txt lists. To change them, edit the .in
# file and run `uv pip compile` as scripts/validate.sh says.
#
#   bash scripts/python.sh test [ARGUMENT...]    builds the package quickly and runs its tests, or those that the arguments
#                                                for pytest name
#   bash scripts/python.sh notebook              executes the notebook with the package that `test` built; keeps its outputs
#   bash scripts/python.sh dask                  installs Dask, and runs its example with the package that `test` built
#   bash scripts/python.sh build                 makes the wheel and the source distribution in dist/python; the wheel has
#                                                the program of scripts/release/build.sh, which this makes too
#   bash scripts/python.sh check                 installs each of these in a clean environment, and runs the notebook
set -euo pipefail
cd "$(dirname "$0")/.."

case "$*" in
    test | 'test '* | notebook | dask | build | check) ;;
    *) echo "usage: bash scripts/python.sh test [ARGUMENT...] | notebook | dask | build | check" >&2; exit 2 ;;
esac
# shellcheck source=scripts/environment.sh
source scripts/environment.sh
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
export CARGO_TARGET_DIR=$target
environment "$target/python/tools" python/tests/requirements.txt
tools=$(programs_of "$target/python/tools")

maturin() { "$tools/maturin" "$1" --manifest-path python/Cargo.toml "${@:2}"; }

install() { "$1" -m pip install --quiet --disable-pip-version-check "${@:2}"; }

case $1 in
    test)
        rm -rf "$target/python/wheel"
        # Where the program was built for tests, the library is there already, if this package asks for the same of it.
        maturin build --quiet --locked --profile dev ${NQUEENS_PROGRAM:+--features tests} \
            --interpreter "$tools/python" --out "$target/python/wheel"
        install "$tools/python" --force-reinstall --no-deps --no-index "$target"/python/wheel/*.whl
        # The documents of the package are compared with those of this program.
        if [ -n "${NQUEENS_PROGRAM:-}" ]; then
            NQUEENS_PROGRAM=$(realpath -- "$NQUEENS_PROGRAM")
            export NQUEENS_PROGRAM
        fi
        "$tools/python" -m pytest -q --import-mode=importlib -p no:cacheprovider -o faulthandler_timeout=300 \
            -o faulthandler_exit_on_timeout=true --rootdir . -o testpaths=python/tests "${@:2}"
        ;;
    notebook)
        "$tools/python" python/tests/execute.py python/notebooks/n-queens.ipynb
        ;;
    dask)
        rm -rf "$target/python/dask"
        "$python" -m venv "$target/python/dask"
        programs=$(programs_of "$target/python/dask")
        install "$programs/python" pytest distributed "$target"/python/wheel/*.whl
        "$programs/python" -m pytest -q --import-mode=importlib -p no:cacheprovider python/tests/test_dask.py
        ;;
    build)
        rm -rf dist/python
        # maturin packs this folder, and pip puts its scripts beside the Python of the environment.
        trap 'rm -rf python/nqueens_count._native.data' EXIT
        bash scripts/release/build.sh
        mkdir -p python/nqueens_count._native.data/scripts
        cp dist/tree/bin/nqueens* python/nqueens_count._native.data/scripts/
        options=(--interpreter "$tools/python")
        if [ "$(uname)" = Linux ]; then
            # A wheel that is linked for an old system runs on newer ones too. Zig can link for any system.
            environment "$target/zig" scripts/release/tools.txt
            PATH=$target/zig/bin:$PATH
            options+=(--zig --compatibility manylinux2014)
        fi
        maturin build --quiet --locked --release --out dist/python "${options[@]}"
        rm -r python/nqueens_count._native.data
        maturin sdist --out dist/python
        ls -l dist/python
        ;;
    check)
        notebook=$PWD/python/notebooks/n-queens.ipynb
        clean=$target/python/clean
        for file in "$PWD"/dist/python/*.whl "$PWD"/dist/python/*.tar.gz; do
            echo "== $file"
            rm -rf "$clean"
            "$python" -m venv "$clean"
            programs=$(programs_of "$clean")
            install "$programs/python" "$file"
            # The checkout would be the wrong folder, because its python/nqueens_count lacks the compiled module.
            (
                cd "$clean"
                "$programs/python" -c 'import nqueens_count as nqueens; assert nqueens.count(12) == 14200; help(nqueens)' > help.txt
                # A wheel has the program too.
                if [[ $file == *.whl ]]; then [ "$("$programs/nqueens" count 12 --quiet)" = 14200 ]; fi
                install "$programs/python" ipykernel nbclient
                "$programs/jupyter-execute" --output "$clean/executed" "$notebook"
            )
        done
        ;;
esac
