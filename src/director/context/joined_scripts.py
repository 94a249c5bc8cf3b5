"""Scripts that join what others separate: Chinese, Japanese, Korean, Thai and their neighbours.

They write words without blanks between them, or particles onto a name of another script, so that
neither their words nor a name among them begins or ends at a blank.
"""

from __future__ import annotations

import re

_LETTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u3105-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_JOINT = re.compile(rf"(?<=[{_LETTERS}])(?=[A-Za-z0-9_])|(?<=[A-Za-z0-9_])(?=[{_LETTERS}])")
_RUN = re.compile(f"[{_LETTERS}]{{2,}}")


def separate_names(text: str) -> str:
    """The text with a blank between letters of these scripts and a name that is joined to them."""
    return text if text.isascii() else _JOINT.sub(" ", text)


def letter_pairs(text: str) -> list[str]:
    """Each two neighbouring letters of these scripts: they stand for the words."""
    if text.isascii():
        return []
    return [run[i : i + 2] for run in _RUN.findall(text) for i in range(len(run) - 1)]
