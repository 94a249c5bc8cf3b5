"""Real pages without a network: Django's admin and MiniWoB++, given to a browser from memory.

The pages of the admin are rendered once, in this process; those of MiniWoB++ come with its package
and are played with a fixed seed. Every other address is refused.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import django
import miniwob
from django.conf import settings
from playwright.async_api import Page, Route

ADMIN = "http://admin.test"
TASKS = "http://tasks.test"
_ADMIN_PAGES = (
    "/admin/login/",
    "/admin/",
    "/admin/auth/user/",
    "/admin/auth/user/?is_staff__exact=1&o=1",
    "/admin/auth/user/add/",
    "/admin/auth/user/3/change/",
    "/admin/auth/user/3/delete/",
    "/admin/auth/user/3/history/",
    "/admin/auth/group/",
    "/admin/auth/group/add/",
    "/admin/password_change/",
)
_TASK_PAGES = (
    "book-flight",
    "buy-ticket",
    "choose-list",
    "click-checkboxes-large",
    "click-collapsible-2",
    "click-dialog-2",
    "click-option",
    "click-tab-2-hard",
    "click-widget",
    "enter-date",
    "form-sequence-2",
    "form-sequence-3",
    "login-user",
    "multi-layouts",
    "multi-orderings",
    "search-engine",
    "stock-market",
    "text-editor",
    "use-autocomplete",
)
_PLAY = """seed => {
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = 1e9;
  document.querySelector("#sync-task-cover")?.click();
}"""


@dataclass(frozen=True)
class Shelf:
    """Pages in memory, by address."""

    bodies: Mapping[str, bytes] = field(default_factory=dict)
    served: tuple[str, ...] = ()
    """More pages, which a server on this machine has."""

    def addresses(self) -> list[str]:
        """The pages to measure on."""
        tasks = [f"{TASKS}/miniwob/{name}.html" for name in _TASK_PAGES]
        return [*self.bodies, *tasks, *self.served]

    async def open(self, page: Page, address: str) -> None:
        """Show a page, in the state that it always starts in."""
        await page.goto(address)
        if address.startswith(TASKS):
            await page.evaluate(_PLAY, "7")

    async def answer(self, route: Route) -> None:
        """Give the browser what it asks for."""
        url = route.request.url
        path = _file(urlsplit(url).hostname or "", unquote(urlsplit(url).path))
        if url.startswith("http://127.0.0.1:"):
            await route.continue_()
        elif url in self.bodies:
            await route.fulfill(body=self.bodies[url], content_type="text/html; charset=utf-8")
        elif path and path.is_file():
            kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
            await route.fulfill(body=path.read_bytes(), content_type=kind)
        else:
            await route.abort()


def _file(host: str, path: str) -> Path | None:
    roots = {
        "tasks.test": Path(miniwob.__file__).parent / "html",
        "admin.test": Path(django.__file__).parent / "contrib/admin",
    }
    root = roots.get(host)
    return root / path.lstrip("/") if root else None


def rendered() -> Shelf:
    """The pages of an admin with forty users and a few groups."""
    _configure()
    from django.contrib.auth.models import Group, User  # noqa: PLC0415  after the settings
    from django.core.management import call_command  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    User.objects.create_superuser("admin", "admin@example.org", "x")
    names = "Ada Ben Cleo Dan Eve Finn Gail Hal Ida Jon".split()
    for number in range(40):
        name = names[number % len(names)]
        user = User(username=f"{name.lower()}{number}", first_name=name, last_name=f"Row{number}")
        user.email, user.is_staff = f"{name.lower()}{number}@example.org", number % 3 == 0
        user.save()
    for name in ("Editors", "Buyers", "Auditors"):
        Group.objects.create(name=name)
    visitor, member = Client(), Client()
    member.force_login(User.objects.get(username="admin"))
    return Shelf(
        {
            ADMIN + path: (visitor if "login" in path else member).get(path).content
            for path in _ADMIN_PAGES
        }
    )


def _configure() -> None:
    def template(**options: Any) -> dict[str, Any]:
        return {"BACKEND": "django.template.backends.django.DjangoTemplates", **options}

    shown = "django.template.context_processors.request django.contrib.auth.context_processors.auth"
    settings.configure(
        SECRET_KEY="not secret: it signs nothing that leaves this process",  # noqa: S106
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        STATIC_URL="/static/",
        USE_TZ=True,
        INSTALLED_APPS=[
            f"django.contrib.{name}"
            for name in ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            template(
                APP_DIRS=True,
                OPTIONS={
                    "context_processors": [
                        *shown.split(),
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            )
        ],
    )
    django.setup()
    from django.contrib import admin  # noqa: PLC0415  after the settings
    from django.urls import path  # noqa: PLC0415

    settings.ROOT_URLCONF = (path("admin/", admin.site.urls),)
