"""Which workflows name a secret. Only its name is looked for; no value is read."""

from __future__ import annotations

import json
import re

from director.store import Store
from director.store.deleted_workflows import list_deleted_workflows

_REFERENCE = re.compile(r"\{\{\s*secret:([A-Za-z0-9_.\-]+)")


def secret_users(store: Store) -> dict[str, list[tuple[str, str]]]:
    """The workflows that name each secret, by its name: their ids and names."""
    found: dict[str, list[tuple[str, str]]] = {}
    gone = list_deleted_workflows(store)
    for one in store.newest("workflow"):
        if one.id in gone:
            continue
        names = set(_REFERENCE.findall(json.dumps(dict(one.body), default=str)))
        for name in sorted(names):
            found.setdefault(name, []).append((one.id, str(one.body.get("name", one.id))))
    return found
