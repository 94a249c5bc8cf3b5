"""The vault: values come out on their own origins only, and are seen nowhere else."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import string
import subprocess
import sys
import threading
import traceback
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import pytest

from director.secrets import (
    Clear,
    KeyringKey,
    OriginError,
    Reference,
    SecretRefused,
    Vault,
    VaultError,
    list_encoded_forms,
    parse_origin_binding,
)

VALUE = "pä\"ss&w+ord'<é> /%7"
FORMS = list_encoded_forms(VALUE)
BANK = "https://bank.example"
posix = pytest.mark.skipif(os.name != "posix", reason="modes and limits are those of POSIX")


def leaks(shown: str | bytes) -> list[str]:
    """The names of the forms in which the value is seen."""
    raw = shown.encode("utf-8", "surrogatepass") if isinstance(shown, str) else shown
    return [name for name, form in FORMS.items() if form in raw]


def told(error: BaseException, *, its_locals: bool = True) -> str:
    """All that a traceback shows, with the locals of our own frames."""
    plain = "".join(traceback.format_exception(error))
    shown = traceback.TracebackException.from_exception(error, capture_locals=its_locals)
    ours = [each.locals for each in shown.stack if "test_" not in Path(each.filename).name]
    return f"{plain}{ours if its_locals else ''}{error!r}{error.args}"


def ran(code: str, *words: object) -> subprocess.CompletedProcess[str]:
    """What a program of its own says."""
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A vault with one secret."""
    vault = Vault(tmp_path / "vault")
    vault.put("bank", VALUE, [BANK, "http://localhost:3000"])
    return vault


def test_a_value_comes_back_on_the_origins_it_is_bound_to(vault: Vault) -> None:
    """By origin or by the address of a page, and after opening the file again."""
    reference = vault.reference("bank")
    assert vault.reveal(reference, BANK).use() == VALUE
    assert vault.reveal(reference, parse_origin_binding("http://localhost:3000")).use() == VALUE
    assert vault.reveal(reference, f"{BANK}/login?next=%2F").use() == VALUE


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "origin",
    [
        "http://bank.example",
        "https://bank.example:8443",
        "https://www.bank.example",
        "https://bank.example.evil.example",
        "https://xn--bnk-6cd.example",
        "https://bаnk.example",
        "https://bank.example@evil.example",
        "https://bank.example.",
        "https://localhost:3000",
        "http://localhost",
        "about:blank",
        "",
    ],
)
def test_elsewhere_the_secret_is_refused_by_name_and_origin(vault: Vault, origin: str) -> None:
    """The refusal shows no value, neither in its words nor in its traceback with locals."""
    with pytest.raises(SecretRefused, match="'bank'") as caught:
        vault.reveal(vault.reference("bank"), origin)
    assert leaks(told(caught.value)) == []


def test_a_refusal_says_where_and_where_instead(vault: Vault) -> None:
    """So that a person can mend the binding."""
    with pytest.raises(SecretRefused) as caught:
        vault.reveal(vault.reference("bank"), "https://evil.example/x?token=1")
    assert str(caught.value) == (
        "The secret 'bank' is not used on 'https://evil.example': "
        "it is bound to https://bank.example, http://localhost:3000."
    )


def test_a_reference_prints_as_a_place_to_fill_and_has_no_content(vault: Vault) -> None:
    """It can be stored and shown anywhere."""
    reference = vault.reference("bank")
    assert f"{reference}" == str(reference) == repr(reference) == "{{secret:bank}}"
    assert f"{reference:>16}" == " {{secret:bank}}"
    assert pickle.loads(pickle.dumps(reference)) == reference  # noqa: S301  our own bytes
    assert leaks(pickle.dumps(reference)) == []


@pytest.mark.parametrize("name", ["", "a b", "a}}", "-a", ".a", "a\n", "é", "a" * 129])
def test_a_name_is_made_of_plain_letters(name: str) -> None:
    """So that a reference in a text cannot be read in two ways."""
    with pytest.raises(ValueError, match="name"):
        Reference(name)


def test_a_secret_can_be_replaced_and_removed(vault: Vault) -> None:
    """With its origins; the others stay."""
    vault.put("mail", "another value", "https://mail.example")
    vault.put("bank", "a new value", "https://new.example")
    assert vault.names() == ("bank", "mail")
    assert [str(each) for each in vault.origins("bank")] == ["https://new.example"]
    vault.remove("bank")
    assert vault.names() == ("mail",)


def test_an_unknown_secret_is_named_with_the_nearest_known_one(vault: Vault) -> None:
    """A typing error is seen at once."""
    with pytest.raises(VaultError, match=r"no secret 'bnak'.* mean 'bank'"):
        vault.reference("bnak")


@pytest.mark.parametrize(
    ("value", "origins", "why"),
    [
        ("abc", [BANK], "fewer than 4"),
        ("abcd\ud800", [BANK], "surrogate"),
        (VALUE, [], "no origin"),
        (VALUE, ["http://bank.example"], "not encrypted"),
        (VALUE, "https://bank.example/login", "whole origin"),
    ],
)
def test_what_could_not_be_kept_safe_is_not_kept(
    tmp_path: Path, value: str, origins: list[str], why: str
) -> None:
    """Nothing is written, and the refusal holds no value."""
    with pytest.raises((VaultError, OriginError), match=why) as caught:
        Vault(tmp_path / "vault").put("bank", value, origins)
    assert leaks(told(caught.value)) == []
    assert list(tmp_path.iterdir()) == []


def test_the_net_of_a_vault_removes_all_its_values(vault: Vault) -> None:
    """Those of every name."""
    vault.put("mail", "another value", "https://mail.example")
    assert vault.net().clean(f"{VALUE}, another value") == "[redacted], [redacted]"


@pytest.mark.promise("D5")
def test_the_files_hold_neither_value_nor_name(vault: Vault, tmp_path: Path) -> None:
    """Whoever copies the vault without its key has noise."""
    for path in tmp_path.iterdir():
        assert leaks(path.read_bytes()) == []
    assert b"bank" not in (tmp_path / "vault").read_bytes()
    assert leaks(repr(vault) + repr(vars(vault))) == []


@pytest.mark.promise("D5")
@posix
def test_the_files_are_private_and_stay_so(vault: Vault, tmp_path: Path) -> None:
    """Mode 0600 whatever the mask; an open key file is closed again."""
    before = os.umask(0)
    try:
        vault.put("mail", "another value", "https://mail.example")
        Vault(tmp_path / "new" / "vault").put("mail", "another value", "https://mail.example")
    finally:
        os.umask(before)
    (tmp_path / "vault.key").chmod(0o644)
    vault.names()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name: path.stat().st_mode & 0o777 for path in files} == dict.fromkeys(
        ("vault", "vault.key", "vault.key.lock", "vault.lock"), 0o600
    )
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


@pytest.mark.promise("D5")
def test_another_key_opens_nothing_and_changes_nothing(vault: Vault, tmp_path: Path) -> None:
    """Not even when it writes."""
    before = (tmp_path / "vault").read_bytes()
    other = Vault(tmp_path / "vault", key=bytes(32))
    for act in (other.names, lambda: other.put("x", "four", BANK), lambda: other.remove("bank")):
        with pytest.raises(VaultError, match="another key"):
            act()
    assert (tmp_path / "vault").read_bytes() == before
    assert vault.names() == ("bank",)


def test_a_lost_key_is_said_and_not_replaced(vault: Vault, tmp_path: Path) -> None:
    """A new key would make the loss final."""
    (tmp_path / "vault.key").unlink()
    for act in (vault.names, lambda: vault.put("x", "four", BANK)):
        with pytest.raises(VaultError, match="its key is not"):
            act()
    assert not (tmp_path / "vault.key").exists()


@pytest.mark.parametrize("text", ["", "short", "!" * 44, "A" * 40])
def test_a_damaged_key_is_said_without_being_shown(vault: Vault, tmp_path: Path, text: str) -> None:
    """Neither in the words nor in the locals."""
    (tmp_path / "vault.key").write_text(text)
    with pytest.raises(VaultError, match="is not a key") as caught:
        vault.names()
    assert not text or text not in told(caught.value)


def test_a_key_of_the_wrong_size_is_refused(tmp_path: Path) -> None:
    """Before anything is written with it."""
    with pytest.raises(VaultError, match="32 bytes, not 5"):
        Vault(tmp_path / "vault", key=b"short")


def test_damage_at_any_byte_is_noticed_and_left_alone(vault: Vault, tmp_path: Path) -> None:
    """And at any length."""
    path = tmp_path / "vault"
    whole = path.read_bytes()
    damaged = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    for content in [*damaged, *(whole[:size] for size in range(len(whole))), whole + b"\0"]:
        path.write_bytes(content)
        with pytest.raises(VaultError, match="put back a copy"):
            vault.put("mail", "another value", "https://mail.example")
        assert path.read_bytes() == content
    path.write_bytes(whole)
    assert vault.names() == ("bank",)


FULL_DISK = """
import resource, sys
from director.secrets import Vault, VaultError
vault = Vault(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    vault.put("mail", "another value", "https://mail.example")
except VaultError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("room", [0, 60])
def test_a_write_that_fails_leaves_the_vault_as_it_was(
    vault: Vault, tmp_path: Path, room: int
) -> None:
    """No half of a file, and nothing left lying about."""
    names = sorted(path.name for path in tmp_path.iterdir())
    before = (tmp_path / "vault").read_bytes()
    assert "It is as it was before." in ran(FULL_DISK, tmp_path / "vault", room).stdout
    assert (tmp_path / "vault").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert vault.reveal(vault.reference("bank"), BANK).use() == VALUE


WRITER = """
import sys
from director.secrets import Vault
vault = Vault(sys.argv[1])
for number in range(8):
    vault.put(f"{sys.argv[2]}-{number}", "some value", "https://bank.example")
"""


def test_programs_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """From the very first secret on, when the key is not made yet."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "vault")]
    running = [subprocess.Popen([*command, name]) for name in "abc"]
    assert [each.wait(timeout=60) for each in running] == [0, 0, 0]
    assert len(Vault(tmp_path / "vault").names()) == 24


def test_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Through one vault or several."""
    vault = Vault(tmp_path / "vault")
    threads = [
        threading.Thread(target=vault.put, args=(name, "some value", BANK))
        for name in string.ascii_lowercase[:12]
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(Vault(tmp_path / "vault").names()) == 12


class Memory:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str, /) -> str | None:
        """What was kept."""
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keep it."""
        self.kept[service, username] = password


def test_the_key_can_live_in_a_keyring(tmp_path: Path) -> None:
    """Then no key file is made, and another keyring opens nothing."""
    ring = Memory()
    Vault(tmp_path / "vault", key=KeyringKey("work", ring)).put("bank", VALUE, BANK)
    again = Vault(tmp_path / "vault", key=KeyringKey("work", ring))
    assert again.reveal(again.reference("bank"), BANK).use() == VALUE
    assert not (tmp_path / "vault.key").exists()
    with pytest.raises(VaultError, match="its key is not"):
        Vault(tmp_path / "vault", key=KeyringKey("work", Memory())).names()
    ring.kept["director", "work"] = "broken"
    with pytest.raises(VaultError, match="keyring is not a key"):
        again.names()


@pytest.mark.skipif(find_spec("keyring") is not None, reason="the package keyring is there")
def test_without_the_package_a_keyring_is_refused_clearly() -> None:
    """With the way to get it."""
    with pytest.raises(VaultError, match="pip install keyring"):
        KeyringKey("work")


def test_without_cryptography_the_vault_says_what_to_install(tmp_path: Path) -> None:
    """The package itself is loaded without it, and so are the net and the origins."""
    code = """
import sys
import director.secrets
assert "cryptography" not in sys.modules
sys.modules["cryptography"] = None
try:
    director.secrets.Vault(sys.argv[1]).put("bank", "some value", "https://bank.example")
except director.secrets.VaultError as error:
    print(error)
"""
    assert (
        "pip install '.[store]' in a checkout of Director" in ran(code, tmp_path / "vault").stdout
    )


@pytest.mark.promise("D4")
def test_a_clear_value_is_never_shown() -> None:
    """Printed, formatted, logged, in a container, or by its attributes."""
    clear = Clear(VALUE)
    out = io.StringIO()
    print(clear, [clear], {"value": clear}, file=out)
    shown = [repr(clear), str(clear), f"{clear}", f"{clear!r:>90}", f"{clear:.3}", "%s" % clear]  # noqa: UP031
    attributes = [repr(getattr(clear, name)) for name in dir(clear)]
    assert leaks("".join([out.getvalue(), *shown, *attributes])) == []
    assert shown[1] == "[redacted]"
    assert clear.use() == VALUE


@pytest.mark.parametrize(
    "act", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, hash, bytes, len, iter]
)
def test_a_clear_value_is_not_copied_stored_or_measured(act: type[object]) -> None:
    """Each way is refused without showing it."""
    with pytest.raises(TypeError) as caught:
        act(Clear(VALUE))  # type: ignore[call-arg]
    assert leaks(told(caught.value)) == []


def test_a_clear_value_does_not_change_and_equals_its_like() -> None:
    """Comparing says no more than yes or no."""
    clear = Clear(VALUE)
    with pytest.raises(AttributeError, match="does not change"):
        clear.use = "x"  # type: ignore[assignment, method-assign]
    assert clear == Clear(VALUE)
    assert clear != Clear("another")
    assert clear != VALUE


@pytest.mark.promise("D4")
def test_a_failure_anywhere_shows_no_value_in_its_traceback(tmp_path: Path) -> None:
    """An exception is raised in each function that is entered while a value is kept, used, removed."""
    seen = 0

    def session(place: Path) -> None:
        vault = Vault(place / "vault")
        vault.put("bank", VALUE, BANK)
        vault.net().clean(f"{vault.reveal(vault.reference('bank'), BANK).use()}")

    def failing(at: int) -> str:
        count = 0

        def enter(frame: FrameType, event: str, _: object) -> None:
            nonlocal count
            if event == "call" and "director" in frame.f_globals.get("__name__", ""):
                count += 1
                if count == at:
                    raise RuntimeError("struck")

        before = sys.gettrace()
        sys.settrace(enter)
        try:
            session(tmp_path / str(at))
        except Exception as error:  # noqa: BLE001  whatever came of it
            sys.settrace(before)
            return told(error, its_locals=False)
        finally:
            sys.settrace(before)
        return ""

    # Every one at first, then fewer: the forms are written by the same few functions.
    for at in [*range(1, 60), *range(60, 400, 17)]:
        shown = failing(at)
        seen += "struck" in shown
        assert leaks(shown) == []
    assert seen >= 50
