"""One Chromium for all test-beds, and a store for each test."""

from __future__ import annotations

from runs.conftest import live, store

__all__ = ["live", "store"]
