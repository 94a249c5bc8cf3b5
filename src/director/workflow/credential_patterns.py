"""Keys and tokens by their look: the shapes that vendors give them, and odd values beside a name.

Pure. A shape is listed only if nothing else is written so. Ids, hashes and UUIDs are no
credentials by themselves: a value without such a shape counts only where a name says what it is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_FEW = 4
_LEAST = 16  # characters of a value that has no shape of its own
_BITS = 3.2  # for each of its characters: what people write as words has less
_BEFORE = 60  # characters before a value in which its name is looked for
_PEM_END = r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
_PEM = rf"(?s:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?{_PEM_END})"
_SK = r"sk-(?:(?:ant|proj|svcacct|admin|or-v1|lf)-[\w-]{20,}|(?=[a-zA-Z]*\d)[A-Za-z0-9]{32,})"
_SLACK = r"xox[abceoprs]-(?:\d+-)?[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}"
# What it is, how it may begin, and its whole shape.
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("a private key", "-----BEGIN", _PEM),
    ("a private key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("a signed token", "eyJ", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}"),
    ("a key of a model provider", "sk-", _SK),
    ("a key of a model provider", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    ("a key of a model provider", "pplx-", r"pplx-[A-Za-z0-9]{40,}"),
    ("a key of a model provider", "xai-", r"xai-[A-Za-z0-9]{60,}"),
    ("a key of a model provider", "nvapi-", r"nvapi-[\w-]{40,}"),
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    ("a GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}"),
    (
        "a GitLab token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent-",
        r"gl(?:pat|ptt|dt|rt|cbt|oas|ft|soat|agent)-[\w-]{20,}",
    ),
    ("a Slack token", "xoxa xoxb xoxc xoxe xoxo xoxp xoxr xoxs xapp", _SLACK),
    ("a Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}"),
    ("an AWS key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])"),
    ("a Google key", "AIza", r"AIza[\w-]{35}"),
    ("a Google key", "ya29.", r"ya29\.[\w-]{20,}"),
    ("a Google key", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    (
        "a Stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    ),
    ("a Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("a package token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    ("a package token", "pypi-AgE", r"pypi-AgE[\w-]{40,}"),
    ("a package token", "dckr_pat_", r"dckr_pat_[\w-]{20,}"),
    ("a Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    ("a SendGrid key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("a Linear token", "lin_api_", r"lin_api_\w{32,}"),
    ("a Figma token", "figd_", r"figd_[\w-]{32,}"),
    ("a Notion token", "ntn_", r"ntn_\w{40,}"),
)
_READ = tuple((kind, begins.split(), re.compile(look)) for kind, begins, look in _SHAPES)
# A value that says of itself what it is: in a header, or behind a name and a sign.
_VALUE = re.compile(r"[A-Za-z0-9._~+/=!@#$%^&*-]{16,}")
_NAME = re.compile(
    r"(?:\b(?:bearer|basic)[ \t]+"
    r"|(?:password|passwd|passphrase|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key"
    r"|secret[_ -]?key|auth[_ -]?key|credential)s?[\"']?\s{0,3}(?:=>|[:=]|\bis\b)\s{0,3}[\"'`]?)$",
    re.IGNORECASE,
)
# An id wherever it stands, and a key that is published on purpose.
_PUBLIC = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|pk_\w+")
_WORDY = re.compile(r"[A-Za-z]{4,}")
_EDGE = re.compile(r"[\w-]")


@dataclass(frozen=True, slots=True)
class FoundCredential:
    """Where a credential stands in a text, and what it looks like in a few words."""

    start: int
    end: int
    kind: str


def find_credentials(text: str) -> list[FoundCredential]:
    """The keys and tokens in a text, in order and apart."""
    found = [*_by_shape(text), *_by_name(text)]
    kept: list[FoundCredential] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def hide_credentials(text: str, mark: str) -> str:
    """The text with a mark in the place of each credential."""
    for one in reversed(find_credentials(text)):
        text = f"{text[: one.start]}{mark}{text[one.end :]}"
    return text


def _by_shape(text: str) -> Iterator[FoundCredential]:
    # A plain search is many times as fast as a pattern, and most texts hold none.
    for kind, begins, look in _READ:
        for begin in begins:
            at = text.find(begin)
            while at >= 0:
                found = look.match(text, at)
                # In the middle of a longer word it is a part of something else.
                if found and not (at and _EDGE.match(text[at - 1])):
                    yield FoundCredential(*found.span(), kind)
                at = text.find(begin, found.end() if found else at + 1)


def _by_name(text: str) -> Iterator[FoundCredential]:
    for found in _VALUE.finditer(text):
        start, end = found.span()
        # The sign and the name may be written without a space, as in `token=…`.
        sign = text.rfind("=", start, end - _LEAST)
        for at in (start, sign + 1)[: 1 + (sign >= 0)]:
            value = text[at:end].rstrip(".,;")
            if _is_odd(value) and _NAME.search(text[max(0, at - _BEFORE) : at]):
                yield FoundCredential(at, at + len(value), "a secret by its name")
                break


def _is_odd(value: str) -> bool:
    """Whether a value looks drawn by lot: letters and digits mixed, and no words in it."""
    if len(value) < _LEAST or _PUBLIC.fullmatch(value):
        return False
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    words = sum(len(word) for word in _WORDY.findall(value) if word.islower() or word.istitle())
    return words * 2 < len(value) and _bits(value) >= _BITS


def _bits(value: str) -> float:
    """The entropy of the characters of a value, each."""
    size = len(value)
    return -sum(many / size * math.log2(many / size) for many in Counter(value).values())


# How people write a password into a message: behind a word for it, alone in its place.
_SAID = re.compile(
    r"(?i)\b(?:password|passwort|kennwort|passcode|passphrase|pass|pwd|pw|pin|api[ _-]?key|token"
    r"|secret|mot de passe|contraseña|senha|wachtwoord)\b"
    r"(\s*(?:is|ist|est|es|lautet)\b\s*[:=]?|\s*[:=]|\s)\s*[\"'`«“]?([^\s\"'`»”,]{4,})"
)
_PLAIN_WORD = re.compile(r"[A-Za-zÀ-ÿ'’-]+|\d{1,3}")
_LAST = re.compile(r"\s*(?:$|[\n,;])")


def find_passwords(text: str) -> list[FoundCredential]:
    """What in a message of a user looks like a password or a key: worth a question, no more."""
    found = find_credentials(text)
    for said in _SAID.finditer(text):
        value = said[2].rstrip(".;)")
        start, end = said.start(2), said.start(2) + len(value)
        inside = any(one.start < end and start < one.end for one in found)
        if not inside and _is_password(value, said[1], text[said.end() :]):
            found.append(FoundCredential(start, end, "a password"))
    return sorted(found, key=lambda one: one.start)


def _is_password(value: str, sign: str, rest: str) -> bool:
    if len(value) < _FEW or value.startswith(("{{", "http://", "https://")):
        return False
    if _PLAIN_WORD.fullmatch(value):
        # A plain word is one only where nothing else can be meant: `password: swordfish`.
        return sign.strip() in (":", "=") and bool(_LAST.match(rest))
    if sign.strip():
        return True
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
