"""Secrets: the vault, and the net that keeps their values out of texts.

The only package that ever holds a clear value. Everything else holds references.
"""

from director.secrets.clear import Clear, FieldNotAllowed, Reference, SecretRefused
from director.secrets.encoded_forms import SHORT
from director.secrets.origins import Origin, OriginError, parse_origin_binding, parse_page_origin
from director.secrets.redaction import Redactor, list_encoded_forms
from director.secrets.sealed import Seal
from director.secrets.secret_references import SecretReferences
from director.secrets.vault import Vault, open_vault
from director.secrets.vault_key import KeyFile, Keyring, KeyringKey, KeySource, VaultError

__all__ = [
    "SHORT",
    "Clear",
    "FieldNotAllowed",
    "KeyFile",
    "KeySource",
    "Keyring",
    "KeyringKey",
    "Origin",
    "OriginError",
    "Redactor",
    "Reference",
    "Seal",
    "SecretReferences",
    "SecretRefused",
    "Vault",
    "VaultError",
    "list_encoded_forms",
    "open_vault",
    "parse_origin_binding",
    "parse_page_origin",
]

# Names of one release ago; they go with the next.
binding = parse_origin_binding
canary_forms = list_encoded_forms
origin_of = parse_page_origin
