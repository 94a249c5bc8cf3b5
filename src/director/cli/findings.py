"""What `director doctor` looks at: each look gives findings, and none of them ever fails.

What goes wrong in a look is what it found. A key is named and never shown, an address is shown
without its password, and nothing is asked of any server beyond this machine but the store's own.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from director.distribution import install_line

if TYPE_CHECKING:
    from director.settings import Setting, Settings

_T = TypeVar("_T")
State: TypeAlias = Literal["works", "broken", "absent"]
Env: TypeAlias = Mapping[str, str]
KEYS: Mapping[str, str] = {
    "OPENAI_API_KEY": "openai: and chat: models",
    "ANTHROPIC_API_KEY": "anthropic: models",
    "AZURE_OPENAI_API_KEY": "azure: models",
}
# What is imported, and the extra of Director that brings it.
PACKAGES: Mapping[str, str] = {
    "sqlalchemy": "store",
    "cryptography": "store",
    "psycopg": "postgres",
    "openai": "openai",
    "anthropic": "anthropic",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = "connect_timeout=5"


@dataclass(frozen=True, slots=True)
class SetupFinding:
    """One thing that was looked at: how it is, who decided it, and how to fix it."""

    name: str
    state: State
    said: str
    source: str = ""
    mend: str = ""


def look(env: Env, store: str | None = None) -> Iterator[SetupFinding]:
    """Everything, in the order in which one thing needs the other."""
    number = ".".join(str(part) for part in sys.version_info[:3])
    yield SetupFinding("Python", "works", f"{number} at {sys.executable}")
    yield _home(env)
    yield _vault(env)
    settings = _settings(env, store)
    if isinstance(settings, SetupFinding):
        yield settings
    else:
        yield from _check_settings(settings)
        yield from _store(settings.store)
        yield _model(settings.model, env)
    yield from _keys(env)
    yield from _servers()
    yield from _packages()
    yield _browser(env)


def hide_password(address: str) -> str:
    """An address without its password."""
    hidden = re.sub(r"(://[^:@/?#\s]*:)[^@\s]*@", r"\1…@", address)
    return re.sub(r"([?&]password=)[^&\s]*", r"\1…", hidden)


def file_of(address: str) -> Path | None:
    """The file of a store, if it is one."""
    if "://" not in address:
        return Path(address)
    found = re.match(r"sqlite(?:\+\w+)?:///([^?]+)", address)
    return Path(found[1]) if found else None


def _home(env: Env) -> SetupFinding:
    from director.home import VARIABLE, HomeError, home

    source = VARIABLE if env.get(VARIABLE) else "default"
    try:
        folder = home(env)
    except HomeError as error:
        return SetupFinding(
            "Home", "broken", str(error), source, f"set {VARIABLE} to another folder"
        )
    if os.access(folder, os.W_OK | os.X_OK):
        return SetupFinding("Home", "works", f"{folder}, writable", source)
    mend = f"chmod u+rwx {folder}, or set {VARIABLE} to another folder"
    return SetupFinding("Home", "broken", f"{folder} cannot be written", source, mend)


def _vault(env: Env) -> SetupFinding:
    from director.home import HomeError, home, is_loose
    from director.secrets import VaultError, open_vault
    from director.secrets.vault import FILE

    try:
        file = home(env) / FILE
        if not file.exists():
            return SetupFinding("Vault", "absent", f"{file} is made with the first secret")
        loose = [each for each in (file, file.with_name(f"{FILE}.key")) if is_loose(each)]
        if loose:
            names = " ".join(map(str, loose))
            mend = f"chmod 600 {names}, and change the secrets if others were here"
            return SetupFinding("Vault", "broken", f"others may read {names}", mend=mend)
        count = len(open_vault(env).names())
    except HomeError:
        return SetupFinding("Vault", "broken", "it is in the home folder", mend="fix that first")
    except (VaultError, OSError) as error:
        return SetupFinding("Vault", "broken", str(error), mend="do as it says, then look again")
    return SetupFinding("Vault", "works", f"{file}: its key fits, {count:,} secrets")


def _settings(env: Env, store: str | None) -> Settings | SetupFinding:
    from director.home import HomeError
    from director.settings import SettingsError, load_settings

    try:
        return load_settings({"store": store or None}, environ=env)
    except SettingsError as error:
        return SetupFinding("Settings", "broken", str(error), mend="correct or remove that setting")
    except HomeError:
        mend = "fix the home folder first"
        return SetupFinding("Settings", "broken", "they are in the home folder", mend=mend)


def _check_settings(settings: Settings) -> Iterator[SetupFinding]:
    for each in fields(settings):
        setting: Setting[object] = getattr(settings, each.name)
        value = hide_password(f"{setting.value}")
        yield SetupFinding(f"Setting {each.name}", "works", value or "not chosen", _source(setting))


def _source(setting: Setting[_T]) -> str:
    return f"{setting.source}: {setting.place}" if setting.place else setting.source


def _store(setting: Setting[str]) -> Iterator[SetupFinding]:
    file, source = file_of(setting.value), _source(setting)
    server = file is None and setting.value.startswith("postgres")
    opened = (
        _no_file(file, source)
        if file and not file.exists()
        else _check_store(setting.value, source)
    )
    yield opened
    if server:
        mend = "start the server, or correct the address" if opened.state == "broken" else ""
        reached = "reached" if opened.state == "works" else "see the store above"
        yield SetupFinding("PostgreSQL", opened.state, reached, source, mend)
    else:
        mend = "set DIRECTOR_STORE=postgresql://… to share a store between machines"
        yield SetupFinding("PostgreSQL", "absent", "no address set, a file is used", mend=mend)


def _no_file(file: Path, source: str) -> SetupFinding:
    if file.parent.is_dir():
        return SetupFinding("Store", "absent", f"{file} is made when it is first needed", source)
    mend = f"mkdir -p {file.parent}, or correct the address"
    return SetupFinding("Store", "broken", f"the folder {file.parent} does not exist", source, mend)


def _check_store(address: str, source: str) -> SetupFinding:
    try:
        from director.store import StoreError, open_store
    except ImportError as missing:
        mend = install_line("store")
        return SetupFinding("Store", "broken", f"{missing.name} is not installed", source, mend)
    if address.startswith("postgres") and "connect_timeout" not in address:
        address += f"{'&' if '?' in address else '?'}{_PATIENCE}"
    try:
        with open_store(address) as store:
            verdict = store.verify()
    except ImportError as missing:
        mend = install_line("postgres")
        return SetupFinding("Store", "broken", f"{missing.name} is not installed", source, mend)
    except StoreError as error:
        return SetupFinding("Store", "broken", str(error), source, "do as it says, then look again")
    if verdict.ok:
        said = f"opens, {verdict.checked:,} things checked, none altered"
        return SetupFinding("Store", "works", said, source)
    mend = "put back a backup, or import an export into a new store"
    return SetupFinding("Store", "broken", f"altered: {verdict.first_bad}", source, mend)


def _model(setting: Setting[str], env: Env) -> SetupFinding:
    from director.models.names import UnknownModel, find_model_credentials, parse_model_name
    from director.models.servers import NoKey

    if not setting.value:
        mend = "set DIRECTOR_MODEL, such as openai:gpt-6.1-terra"
        return SetupFinding("Model", "absent", "none is chosen", mend=mend)
    try:
        find_model_credentials(parse_model_name(setting.value), env, look=list)
    except (NoKey, UnknownModel) as error:
        said, *advice = str(error).splitlines()
        mend = next((line.strip(" -") for line in advice), "give its full name")
        return SetupFinding("Model", "broken", said, _source(setting), mend)
    return SetupFinding("Model", "works", f"{setting.value}: its key is at hand", _source(setting))


def _keys(env: Env) -> Iterator[SetupFinding]:
    for name, use in KEYS.items():
        if env.get(name, "").strip():
            yield SetupFinding(name, "works", f"set, for {use}", "environment")
        else:
            yield SetupFinding(name, "absent", f"not set; for {use}", mend=f"export {name}=…")


def _servers() -> Iterator[SetupFinding]:
    from director.models.local import PORTS, find_local_servers

    there = find_local_servers()
    for server in there:
        models = ", ".join(server.models) or "no model loaded"
        yield SetupFinding(server.kind, "works", f"{server.base_url}: {models}", "found")
    if not there:
        ports = ", ".join(str(port) for port in PORTS)
        mend = f"start one if you want one: {', '.join(PORTS.values())}"
        yield SetupFinding("Local models", "absent", f"no server on the ports {ports}", mend=mend)


def _packages() -> Iterator[SetupFinding]:
    for name, extra in PACKAGES.items():
        try:
            yield SetupFinding(f"Package {name}", "works", version(name), "installed")
        except PackageNotFoundError:
            mend = install_line(extra)
            yield SetupFinding(f"Package {name}", "absent", "not installed", mend=mend)


def _browser(env: Env) -> SetupFinding:
    path = env.get("PATH", "")
    found = next((at for name in BROWSERS if (at := shutil.which(name, path=path))), None)
    if found:
        return SetupFinding("Browser", "works", found, "PATH")
    return SetupFinding("Browser", "absent", "none on the path", mend="install chromium")
