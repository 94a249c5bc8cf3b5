#!/bin/sh
# Resolves pyproject.toml anew into locked/*.txt: versions and hashes, no addresses.
set -eu
cd "$(dirname "$0")/.."
lock() {
    out=$1
    shift
    .venv/bin/python -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
        --output-file "locked/$out.txt" pyproject.toml scripts/build.in "$@"
}
mkdir -p locked
lock run --extra app
lock test --extra app --group test
lock all --extra app --group test --group docs
lock bench --extra app --group bench
