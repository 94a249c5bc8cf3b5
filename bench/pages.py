"""Ten pages that nobody here wrote, served on loopback: Django's admin, MiniWoB++, pydoc.

Everything comes from installed packages: Django's admin over a small database made here, tasks of
the `miniwob` package with a fixed seed, and what the standard library's `pydoc` writes.
"""

from __future__ import annotations

import http.server
import importlib
import pydoc
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_DJANGO = """
import sys
from datetime import date, timedelta

import django
from django.conf import settings
from django.core.management import call_command, execute_from_command_line

settings.configure(
    DEBUG=True, SECRET_KEY="bench", ALLOWED_HOSTS=["*"], ROOT_URLCONF="crm.urls", USE_TZ=True,
    STATIC_URL="/static/", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "crm.db"}},
    INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                    "django.contrib.sessions", "django.contrib.messages",
                    "django.contrib.staticfiles", "crm"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                "django.middleware.common.CommonMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                "OPTIONS": {"context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages"]}}],
)
django.setup()
if sys.argv[1] == "fill":
    from django.contrib.auth.models import User
    call_command("migrate", run_syncdb=True, verbosity=0)
    User.objects.create_superuser("admin", "admin@example.com", "Bench-1-pass")
    from crm.models import Company, Contact
    firms = [Company.objects.create(name=f"Firm {n}") for n in range(1, 6)]
    for n in range(1, 36):
        Contact.objects.create(
            name=f"Contact {n:02}", email=f"contact{n:02}@example.com", phone=f"+44 20 7946 {n:04}",
            company=firms[n % 5], status="lead customer former".split()[n % 3],
            since=date(2026, 1, 1) + timedelta(days=9 * n), active=n % 4 != 0)
else:
    execute_from_command_line(["", "runserver", "--noreload", "--insecure", sys.argv[2]])
"""
_MODELS = """
from django.db import models

class Company(models.Model):
    name = models.CharField(max_length=100)
    class Meta:
        verbose_name_plural = "companies"
    def __str__(self):
        return self.name

class Contact(models.Model):
    name = models.CharField(max_length=100)
    email = models.EmailField()
    phone = models.CharField(max_length=30, blank=True)
    company = models.ForeignKey(Company, on_delete=models.PROTECT)
    status = models.CharField(max_length=10, choices=[(s, s.title()) for s in "lead customer former".split()])
    since = models.DateField()
    active = models.BooleanField(default=True)
    notes = models.TextField(blank=True)
    def __str__(self):
        return self.name
"""
_ADMIN = """
from django.contrib import admin
from crm.models import Company, Contact

admin.site.register(Company)

@admin.register(Contact)
class Contacts(admin.ModelAdmin):
    list_display = ("name", "email", "company", "status", "since", "active")
    list_filter = ("status", "company", "active")
    search_fields = ("name", "email")
"""
_URLS = """
from django.contrib import admin
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls), path("broken/", lambda request: 1 / 0)]
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A page: where it is, what to do before it is looked at, and one action that changes it."""

    name: str
    url: str
    act: str
    login: bool = False
    task: bool = False


def places(site: str, files: str) -> list[Place]:
    """The ten pages; `act` is a script that does what one click would do."""
    admin = f"{site}/admin"
    return [
        Place("Django admin: login", f"{admin}/login/", "id_username.focus()"),
        Place("Django admin: index", f"{admin}/", "document.querySelector('.theme-toggle').click()", login=True),
        Place("Django admin: list of 35", f"{admin}/crm/contact/",
              "document.querySelectorAll('.action-select')[3].click()", login=True),
        Place("Django admin: edit form", f"{admin}/crm/contact/7/change/",
              "document.querySelector('.datetimeshortcuts a:last-child').click()", login=True),
        Place("Django: error page", f"{site}/broken/", "document.querySelector('#traceback-area, .commands a, summary')?.click()"),
        Place("MiniWoB++: book-flight", f"{files}/miniwob/book-flight.html",
              "document.querySelector('#flight-from').focus()", task=True),
        Place("MiniWoB++: email-inbox", f"{files}/miniwob/email-inbox.html",
              "document.querySelector('.email-thread').click()", task=True),
        Place("MiniWoB++: social-media-all", f"{files}/miniwob/social-media-all.html",
              "document.querySelector('.like').click()", task=True),
        Place("MiniWoB++: choose-date", f"{files}/miniwob/choose-date.html",
              "document.querySelector('#datepicker').focus()", task=True),
        Place("pydoc: argparse", f"{files}/argparse.html", "location.hash = 'ArgumentParser'"),
    ]  # fmt: skip


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def _files(folder: Path) -> Iterator[str]:
    """MiniWoB's pages and one page of pydoc."""
    spec = find_spec("miniwob")
    if spec is None or spec.origin is None:
        raise SystemExit("The pages need miniwob: install the test group.")
    html = Path(spec.origin).parent / "html"
    for part in html.iterdir():
        (folder / part.name).symlink_to(part)
    module = importlib.import_module("argparse")
    (folder / "argparse.html").write_text(pydoc.html.page("argparse", pydoc.html.document(module)))
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Quiet, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextmanager
def _django(folder: Path) -> Iterator[str]:
    """The admin over a new database."""
    (folder / "crm").mkdir()
    for name, text in {"models": _MODELS, "admin": _ADMIN, "urls": _URLS, "__init__": ""}.items():
        (folder / "crm" / f"{name}.py").write_text(text)
    (folder / "site.py").unlink(missing_ok=True)
    (folder / "serve.py").write_text(_DJANGO)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        spot = f"127.0.0.1:{free.getsockname()[1]}"
    subprocess.run([sys.executable, "serve.py", "fill"], cwd=folder, check=True)
    server = subprocess.Popen(
        [sys.executable, "serve.py", "serve", spot],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://{spot}/admin/login/")
        yield f"http://{spot}"
    finally:
        server.terminate()
        server.wait()


def _wait(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url).close()  # noqa: S310  our own server
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(f"{url} does not answer")


@contextmanager
def served(folder: Path) -> Iterator[list[Place]]:
    """The ten pages, served until the block ends."""
    with ExitStack() as stack:
        for name in ("django", "files"):
            (folder / name).mkdir()
        site = stack.enter_context(_django(folder / "django"))
        files = stack.enter_context(_files(folder / "files"))
        yield places(site, files)
