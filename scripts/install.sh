# Sourced by ./run and ./test: puts what uv.lock names into .venv, and touches nothing else.
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

# uv takes the files from the addresses in uv.lock. Where only pip knows the way to an index,
# pip installs the same versions, held to the same hashes.
fetch() {
    .venv/bin/uv sync --quiet --frozen --inexact --compile-bytecode "$@" && return
    say "uv could not install; trying pip with the same versions and hashes"
    .venv/bin/uv export --quiet --frozen --no-emit-project --output-file .venv/locked.txt "$@" &&
        .venv/bin/python -m pip install --quiet --require-hashes --requirement .venv/locked.txt &&
        .venv/bin/python -m pip install --quiet --no-deps --editable .
}

# install NAME [OPTIONS OF uv sync]: quick and offline when nothing changed since the last time.
install() {
    stamp=.venv/installed-$1
    shift
    # The system's certificates, so that networks with their own authority work as they do for pip.
    export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON=.venv/bin/python
    export UV_NO_PROGRESS=1
    unset VIRTUAL_ENV
    if ! .venv/bin/python -m uv --version >/dev/null 2>&1; then
        make_venv
    fi
    # The folder is part of the stamp: a copied or moved clone still points to the old one.
    if ! { pwd && cat uv.lock pyproject.toml; } | cmp -s - "$stamp"; then
        say "installing what uv.lock names into .venv"
        fetch "$@" || stop "could not install; the lines above say why"
        { pwd && cat uv.lock pyproject.toml; } >"$stamp"
    fi
}
