"""The two shapes of a provider's refusal."""

from __future__ import annotations

from collections.abc import Mapping

from director.testing.double.exchange import Refusal


def write_openai_refusal(  # noqa: PLR0913  the body has that many fields
    rule: str,
    message: str,
    *,
    status: int = 400,
    kind: str = "invalid_request_error",
    param: str | None = None,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    defect: bool = True,
) -> Refusal:
    """A refusal in OpenAI's shape."""
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Refusal(rule, status, {"error": error}, headers=headers, defect=defect)


def write_anthropic_refusal(  # noqa: PLR0913  the body has that many fields
    rule: str,
    message: str,
    *,
    status: int = 400,
    kind: str = "invalid_request_error",
    error_code: str = "",
    headers: Mapping[str, str] | None = None,
    defect: bool = True,
) -> Refusal:
    """A refusal in Anthropic's shape; the server adds the request's id."""
    error: dict[str, object] = {"type": kind, "message": message}
    if error_code:
        error["details"] = {"error_code": error_code}
    return Refusal(rule, status, {"type": "error", "error": error}, headers=headers, defect=defect)
