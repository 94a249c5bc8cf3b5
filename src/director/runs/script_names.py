"""Values of a config as Python: templates become names, texts with templates f-strings."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Collection, Mapping

from director.workflow.paths import Path, is_list
from director.workflow.templates import Template, is_template, read_template
from director.workflow.values import Json

_TEMPLATE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
# Names that the script itself uses.
_OWN = frozenset(
    "page tabs args kept records seen now step keep text secret look all_records make_records "
    "chosen glob check look_once extract open_tab switch_tab close_tab watch main start arguments "
    "json os re sys time argparse fnmatch shutil current Failed".split()
)


def py(name: str) -> str:
    """A name of a workflow as a name in Python."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    plain = f"_{plain}" if plain[:1].isdigit() else plain
    taken = keyword.iskeyword(plain) or plain in _OWN or plain in dir(builtins)
    return f"{plain}_" if taken else plain


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
        return repr(value)

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
        return py(head) + "".join(f"[{each!r}]" for each in rest)

    def _text(self, value: str) -> str:
        if is_template(value):
            return self.template(read_template(value[2:-2]))
        pieces = _TEMPLATE.split(value)
        return repr(value) if len(pieces) == 1 else self._f_string(pieces)

    def _inside(self, piece: str) -> str:
        template = read_template(piece)
        said = self.template(template)
        is_text = template.kind in ("secret", "env", "text") or template.path[:1] in [
            (name,) for name in self._texts if len(template.path) == 1
        ]
        return said if is_text else f"text({said})"

    def _f_string(self, pieces: list[str]) -> str:
        joined = "".join(
            piece.replace("{", "{{").replace("}", "}}")
            if at % 2 == 0
            else f"{{{self._inside(piece)}}}"
            for at, piece in enumerate(pieces)
        )
        quote = next((each for each in ('"', "'", '"""') if each not in joined), "")
        fits = quote and not {"\n", "\\"} & set(joined) and not joined.endswith(quote[:1])
        if fits:
            return f"f{quote}{joined}{quote}"
        parts = (repr(p) if at % 2 == 0 else self._inside(p) for at, p in enumerate(pieces))
        return " + ".join(part for part in parts if part != "''")
