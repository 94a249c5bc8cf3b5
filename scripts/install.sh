# Sourced by ./run and ./test: puts what locked/*.txt names into .venv, and touches nothing else.
# shellcheck shell=sh

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

stop() {
    say "$*"
    exit 1
}

find_python() {
    for candidate in python3.11 python3 python; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

make_venv() {
    python=$(find_python) || stop "Python 3.11 or newer is needed; install it and start again"
    say "making .venv with $($python --version)"
    "$python" -m venv .venv ||
        stop "could not make .venv: is Python's venv module there (on Debian: apt install python3-venv)?"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check 'uv==0.13.*' ||
        stop "pip could not install uv: is there a network, or a package index in pip's settings?"
}

# uv first, for its speed. Where only pip knows the way to an index, pip installs the same
# versions, held to the same hashes.
fetch() {
    .venv/bin/python -m uv pip install --quiet --compile-bytecode --require-hashes \
        --requirement "locked/$1.txt" && return
    say "uv could not install; trying pip with the same versions and hashes"
    .venv/bin/python -m pip install --quiet --require-hashes --requirement "locked/$1.txt"
}

# The project itself stands in .venv as a link to src, built by what the lock names.
link() {
    .venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
}

# install NAME: what locked/NAME.txt names; quick and offline when nothing changed since.
install() {
    stamp=.venv/installed-$1
    # The system's certificates, so that networks with their own authority work as they do for pip.
    export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 UV_PYTHON=.venv/bin/python UV_NO_PROGRESS=1
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    unset VIRTUAL_ENV
    if ! .venv/bin/python -m uv --version >/dev/null 2>&1; then
        make_venv
    fi
    # The folder is part of the stamp: a copied or moved clone still points to the old one.
    if ! { pwd && cat "locked/$1.txt" pyproject.toml; } | cmp -s - "$stamp"; then
        say "installing what locked/$1.txt names into .venv"
        { fetch "$1" && link; } || stop "could not install; the lines above say why"
        { pwd && cat "locked/$1.txt" pyproject.toml; } >"$stamp"
    fi
}
