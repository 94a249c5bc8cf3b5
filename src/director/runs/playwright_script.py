"""A workflow as a Playwright script in Python that stands alone, to read, change and keep.

It does the same in the same order and asserts the same conditions. It holds no secret: those come
from the environment. What needs a model fails there with words. It has no journal: a script that
stops in the middle does not know what it did. Whatever a workflow is called or says is data in it;
its code is refused unless it can only compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

from director.runs.row_readings import name_kind
from director.runs.run_text import write_node_text
from director.runs.sandbox import write_sandbox_source
from director.runs.script_actions import has_bundle, write_action, write_conditions
from director.runs.script_code import write_code_function
from director.runs.script_doubts import (
    is_looked_at,
    note_rows,
    write_look_before_doubt,
    write_loop_limit_doubt,
)
from director.runs.script_names import (
    Names,
    make_script_name,
    write_comment,
    write_docstring,
    write_literal,
)
from director.runs.script_parts import write_script_head, write_script_tail
from director.workflow.expressions import PARSERS, name_expression_templates
from director.workflow.paths import Path, is_list, read_path
from director.workflow.references import map_parents
from director.workflow.templates import Within, read_template
from director.workflow.types.transform import list_transform_inputs
from director.workflow.values import Config, Node, Workflow

_ABOUT = (
    "Exported by Director. It needs only Python and playwright. It ends with code 3 and prints\n"
    "doubts: nothing read where there is something to read, totals that the page states, pages\n"
    "that nobody read, fields without a value, values that must differ, failed rounds, clicks\n"
    "that led to an error page, downloads that are empty or a web page, promises of a node that\n"
    "held before it acted. It does not doubt what needs an earlier run, a second look or what was\n"
    "sent; it says so when it ends."
)
_EXTRACT = {"deterministic_extract": "extract", "extract_all": "extract_all"}
_WORDS = {
    **{name: name for name in ("fields", "key", "container", "total", "limit", "timeout")},
    "next": "turns",
}
_WITHIN: Mapping[str, Within] = {
    "fields": "selectors",
    "container": "selector",
    "total": "selector",
    "next": "selector",
}
_LOCAL = ("index", "total", "isFirst", "isLast", "lastError", "param")


def write_playwright_script(workflow: Workflow) -> str:
    """The script of a workflow."""
    return _Script(workflow).text()


class _Script:
    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        self._nodes = {node.id: node for node in workflow.nodes}
        self._places = {node.id: place for place, node in enumerate(workflow.nodes, 1)}
        inputs = [given.name for given in workflow.inputs]
        texts = [g.name for g in workflow.inputs if g.required or isinstance(g.default, str)]
        known = {*inputs, *_LOCAL, *_list_names(workflow)}
        self._names = Names(known, texts)
        self._taken = set(map(make_script_name, known))
        self._functions: list[str] = []

    def text(self) -> str:
        inside = map_parents(self._workflow)
        top = [node.id for node in self._workflow.nodes if node.id not in inside]
        body = list(self._all(top))
        given = [
            f"{make_script_name(each.name)} = args.{make_script_name(each.name)}"
            for each in self._workflow.inputs
        ]
        main = ['tabs = {"main": page}', *given, *body]
        parses = any(name in each for each in self._functions for name in PARSERS)
        bundles = any(map(has_bundle, self._workflow.nodes))
        rows = any(each.config.get("method") in _EXTRACT for each in self._workflow.nodes)
        head = write_script_head(bundles=bundles, rows=rows).replace(
            "@PARSING@", write_sandbox_source() if parses else ""
        )
        about = f"{self._workflow.name}\n\n{self._workflow.description}".strip()
        told = write_docstring(f"{about}\n\n{_ABOUT}")
        return "\n".join(
            [
                f"{told}\n",
                head,
                *(f"\n\n{each}" for each in [*self._functions, self._arguments()]),
                "\n\ndef main(page, args):",
                *_indent(main),
                write_script_tail(bundles=bundles),
                "",
            ]
        )

    def _arguments(self) -> str:
        lines = ["def arguments():", "    parser = argparse.ArgumentParser(description=__doc__)"]
        for each in self._workflow.inputs:
            flag = f"--{each.name.replace('_', '-')}"
            how = "required=True" if each.required else f"default={write_literal(each.default)}"
            said = each.description.replace("%", "%%")
            names = f"{flag!r}, dest={make_script_name(each.name)!r}"
            lines.append(f"    parser.add_argument({names}, {how}, help={said!r})")
        return "\n".join(
            [
                *lines,
                "    parser.add_argument('--headed', action='store_true', help='in a window')",
                "    parser.add_argument('--chromium', help='which Chromium; else the one found')",
                "    parser.add_argument('--downloads', default='downloads', help='for files')",
                "    parser.add_argument('--out', help='a file for what was found, as JSON')",
                "    return parser.parse_args()",
            ]
        )

    def _all(self, ids: Sequence[str]) -> Iterator[str]:
        for id_ in ids:
            yield from self._node(self._nodes[id_])

    def _part(self, node: Node, name: str) -> list[str]:
        named = node.config.get(name)
        return list(self._all([str(id_) for id_ in named] if is_list(named) else [])) or ["pass"]

    def _node(self, node: Node) -> Iterator[str]:
        yield ""
        yield write_comment(f"{self._places[node.id]}. {node.alias}: {write_node_text(node, 80)}")
        if node.description.strip():
            yield write_comment(node.description)
        yield f"step({node.alias!r})"
        yield from write_conditions(node.requires, self._names, since="0")
        if any("status" in each for each in node.ensures):
            yield "since = len(seen)"
        if _downloads(node):
            yield "before = len(save_downloads())"
        yield from write_look_before_doubt(node, self._names)
        yield from self._WRITE[node.type](self, node)
        yield from write_conditions(node.ensures, self._names, since="since")
        if is_looked_at(node):
            yield "note_held(page, held)"

    def _action(self, node: Node) -> Iterator[str]:
        made = list(write_action(node.config, self._names))
        yield from made
        if set(node.config) & {"store", "create_records", "store_to_record"}:
            files = ", 'downloads': new_downloads(page, before)" if _downloads(node) else ""
            yield from self._keep_result(node, f"{{'url': page.url{files}}}")

    def _query(self, node: Node) -> Iterator[str]:
        config, method = node.config, node.config["method"]
        if method == "validate":
            rules = config["rules"]
            for rule in rules if is_list(rules) else ():
                if isinstance(rule, Mapping):
                    absent = rule["type"] == "element_absent"
                    asked = {"element": rule["selector"], **({"absent": True} if absent else {})}
                    yield from write_conditions([asked], self._names, since="0")
            return
        selector = self._names.selector(config["selector"])
        if method in _EXTRACT:
            more = "".join(
                f", {word}={self._names.selector(config[name], _WITHIN.get(name, 'text'))}"
                for name, word in _WORDS.items()
                if config.get(name) is not None
            )
            if config.get("visibleOnly") is False:
                more += ", visible=False"
            yield from self._keep_result(node, f"{_EXTRACT[str(method)]}(page, {selector}{more})")
            yield from note_rows(node, self._names, self._find_same(node))
        else:
            yield from self._keep_result(node, f"count(page, {selector})")

    def _find_same(self, node: Node) -> str:
        """The first node that reads the same of a list into records of one type."""
        return next(
            each.alias
            for each in self._workflow.nodes
            if each is node or (each.type == node.type and name_kind(each) == name_kind(node))
        )

    def _transform(self, node: Node) -> Iterator[str]:
        given = node.config.get("input")
        names = list_transform_inputs(given)
        called = self._write("code", names, str(node.config["code"]), node)
        values = given if isinstance(given, Mapping) else {"input": given}
        passed = [f"{name}={self._names.value(values[name])}" for name in names]
        yield from self._keep_result(node, f"compute({', '.join([called, *passed])})")

    def _write(self, what: str, names: Sequence[str], code: str, node: Node) -> str:
        """Write the code of a node as a function; its name is no variable's."""
        called = f"{make_script_name(node.alias).rstrip('_')}_{what}"
        while called in self._taken:
            called += "_"
        self._taken.add(called)
        self._functions.append(write_code_function(called, names, code, node=node.alias))
        return called

    def _context(self, node: Node) -> Iterator[str]:
        given, asked = node.config.get("variables"), node.config.get("ask")
        pairs = (
            [(n, self._names.value(v)) for n, v in given.items()]
            if isinstance(given, Mapping)
            else []
        )
        if isinstance(asked, Mapping):
            pairs += [(n, f"input({self._names.value(v)} + ' ')") for n, v in asked.items()]
        for name, said in pairs:
            head, dot, rest = name.partition(".")
            if dot:
                both = f"{{**kept.get({head!r}, {{}}), {rest!r}: {said}}}"
                yield f"{make_script_name(head)} = keep({head!r}, {both})"
            else:
                yield f"{make_script_name(head)} = keep({head!r}, {said})"

    def _iterate(self, node: Node) -> Iterator[str]:
        config = node.config
        limit = f", {self._names.value(config['limit'])}" if config.get("limit") is not None else ""
        one, counted = "current", "index"
        if config.get("records") is not None:
            items = f"chosen({self._names.value(config['records'])}{limit})"
        else:
            one = str(config["variable"])
            counted = str(config.get("index") or f"{one}Index")
            items = self._names.value(config["over"]) + (f"[:{limit[2:]}]" if limit else "")
            self._names.know(one)
            self._names.know(counted)
        every = f"{make_script_name(node.alias).rstrip('_')}_items"
        yield f"{every} = {items}"
        yield from write_loop_limit_doubt(node, items, limit)
        stops = config.get("on_error", "continue") == "stop"
        failed = f"{make_script_name(node.alias).rstrip('_')}_failed"
        yield from [] if stops else [f"{failed} = []"]
        name = make_script_name(one) if one != "current" else one
        yield f"for index, {name} in enumerate({every}):"
        body = [
            f"total, isFirst, isLast = len({every}), index == 0, index == len({every}) - 1",
            *([f"{make_script_name(counted)} = index"] if counted != "index" else []),
            *self._part(node, "body"),
        ]
        if stops:
            yield from _indent(body)
            return
        yield "    try:"
        yield from _indent(body, 2)
        yield "    except Exception as problem:"
        yield f"        {failed}.append(f'{{now}}: {{problem}}')"
        yield f"check_rounds({node.alias!r}, len({every}), {failed})"

    def _route(self, node: Node) -> Iterator[str]:
        given = node.config.get("input")
        values = given if isinstance(given, Mapping) else {}
        branches = node.config["branches"]
        word = "if"
        for number, branch in enumerate(branches if is_list(branches) else (), 1):
            if not isinstance(branch, Mapping):
                continue
            yield f"{word} {self._when(node, number, branch, values)}:"
            yield f"    {write_comment(str(branch['name']))}"
            word = "elif"
            named = branch["branch"]
            ids = [str(id_) for id_ in named] if is_list(named) else []
            yield from _indent(list(self._all(ids)) or ["pass"])

    def _when(self, node: Node, number: int, branch: Config, given: Config) -> str:
        condition = branch["condition"]
        if isinstance(condition, bool):
            return str(condition)
        code, templates = name_expression_templates(str(condition))
        called = self._write(f"when_{number}", (*given, *templates), code, node)
        passed = [f"{name}={self._names.value(value)}" for name, value in given.items()]
        passed += [f"{name}={self._names.template(each)}" for name, each in templates.items()]
        return f"compute({', '.join([called, *passed])})"

    def _handle(self, node: Node) -> Iterator[str]:
        yield "try:"
        yield from _indent(self._part(node, "try"))
        if node.config.get("catch"):
            yield "except Exception as problem:"
            yield "    lastError = {'message': str(problem), 'node': now}"
            yield from _indent(self._part(node, "catch"))
        if node.config.get("finally"):
            yield "finally:"
            yield from _indent(self._part(node, "finally"))

    def _group(self, node: Node) -> Iterator[str]:
        if node.config.get("params") is not None:
            yield f"param = {self._names.value(node.config['params'])}"
        named = node.config["nodeRange"]
        ids = [str(id_) for id_ in named] if is_list(named) else []
        if not node.config.get("continueOnError"):
            yield from self._all(ids)
            return
        failed = f"{make_script_name(node.alias).rstrip('_')}_failed"
        yield f"{failed} = []"
        for id_ in ids:
            yield "try:"
            yield from _indent(list(self._node(self._nodes[id_])))
            yield "except Exception as problem:"
            yield f"    {failed}.append(f'{{now}}: {{problem}}')"
        yield f"tell_failed({node.alias!r}, {len(ids)}, {failed}, 'nodes')"

    def _refuse_node(self, node: Node) -> Iterator[str]:
        why = f"{node.alias} is a {node.type} node: it needs a model, and a script has none"
        yield f"raise Failed({why!r})"

    def _keep_result(self, node: Node, found: str) -> Iterator[str]:
        """Lines that keep a result as its config says; the result alone if it says nothing."""
        config, name = node.config, make_script_name(node.alias)
        yield f"found = {found}"
        store = config.get("store")
        if store is True:
            yield f"{name} = keep({node.alias!r}, {{'result': found}})"
        elif store == "*":
            whole = "found if isinstance(found, Mapping) else {'result': found}"
            yield f"{name} = keep({node.alias!r}, {whole})"
        elif isinstance(store, Mapping):
            inside = ", ".join(f"{t!r}: {_source(s)}" for s, t in store.items())
            yield f"{name} = keep({node.alias!r}, {{{inside}}})"
        yield from self._records(node)

    def _records(self, node: Node) -> Iterator[str]:
        wanted = node.config.get("create_records")
        if isinstance(wanted, Mapping):
            more = ""
            if wanted.get("id_pattern"):
                more += f", pattern=lambda item: {_pattern(str(wanted['id_pattern']))}"
            if wanted.get("key"):
                path = read_path(str(wanted["key"])) or (str(wanted["key"]),)
                more += f", key=lambda item: item{''.join(f'[{each!r}]' for each in path)}"
            yield f"make_records({wanted['type']!r}, {node.alias!r}, found{more})"
        elif wanted is not None:
            yield f"make_records({wanted!r}, {node.alias!r}, found)"
        if node.config.get("store_to_record"):
            yield f"current['vars'][{str(node.config.get('as') or node.alias)!r}] = found"

    # The method that writes a node, by its type.
    _WRITE: ClassVar[Mapping[str, Callable[[_Script, Node], Iterator[str]]]] = {
        "browser_action": _action,
        "browser_query": _query,
        "transform": _transform,
        "context": _context,
        "iterate": _iterate,
        "route": _route,
        "handle": _handle,
        "group": _group,
        "cognition": _refuse_node,
        "agent": _refuse_node,
    }


def _list_names(workflow: Workflow) -> Iterator[str]:
    """The names that nodes give values to."""
    for node in workflow.nodes:
        if node.config.get("store"):
            yield node.alias
        for field in ("variables", "ask"):
            given = node.config.get(field)
            if node.type == "context" and isinstance(given, Mapping):
                yield from (name.partition(".")[0] for name in given)


def _downloads(node: Node) -> bool:
    """Whether a node says something of what it downloads."""
    return any("download" in each for each in node.ensures) or "downloads" in str(
        node.config.get("store")
    )


def _source(source: str) -> str:
    if source == "result":
        return "found"
    template = read_template(source)
    return "found" + "".join(f"[{each!r}]" for each in template.path)


class _OfItem(Names):
    """Writes the templates of an id pattern, which name members of one item."""

    def _path(self, path: Path) -> str:
        return "item" + "".join(f"[{each!r}]" for each in path)


def _pattern(pattern: str) -> str:
    """An id pattern as an expression over one item."""
    return _OfItem((), ()).value(pattern)


def _indent(lines: Sequence[str], times: int = 1) -> list[str]:
    return [f"{'    ' * times}{line}" if line else "" for line in lines]
