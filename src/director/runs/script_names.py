"""Values of a config as Python: templates become names, texts with templates f-strings."""

from __future__ import annotations

import builtins
import keyword
import math
import re
import symtable
from collections.abc import Collection, Mapping
from functools import lru_cache

from director.runs.script_parts import write_script_head, write_script_tail
from director.workflow.paths import Path, is_list
from director.workflow.templates import (
    Template,
    Within,
    cut_at_templates,
    get_template_css_place,
    get_template_member,
    is_template,
    is_template_parameter,
    read_template,
)
from director.workflow.values import Json

_UNFIT = re.compile(r"\W", re.ASCII)
# Names that the body of a script uses for itself.
_INSIDE = "page tabs args found since problem item current main arguments".split()


@lru_cache(maxsize=1)
def _own() -> frozenset[str]:
    """The names that a script has before a workflow gives it any."""
    names = {*_INSIDE, *dir(builtins)}
    for text in (write_script_head(bundles=True), write_script_tail(bundles=True)):
        for table in symtable.symtable(text, "script", "exec").get_symbols():
            names.add(table.get_name())
    return frozenset(names)


def make_script_name(name: str) -> str:
    """A name of a workflow as a name in Python; two names never become one."""
    plain = _UNFIT.sub(lambda found: f"_x{ord(found[0]):x}_", name)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain in _own() else plain


def write_script_line(words: str) -> str:
    """Words in one line, to be read: nothing in them can end a comment or turn its letters."""
    line = " ".join(words.split())
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in line)


def write_comment(words: str) -> str:
    """A line that does nothing."""
    return f"# {write_script_line(words)}"


def write_docstring(words: str) -> str:
    """Words at the head of a script; whatever they hold, they stay one text."""
    lines = (
        write_script_line(line).replace("\\", "\\\\").replace('"', '\\"')
        for line in words.split("\n")
    )
    return '"""' + "\n".join(lines) + '\n"""'


def write_literal(value: Json) -> str:
    """A plain value as it is written in Python; a number that is none has no name there."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


class Names:
    """Writes values; knows which names exist and which of them are texts."""

    def __init__(self, known: Collection[str], texts: Collection[str]) -> None:
        self._known = set(known)
        self._texts = set(texts)

    def know(self, name: str) -> None:
        """A name that is given a value from here on."""
        self._known.add(name)

    def value(self, value: Json) -> str:
        """A JSON value as an expression."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            inside = (f"{key!r}: {self.value(inner)}" for key, inner in value.items())
            return f"{{{', '.join(inside)}}}"
        if is_list(value):
            return f"[{', '.join(map(self.value, value))}]"
        return write_literal(value)

    def address(self, value: Json) -> str:
        """An address as an expression, with the values of its parameters encoded."""
        if not isinstance(value, str) or is_template(value):
            return self.value(value)
        pieces = cut_at_templates(value)
        parts = [
            repr(piece) if at % 2 == 0 else self._parameter(piece, "".join(pieces[:at]))
            for at, piece in enumerate(pieces)
        ]
        return " + ".join(each for each in parts if each != "''")

    def selector(self, value: Json, within: Within = "selector") -> str:
        """A selector as an expression, with each value escaped for its place in the CSS."""
        if isinstance(value, Mapping):
            inside = (
                f"{key!r}: {self.selector(inner, get_template_member(within, key))}"
                for key, inner in value.items()
            )
            return f"{{{', '.join(inside)}}}"
        if within == "text" or not isinstance(value, str) or is_template(value):
            return self.value(value)
        pieces = cut_at_templates(value)
        parts = [
            repr(piece) if at % 2 == 0 else self._css(piece, "x".join(pieces[:at:2]))
            for at, piece in enumerate(pieces)
        ]
        return " + ".join(each for each in parts if each != "''") or "''"

    def _css(self, piece: str, before: str) -> str:
        return f"escape_css({self._inside(piece)}, {get_template_css_place(before)!r})"

    def _parameter(self, piece: str, before: str) -> str:
        said = self._inside(piece)
        return f"quote({said}, safe='')" if is_template_parameter(before) else said

    def template(self, template: Template) -> str:
        """What a template names, as an expression."""
        if template.kind == "secret":
            return f"secret({template.name!r})"
        if template.kind == "env":
            return f"os.environ[{template.name!r}]"
        if template.kind == "text":
            return repr(template.name)
        if template.kind == "all_records":
            return f"all_records({', '.join(map(repr, template.path))})"
        return self._path(template.path)

    def _path(self, path: Path) -> str:
        head, rest = str(path[0]), path[1:]
        if head == "current" or head not in self._known:
            record = "current" if head == "current" else f"records[{head!r}]"
            return f"look({', '.join([record, *map(repr, rest)])})" if rest else record
        return make_script_name(head) + "".join(f"[{each!r}]" for each in rest)

    def _text(self, value: str) -> str:
        if is_template(value):
            return self.template(read_template(value[2:-2]))
        pieces = cut_at_templates(value)
        return repr(value) if len(pieces) == 1 else self._f_string(pieces)

    def _inside(self, piece: str) -> str:
        template = read_template(piece)
        said = self.template(template)
        is_text = template.kind in ("secret", "env", "text") or template.path[:1] in [
            (name,) for name in self._texts if len(template.path) == 1
        ]
        return said if is_text else f"text({said})"

    def _f_string(self, pieces: list[str]) -> str:
        inside = [self._inside(piece) for piece in pieces[1::2]]
        # Quotes and backslashes cannot stand in the braces of an f-string.
        if any(sign in each for each in inside for sign in "'\"\\"):
            parts = [repr(p) if at % 2 == 0 else self._inside(p) for at, p in enumerate(pieces)]
            return " + ".join(each for each in parts if each != "''")
        joined = "".join(
            _escape(piece) if at % 2 == 0 else f"{{{inside[at // 2]}}}"
            for at, piece in enumerate(pieces)
        )
        return f'f"{joined}"'


def _escape(text: str) -> str:
    """A text as it stands in an f-string between double quotes."""
    # With a double quote in front, repr() writes single quotes around it, whatever follows.
    written = repr(f'"{text}')[2:-1].replace("\\'", "'").replace('"', '\\"')
    return written.replace("{", "{{").replace("}", "}}")
