"""Django's admin on loopback, with 35 contacts: `serve.py FOLDER PASSWORD` prints its port.

The folder gets the database and what is uploaded. Run as a program of its own, because Django
keeps its settings in the process.
"""

from __future__ import annotations

import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.core.management import call_command

KINDS = ("lead", "customer", "former")


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def configure(folder: Path) -> None:
    """The settings: everything that is kept is in the folder."""
    contrib = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
    between = (
        "sessions.middleware.SessionMiddleware",
        "auth.middleware.AuthenticationMiddleware",
        "messages.middleware.MessageMiddleware",
    )
    seen = ("auth.context_processors.auth", "messages.context_processors.messages")
    settings.configure(
        DEBUG=True,
        SECRET_KEY="of a test only",  # noqa: S106  it guards nothing
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="crm.urls",
        STATIC_URL="static/",
        MEDIA_ROOT=str(folder / "media"),
        USE_TZ=True,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[*(f"django.contrib.{name}" for name in contrib), "crm"],
        MIDDLEWARE=[
            "django.middleware.csrf.CsrfViewMiddleware",
            *(f"django.contrib.{name}" for name in between),
        ],
        DATABASES={
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "crm.sqlite3")}
        },
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        *(f"django.contrib.{name}" for name in seen),
                    ]
                },
            }
        ],
    )


def furnish(password: str) -> None:
    """A user who may do everything, and 35 contacts."""
    from crm.models import Company, Contact  # noqa: PLC0415  after the settings
    from django.contrib.auth.models import User  # noqa: PLC0415  the same

    User.objects.create_superuser("admin", "admin@example.org", password)
    companies = [Company.objects.create(name=f"Company {letter}") for letter in "ABC"]
    Contact.objects.bulk_create(
        Contact(
            name=f"Person {number:02}",
            email=f"person{number}@example.org",
            kind=KINDS[number % 3],
            company=companies[number % 3],
        )
        for number in range(1, 36)
    )


def main() -> None:
    """Make it and serve it."""
    configure(Path(sys.argv[1]))
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)
    furnish(sys.argv[2])
    from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: PLC0415  the same
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415  the same

    application = StaticFilesHandler(get_wsgi_application())
    server = make_server("127.0.0.1", 0, application, _Threads, _Quiet)
    print(server.server_port, flush=True)  # noqa: T201  whoever started it waits for this
    server.serve_forever()


if __name__ == "__main__":
    main()
