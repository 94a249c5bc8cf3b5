"""Secrets: the vault, and the net that keeps their values out of texts.

The only package that ever holds a clear value. Everything else holds references.
"""

from director.secrets.clear import Clear, FieldNotAllowed, Reference, SecretRefused
from director.secrets.forms import SHORT
from director.secrets.keys import Key, KeyFile, Keyring, KeyringKey, VaultError
from director.secrets.origins import Origin, OriginError, binding, origin_of
from director.secrets.redaction import Net, canary_forms
from director.secrets.references import SecretReferences
from director.secrets.sealed import Seal
from director.secrets.vault import Vault, open_vault

__all__ = [
    "SHORT",
    "Clear",
    "FieldNotAllowed",
    "Key",
    "KeyFile",
    "Keyring",
    "KeyringKey",
    "Net",
    "Origin",
    "OriginError",
    "Reference",
    "Seal",
    "SecretReferences",
    "SecretRefused",
    "Vault",
    "VaultError",
    "binding",
    "canary_forms",
    "open_vault",
    "origin_of",
]
