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

has_browser() {
    [ -n "${DIRECTOR_CHROMIUM-}" ] && return
    for candidate in chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v "$candidate" >/dev/null 2>&1 && return
    done
    .venv/bin/python - <<'END' 2>/dev/null
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    sys.exit(not pathlib.Path(playwright.chromium.executable_path).is_file())
END
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# find_browser: a Chromium, installed with apt where that may be done without asking. Without one
# everything else still works, and the tests that need it say that they were skipped.
find_browser() {
    has_browser && return
    if command -v apt-get >/dev/null 2>&1 && as_root true 2>/dev/null; then
        say "installing chromium with apt-get"
        as_root apt-get update -qq >/dev/null &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null &&
            return
    fi
    say "there is no Chromium: install one (on Debian: apt-get install chromium; anywhere:" \
        ".venv/bin/python -m playwright install chromium), or name yours in DIRECTOR_CHROMIUM"
}

# find_shell: Chromium's headless shell, for the tests only: it needs a third of the processor. Asked
# for once; without it the tests use the whole Chromium and take longer.
find_shell() {
    [ -n "${DIRECTOR_CHROMIUM-}" ] || [ -e .venv/no-shell ] && return
    command -v chromium-headless-shell >/dev/null 2>&1 && return
    touch .venv/no-shell
    if command -v apt-get >/dev/null 2>&1 && as_root true 2>/dev/null; then
        say "installing chromium-headless-shell with apt-get, for faster tests"
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-upgrade chromium-headless-shell >/dev/null 2>&1 ||
            say "it could not be installed: the tests use the whole Chromium"
    fi
}

# install NAME: what locked/NAME.txt names; at once, and offline, when nothing changed since.
install() {
    stamp=.venv/installed-$1
    # The folder is part of the stamp: a copied or moved clone still points to the old one.
    if [ -x .venv/bin/python ] && { pwd && cat "locked/$1.txt" pyproject.toml; } | cmp -s - "$stamp"; then
        return
    fi
    # The system's certificates, so that networks with their own authority work as they do for pip.
    export UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 UV_PYTHON=.venv/bin/python UV_NO_PROGRESS=1
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    unset VIRTUAL_ENV
    if ! .venv/bin/python -m uv --version >/dev/null 2>&1; then
        make_venv
    fi
    say "installing what locked/$1.txt names into .venv"
    { fetch "$1" && link; } || stop "could not install; the lines above say why"
    { pwd && cat "locked/$1.txt" pyproject.toml; } >"$stamp"
}
