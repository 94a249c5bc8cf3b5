"""Workflows whose names, texts and code try to become code of an exported script."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attacks.heartbeat import ended_within
from attacks.test_patterns import loaded
from director.runs.playwright_script import write_playwright_script
from director.runs.script_code import ExportRefused, write_code_function
from director.workflow.values import Input, Node, Workflow
from runs.building import code, flow, node

BREAKOUTS = [
    "x\n    __import__('os').system('id')",
    "x\r__import__('os')",
    "x\x0c\x0b\x1c\x85\u2028__import__('os')",
    '"""\n__import__("os")\n"""',
    "\\\"\"\"\n'''\n",
    "' + __import__('os') + '",
    '" + __import__("os") + "',
    "{__import__('os')}",
    "}{",
    "\\N{BULLET}\\x41\\",
    "\\",
    "%(prog)s %d",
    "\x00\x1b[2J\u202e\ud800",
    "# noqa\n#",
    "@EXTRACT@",
]
hostile = st.one_of(
    st.sampled_from(BREAKOUTS),
    st.text(
        alphabet=st.sampled_from(list("ab'\"\\{}\n\r\x00\x0c\u2028\u202e#%():;=@N ")), min_size=1
    ),
).filter(lambda text: bool(text.strip()) and "{{" not in f"{text}{{" and "}}" not in text)


def workflow(word: str) -> Workflow:
    """A workflow with a word in every place that takes a text; no check stands before it."""
    bundle = {"role": word, "name": word, "css": word, "test_id": word}
    actions = {
        "typed": {"action": "type", "selector": bundle, "text": f"{{{{who}}}}: {word}"},
        "both": {
            "action": "type",
            "selector": {"text": word},
            "text": f"{word} {{{{go.url}}}} {word}",
        },
        "picked": {
            "action": "select",
            "selector": word,
            "label": word,
            "nth": word,
            "timeout": word,
        },
        "shot": {"action": "screenshot", "path": word, "fullPage": word},
        "tab": {"action": "openNewTab", "name": word, "url": word},
        "turn": {"action": "switchTab", "tabName": word},
        "key": {"action": "keypress", "key": word, "modifiers": [word]},
        "other": {"action": word},
        "pause": {"action": "wait", "time": word},
    }
    nodes = [
        {
            **node("go", "browser_action", action="navigate", url=word),
            "id": word,
            "description": word,
            "requires": ({"url": word, "tab": word, "within": word},),
            "ensures": (
                {"status": word, "below": 400},
                {"element": bundle, "text": word, "value": word},
                {"count": {"label": word}, "at_least": word},
                {"url_matches": word},
            ),
        },
        *(node(alias, "browser_action", **config) for alias, config in actions.items()),
        node(
            "found",
            "browser_query",
            method="deterministic_extract",
            selector={"path": word},
            fields={word: word},
            limit=word,
            store={"result": word},
            create_records={"type": word, "id_pattern": f"thing_{{{{name}}}}{word}"},
        ),
        node("made", "browser_query", method="count", selector=word, create_records=word),
        node("valid", "browser_query", method="validate", rules=[{"type": word, "selector": word}]),
        node(
            "kept", "context", variables={"a.b": {word: word}, f"z.{word}": word}, ask={"c": word}
        ),
        node(
            "summed",
            "transform",
            input={"x": word, "y": [word, {word: float("inf")}]},
            code=f"x + {word!r}",
            store_to_record=True,
            **{"as": word},
        ),
        node("each", "iterate", over=[word], variable="one", limit=word, body=["id-way"]),
        node("rows", "iterate", records=word, body=["id-pause"], on_error=word),
        node(
            "way",
            "route",
            input={"v": word},
            branches=[
                {"name": word, "condition": f"v == {word!r}", "branch": []},
                {"name": f"{word}2", "condition": True, "branch": ["id-turn"]},
            ],
        ),
        node("set", "group", nodeRange=["id-key"], params={"p": word}),
        node("ask", "cognition", instruction=word, schema={"title": word}),
    ]
    return Workflow(
        id=word,
        name=word,
        description=word,
        origins=(word,),
        inputs=(
            Input("who", word, word),
            Input("Größe", word, {word: [word]}, required=False),
            Input("Grösse", word, float("nan")),
        ),
        nodes=tuple(Node(**each) for each in nodes),
    )


def shape(script: str) -> str:
    """The tree of a script without its constants and without lines."""
    tree = ast.parse(script)
    for part in ast.walk(tree):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            part.value = ""
    return ast.dump(tree)


@cache
def shape_of_honest_script() -> str:
    """That of a workflow in which every text is plain."""
    return shape(write_playwright_script(workflow("plain")))


@pytest.mark.attack(
    "A hostile text in every field of a workflow: names, ids, branches, selectors, defaults, keys",
    must="the script compiles, and its tree differs from an honest one's only in constants",
    tries=20,
)
@settings(
    max_examples=settings.default.max_examples * 4 // 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(hostile)
@example(BREAKOUTS[0])
@example(BREAKOUTS[2])
@example(BREAKOUTS[12])
def test_names_are_data_everywhere(word: str) -> None:
    """Whatever ends a line, a quote or a brace elsewhere ends nothing here."""
    script = write_playwright_script(workflow(word))
    script.encode("utf-8")
    compile(script, "script.py", "exec")
    assert shape(script) == shape_of_honest_script()
    assert "\u202e" not in script


@pytest.mark.attack(
    "A branch is called by two lines of which the second is code",
    must="the name is a comment in one line; the code is nowhere",
    tries=2,
)
@pytest.mark.parametrize("name", ["x\n    PWNED()", "x\r    PWNED()"])
def test_a_branch_name_is_no_code(name: str) -> None:
    """It was pasted behind a # once."""
    ways = [{"name": name, "condition": "1 == 1", "branch": []}]
    script = write_playwright_script(flow(node("way", "route", branches=ways)))
    called = [each.id for each in ast.walk(ast.parse(script)) if isinstance(each, ast.Name)]
    assert "PWNED" not in called


REACHING = {
    "an import": "import os\nos.system('id')",
    "an import of a part": "from json import decoder\n1",
    "an import of a module's module": "import json.decoder\n1",
    "a star": "from re import *\n1",
    "eval": "eval('1')",
    "exec": "exec('1')\n1",
    "open": "open('/etc/passwd').read()",
    "__import__": "__import__('os')",
    "getattr": "getattr(1, 'real')",
    "type": "type(1)",
    "globals": "globals()",
    "a dunder": "().__class__",
    "a dunder name": "__builtins__",
    "the loader": "__loader__",
    "the way over modules": "import json\njson.codecs.open('x')",
    "the way over re": "import re\nre.enum.sys.modules",
    "a format text": "'{0.__class__}'.format(1)",
    "a format map": "'{a.__class__}'.format_map({'a': 1})",
    "format as a value": "list(map(str.format, ['{0.__class__}'], [1]))",
    "format in an f-string": "f\"{'{0.__class__}'.format(1)}\"",
    "a frame of a generator": "(x for x in [1]).gi_frame",
    "the globals of a function": "def f(): return 1\nf.__globals__",
    "the object of an error": "try:\n    1 .x\nexcept AttributeError as e:\n    o = e.obj\n1",
    "a class": "class A: pass\n1",
    "a decorator": "@print\ndef f(): return 1\n1",
    "a builtin hidden by an inner name": "def f():\n    eval = 1\n    return eval\neval('1')",
    "a builtin hidden by a comprehension": "[eval for eval in []]\neval('1')",
    "a builtin hidden by an argument": "(lambda exec: 1)(1)\nexec('1')",
    "another letter of the same name": "ｅｖａｌ('1')",
    "a global": "def f():\n    global x\n    x = 1\n1",
    "a module that is changed": "import json\njson.dumps = print\n1",
    "with": "with x as y: pass\n1",
    "deep": "+".join("1" * 2_000),
    "long": "'" + "a" * 30_000 + "'",
    "input": "input()",
}


@pytest.mark.attack(
    "Code of a node reaches for what the sandbox would refuse, and is exported",
    must="the export is refused; it names the node, the reason and what to do",
    tries=35,
)
@pytest.mark.parametrize("source", REACHING.values(), ids=REACHING)
def test_code_that_reaches_out_is_not_exported(source: str) -> None:
    """A script has no sandbox, so it holds nothing that needs one."""
    with ended_within(30), pytest.raises(ExportRefused) as refused:
        write_code_function("reach_code", ["x"], source, node="reach")
    assert "'reach'" in str(refused.value)
    assert "Nothing was written" in str(refused.value)


@pytest.mark.attack(
    "The same in the condition of a route",
    must="refused alike",
)
def test_a_condition_that_reaches_out_is_not_exported() -> None:
    """Every piece of code goes the same way."""
    ways = [{"name": "a", "condition": "eval('True')", "branch": []}]
    with pytest.raises(ExportRefused, match="'way' cannot be exported"):
        write_playwright_script(flow(node("way", "route", branches=ways)))


@pytest.mark.attack(
    "Exported code that computes for ever, or takes all memory",
    must="the script ends it and fails with words",
    tries=3,
)
def test_exported_code_is_bounded(tmp_path: Path) -> None:
    """It runs in a program of its own, with little time and memory and without a way back."""
    sources = [
        "x = 0\nwhile True:\n    x += 1\nx",
        "'a' * 2_000_000_000",
        "import re\nre.search('(a+)+$', 'a' * 45 + '!')",
    ]
    script = loaded(tmp_path, *(code(f"n{at}", each) for at, each in enumerate(sources)))
    with ended_within(100):
        for at in range(len(sources)):
            with pytest.raises(script.Failed, match=r"was stopped|did not end|MemoryError"):
                script.compute(getattr(script, f"n{at}_code"))


HONEST = {
    "[x * 2 for x in input if x]": [2, 4],
    "[m.group(1) for m in re.finditer(r'(\\d)', str(input))]": ["1", "2"],
    "from datetime import date\ndate(2026, 1, 2).isoformat()": "2026-01-02",
    "import json\njson.loads('{\"a\": 1}')": {"a": 1},
    "def f(id):\n    return id + 1\nprint('hello')\n[f(type) for type in input]": [2, 3],
    "total = 0\nfor each in input:\n    total += each\nf'{total:03} \"\\'{{}}'": "003 \"'{}",
    "'a\\u2028b\\n'.upper()": "A\u2028B\n",
    "sorted(input, key=lambda x: -x)": [2, 1],
}


@pytest.mark.attack(
    "Honest code beside it",
    must="it is exported and gives what it gives in Director",
    tries=8,
)
def test_honest_code_is_exported_and_computes(tmp_path: Path) -> None:
    """The list is wide enough for what people write."""
    nodes = [node(f"n{at}", "transform", input=[1, 2], code=each) for at, each in enumerate(HONEST)]
    script = loaded(tmp_path, *nodes)
    for at, wanted in enumerate(HONEST.values()):
        assert script.compute(getattr(script, f"n{at}_code"), input=[1, 2]) == wanted
