"""Code: what is defined stays readable, long bodies are counted where they stood."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import code

BODY = "\n".join(f"    step_{n} = step_{n - 1} * {n}" for n in range(1, 40))
PYTHON = f'''import os
from shop.tax import rate

LIMIT_PER_DAY = 25_000


class Order:
    """An order."""

    def total(
        self,
        country: str,
    ) -> int:
        return self.net


def charge(order: Order, step_0: int) -> int:
    """Charge an order."""
{BODY}
    # NOTE: rounding
    if step_9 > LIMIT_PER_DAY:
        raise ValueError("over the daily limit")
    return step_39
'''
SCRIPT = (
    'import {{ tax }} from "./tax";\n\nexport async function pay(order, card) {{\n{body}\n'
    '  throw new Error("card declined");\n}}\n'
).format(body="\n".join(f"  const part{n} = order.parts[{n}];" for n in range(40)))


def test_signatures_imports_constants_flags_and_failures_stay() -> None:
    """These are what a next step names."""
    shown = code.render(PYTHON, "medium", 600)
    for line in (
        "from shop.tax import rate",
        "LIMIT_PER_DAY = 25_000",
        "class Order:",
        "    def total(\n        self,\n        country: str,\n    ) -> int:",
        "def charge(order: Order, step_0: int) -> int:",
        "    # NOTE: rounding",
        '        raise ValueError("over the daily limit")',
    ):
        assert line in shown
    assert "lines" in shown
    assert len(shown) <= 600


def test_braces_are_code_too() -> None:
    """A function of another language keeps its signature and its failure."""
    shown = code.render(SCRIPT, "high", 250)
    assert "export async function pay(order, card) {" in shown
    assert 'throw new Error("card declined");' in shown


def test_line_numbers_stay_with_their_lines() -> None:
    """A numbered listing can be edited by number."""
    lines = PYTHON.split("\n")
    numbered = "\n".join(f"{at:6d}\t{line}" for at, line in enumerate(lines, 1))
    assert code.recognise(numbered)
    at = lines.index("def charge(order: Order, step_0: int) -> int:") + 1
    assert f"{at:6d}\tdef charge(" in code.render(numbered, "medium", 800)


def test_low_changes_nothing_but_trailing_blanks() -> None:
    """Code means what its lines say."""
    assert code.render(PYTHON, "low", 0) == PYTHON
    assert code.render("a = 1  \n\n\n\nb = 2\t\n", "low", 0) == "a = 1\n\n\n\nb = 2\n"


def test_code_is_recognised_and_prose_is_not() -> None:
    """Something is defined in code, and most lines read like it."""
    assert code.recognise(PYTHON)
    assert code.recognise(SCRIPT)
    assert not code.recognise("To use it:\nImport the list.\nThen wait.\nIt is done.\nGood.\nBye.")


@given(st.integers(0, 3_000), st.integers(0, 3_000), st.integers(0, 500), st.text(max_size=40))
def test_mangled_code_is_rendered_within_its_room(a: int, b: int, room: int, noise: str) -> None:
    """Whatever is cut out or put in, nothing raises and nothing grows."""
    source = PYTHON + SCRIPT
    text = source[: min(a, b)] + noise + source[max(a, b) :]
    shown = code.render(text, "high", room)
    assert len(shown) <= min(len(text), room) or shown == text
