"""Which values nobody should see: found by the words of their names, or by their look.

A name is read word by word: `user_password` and `apiKey` are sensitive, `keyword`, `author` and
`tokens_used` are not. When in doubt a value is hidden; it is only shown less, never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from director.workflow.bounds import check_bounds
from director.workflow.credential_patterns import hide_credentials
from director.workflow.paths import is_list
from director.workflow.templates import SECRET
from director.workflow.values import Json, WorkflowError

HIDDEN = "[hidden]"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")
_SECRET = frozenset(
    "password passwords passwd pwd passcode passphrase secret secrets token tokens apikey apikeys "
    "accesskey secretkey privatekey otp otps totp pin auth oauth authorization authentication "
    "bearer jwt cookie cookies sessionid cvv cvc credential credentials creds passwort kennwort "
    "contraseña contrasena senha".split()
)
_PHRASES = tuple(
    "api_key api_keys access_key secret_key private_key signing_key encryption_key ssh_key "
    "master_key session_id one_time_code verification_code security_code login_code access_code "
    "mfa_code 2_fa_code recovery_code recovery_codes backup_code backup_codes user_pass login_pass "
    "db_pass admin_pass root_pass smtp_pass mail_pass email_pass mot_de_passe".split()
)
# A name that ends so is about a secret and holds none.
_ABOUT = frozenset(
    "selector label length count type url uri used limit expires expiry at required policy "
    "strength status enabled valid present changed budget".split()
)
# These hold a login: who it is may be seen, the rest not.
_LOGIN = frozenset("credential credentials creds auth authentication oauth".split())
_OPENED = _LOGIN | {"pin"}
_WHO = frozenset("email mail user username login account name url host domain site type".split())
_NUMBERS = frozenset("token tokens cookie cookies auth".split())
_NAMES = ("name", "key", "field", "label", "id")
_IN_ADDRESS = re.compile(r"(://[^/\s:@]+:)[^@/\s]+(?=@)")
_IN_QUERY = re.compile(r"([?&#;]([\w.-]+)=)([^&#;\s]+)")


def is_sensitive(name: str) -> bool:
    """Whether what has this name is a secret by its name."""
    words = split_sensitive_name(name)
    if not words or words[-1] in _ABOUT:
        return False
    joined = f"_{'_'.join(words)}_"
    return (
        not _SECRET.isdisjoint(words)
        or words == ["pass"]
        or any(f"_{phrase}_" in joined for phrase in _PHRASES)
    )


def split_sensitive_name(name: str) -> list[str]:
    """The words of a name, in small letters, however they are joined."""
    return [word.casefold() for word in _WORDS.findall(name)]


def mask_sensitive(value: Json, *, name: str = "") -> Json:
    """The value with everything sensitive in it hidden: by its name, or as it looks like a key."""
    return _mask(_hide_keys(value), name)


def _hide_keys(value: Json) -> Json:
    """The value without keys and tokens, whatever their names are."""
    if isinstance(value, str):
        return hide_credentials(value, HIDDEN)
    if isinstance(value, Mapping):
        return {key: _hide_keys(inner) for key, inner in value.items()}
    return [_hide_keys(inner) for inner in value] if is_list(value) else value


def replace_sensitive(name: str, value: Json, keep: Callable[[str, str], Json]) -> Json:
    """The value with what `keep` gives in place of each sensitive value that is no reference."""
    return _replace_each(name, value, _mask(value, name), keep)


def _replace_each(name: str, value: Json, safe: Json, keep: Callable[[str, str], Json]) -> Json:
    if value == safe:
        return value
    if isinstance(value, Mapping):
        inside = safe if isinstance(safe, Mapping) else {}
        return {
            key: _replace_each(f"{name}.{key}", inner, inside.get(key, HIDDEN), keep)
            for key, inner in value.items()
        }
    if is_list(value):
        beside = safe if is_list(safe) else [HIDDEN] * len(value)
        pairs = enumerate(zip(value, beside, strict=True))
        return [_replace_each(f"{name}.{at}", one, shown, keep) for at, (one, shown) in pairs]
    # A text that only holds something sensitive, such as an address, is of no use as a secret.
    if safe != HIDDEN or (isinstance(value, str) and SECRET.search(value)):
        return value
    return keep(name, str(value))


def refuse_sensitive(name: str, value: Json) -> Json:
    """The value as it is: what a model wrote is no secret, and is never hidden as one."""
    return replace_sensitive(name, value, _refuse)


def _refuse(name: str, _: str) -> Json:
    raise WorkflowError(
        f"{name!r} is the name of a secret, and a value was given for it. Nothing was run. Secrets "
        "are kept in the vault: ask the user to put it there, and give its reference, "
        "{{secret:name}}."
    )


def _mask(value: Json, name: str) -> Json:
    if _is_hidden(name, value):
        return HIDDEN
    if isinstance(value, Mapping):
        login = not _LOGIN.isdisjoint(split_sensitive_name(name))
        return {
            key: _mask(inner, _find_name(key, value, login=login)) for key, inner in value.items()
        }
    if is_list(value):
        return [_mask(inner, name) for inner in value]
    if isinstance(value, str):
        return _text(value)
    return value


def _is_hidden(name: str, value: Json) -> bool:
    """Yes, no and nothing are never secret, nor is a number that counts tokens."""
    if value is None or isinstance(value, bool) or not is_sensitive(name):
        return False
    if isinstance(value, Mapping) or is_list(value):
        return bool(value) and not _is_opened(name, value)
    return not (
        isinstance(value, int | float) and _NUMBERS.intersection(split_sensitive_name(name))
    )


def _is_opened(name: str, value: Mapping[str, Json] | Sequence[Json]) -> bool:
    """Whether only some of what a container holds is hidden: a login, the pins of a map."""
    objects = [value] if isinstance(value, Mapping) else value
    other = "_".join(word for word in split_sensitive_name(name) if word not in _OPENED)
    return not is_sensitive(other) and all(isinstance(one, Mapping) for one in objects)


def _find_name(key: str, holder: Mapping[str, Json], *, login: bool) -> str:
    """The name to judge a member by: its own, that beside it, or that of the login it is in."""
    if key == "value":
        beside = (holder.get(name) for name in _NAMES)
        return next((name for name in beside if isinstance(name, str) and is_sensitive(name)), key)
    if login and _WHO.isdisjoint(split_sensitive_name(key)) and not is_sensitive(key):
        return "secret"
    return key


def _text(text: str) -> str:
    """A text with the references, logins and parameters in it hidden."""
    if text[:1] in ("{", "["):
        try:
            inside = json.loads(text)
            check_bounds(inside, what="The text")
        except (ValueError, RecursionError):
            inside = None
        if isinstance(inside, dict | list) and (shown := mask_sensitive(inside)) != inside:
            return json.dumps(shown, ensure_ascii=False)
    text = SECRET.sub(HIDDEN, text)
    text = _IN_ADDRESS.sub(rf"\g<1>{HIDDEN}", text)
    return _IN_QUERY.sub(lambda m: m[1] + (HIDDEN if is_sensitive(m[2]) else m[3]), text)
