"""The tool by which an agent reads back what was cut, for clients that can run it.

Offered only to a client that says so with a header and sends tools of its own: it gets the call,
asks the proxy for the original under the client's own key, and answers the call.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.middleware.bodies import Api

OFFERED = "director_recall"
WANTED = b"x-director-recall"
_ABOUT = (
    "Read the original words behind a shortened result or a summary of earlier turns. Use it "
    "when a notice names a handle and you need what it stands for."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "handle": {
            "type": "string",
            "description": "the eight hex digits of a notice, or a turn such as t12",
        }
    },
    "required": ["handle"],
    "additionalProperties": False,
}


def offer(body: dict[str, object], api: Api) -> dict[str, object]:
    """The body with the tool among its own; one without tools is left alone."""
    tools = body.get("tools")
    if not isinstance(tools, list) or not tools:
        return body
    return {**body, "tools": [*tools, _tool(api)]}


def _tool(api: Api) -> Mapping[str, object]:
    named = {"name": OFFERED, "description": _ABOUT}
    if api == "anthropic":
        return {**named, "input_schema": _SCHEMA}
    described = {**named, "parameters": _SCHEMA}
    if api == "responses":
        return {"type": "function", **described}
    return {"type": "function", "function": described}
