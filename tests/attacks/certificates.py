"""Certificates for sites on loopback, and browsers that trust exactly one key."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chromiums import full_chromium
from director.browser.chromium import find_chromium

_NOW = dt.datetime.now(dt.UTC)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A file with a key and a certificate that it signs itself, and the hash of the key."""

    path: Path
    key_hash: str


def make_certificate(path: Path, names: Sequence[str], *, days: int = 10) -> Certificate:
    """A certificate for names and addresses; with negative days it has expired."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_NOW - dt.timedelta(days=30))
        .not_valid_after(_NOW + dt.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(list(map(_name, names))), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(pem, form, serialization.NoEncryption())
    path.write_bytes(secret + made.public_bytes(pem))
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return Certificate(path, base64.b64encode(hashlib.sha256(public).digest()).decode())


def write_chromium(path: Path, trusted: Certificate, *switches: str) -> Path:
    """A command that starts Chromium with more switches, and with trust in one key."""
    words = [f"--ignore-certificate-errors-spki-list={trusted.key_hash}", *switches]
    more = " ".join(f"'{word}'" for word in words)
    with full_chromium():
        chromium = find_chromium()
    path.write_text(f'#!/bin/sh\nexec {chromium} "$@" {more}\n')
    path.chmod(0o700)
    return path


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
