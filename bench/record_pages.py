"""Makes the recordings in other packages' page formats: `python bench/record_pages.py FOLDER`.

FOLDER holds the packages, outside the repository: `py` is an environment with browser-use,
notte-browser, datasette and sqlite-web, `npm` has @playwright/mcp and agent-browser.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pages as bench_pages
from applications import _answers, _datasette, _port, _sqlite_web
from record import SCRATCH, write
from recorder import pages


@contextmanager
def applications(folder: Path) -> Iterator[dict[str, str]]:
    """Datasette, sqlite-web, Django's admin and the demo site, each with its first page."""
    with ExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found: dict[str, str] = {}
        for start in (_datasette, _sqlite_web):
            app = stack.enter_context(start(folder))
            if app is not None:
                found[app.name.lower().replace("-", "")] = app.urls[-1]
        found["admin"] = stack.enter_context(_admin(made)) + "/admin/"
        port = _port()
        command = [sys.executable, "-m", "director.cli", "demo", "--port", str(port)]
        demo = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(demo.terminate)
        found["demo"] = f"http://127.0.0.1:{port}/shop"
        _answers(found["demo"])
        yield found


@contextmanager
def _admin(made: Path) -> Iterator[str]:
    """Django's admin for whoever comes: every visitor is its first user."""
    (made / "enter.py").write_text(_ENTER)
    last = '"django.contrib.messages.middleware.MessageMiddleware"'
    bench_pages._DJANGO = bench_pages._DJANGO.replace(  # noqa: SLF001  its page is ours
        last, f'{last}, "enter.Enter"'
    )
    with bench_pages._django(made) as url:  # noqa: SLF001
        yield url


_ENTER = """from django.contrib.auth import get_user_model


class Enter:
    def __init__(self, answer):
        self.answer = answer

    def __call__(self, request):
        request.user = get_user_model().objects.filter(is_superuser=True).first()
        return self.answer(request)
"""


def main() -> None:
    """Record all formats, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=[kind.name for kind in pages.FORMATS])
    options = parser.parse_args()
    found: dict[str, list[dict[str, Any]]] = {}
    with applications(options.folder.resolve()) as apps:
        for name, recording in pages.runs(options.folder.resolve(), apps, options.only):
            found.setdefault(name, []).append(recording.row())
            print(recording.name, len(recording.messages), "messages", flush=True)
    for name, rows in found.items():
        write(f"pages_{name}", rows, SCRATCH)


if __name__ == "__main__":
    main()
