"""The base of every error that a user may see; each package derives its own from it.

An error says what happened in its message, and by its class or its arguments what was kept, what to
do next and which status an HTTP answer has. `director.services.errors` draws the whole tree and is
the one place that translates an error. Nothing here is raised itself.
"""

from __future__ import annotations


class DirectorError(Exception):
    """Something that was foreseen did not work; the message says what happened.

    `kept` and `next_step` that are given stand behind the message wherever the error is shown as
    one text. Else those of the class are true of it: they are shown where there is room for them.
    """

    status: int = 409
    kept: str = "Nothing was changed."
    next_step: str = ""

    def __init__(self, *args: object, kept: str = "", next_step: str = "", **more: object) -> None:
        super().__init__(*args, **more)
        if kept:
            self.kept = kept
        if next_step:
            self.next_step = next_step

    @property
    def message(self) -> str:
        """What happened, without what was kept and what to do next."""
        return super().__str__()

    def __str__(self) -> str:
        own = vars(self)
        told = (self.message, own.get("kept"), own.get("next_step"))
        return " ".join(str(each) for each in told if each)
