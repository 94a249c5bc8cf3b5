"""The name of `director.fresh_context` one release ago; it goes with the next."""

from director.fresh_context import (
    Own,
    compared,
    delivered,
    fresh,
    kept,
    limit_for,
    replayed,
    verified,
)

__all__ = [
    "Own",
    "compared",
    "delivered",
    "fresh",
    "kept",
    "limit_for",
    "replayed",
    "verified",
]
