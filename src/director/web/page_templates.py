"""Templates and what they may use: one environment for all pages, escaping everything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from director.runs.run_text import write_doubts_text, write_seconds_text
from director.sections.section_texts import write_summary_spans
from director.web.views import doubts, safe_markdown
from director.workflow.sensitive import is_sensitive

templates = Jinja2Templates(Path(__file__).parent / "templates")


def _tokens(count: int) -> str:
    """Tokens as short as they may be said."""
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}K"


def _clock(at: float) -> str:
    """A moment: the time if it is of today, else the day as well."""
    then = datetime.fromtimestamp(at).astimezone()
    is_today = then.date() == datetime.now().astimezone().date()
    return then.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M")


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _model_name(name: str) -> str:
    """A model by the name that its server has for it."""
    return "Demo script" if name == "scripted:rehearsal" else name.partition("#")[2] or name


def get_page_api(workflow: str) -> str:
    """Where the API of a workflow is."""
    return f"/api/workflows/{quote(workflow, safe='')}"


templates.env.trim_blocks = templates.env.lstrip_blocks = True
templates.env.filters |= {
    "markdown": safe_markdown.render_markdown,
    "cited": safe_markdown.render_summary_markdown,
    "tokens": _tokens,
    "model_name": _model_name,
    "clock": _clock,
    "iso": _iso,
    "seconds": write_seconds_text,
    "doubts": write_doubts_text,
    "doubt_words": doubts.get_doubt_words,
    "doubt_facts": doubts.list_doubt_facts,
    "doubt_request": doubts.write_doubt_request,
    "spans": write_summary_spans,
}
templates.env.tests["sensitive"] = is_sensitive


def answer_html_page(body: bytes) -> HTMLResponse:
    """A page that was made before, which no cache but our own keeps."""
    return HTMLResponse(body, headers={"cache-control": "no-store"})


def render_page_template(name: str, shown: Mapping[str, object]) -> bytes:
    """A page or a part of one as it is sent."""
    return templates.get_template(name).render(shown).encode()


def answer_page_template(
    request: Request, name: str, shown: Mapping[str, object], *, status: int = 200
) -> HTMLResponse:
    """A page or a part of one, which no cache keeps."""
    made = templates.TemplateResponse(
        request,
        name,
        {**shown, "event": getattr(request.state, "event", "")},
        status_code=status,
    )
    made.headers["cache-control"] = "no-store"
    return made
