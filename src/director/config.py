"""`ContextConfig`: what a `ContextManager` can be told, checked before the first call.

Every field has an effect; a value that cannot have one is refused with what would be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from director.api import as_level, as_preset
from director.context.checkpoint import Phases
from director.context.importance import PruningRules
from director.context.presets import Options
from director.context.shrink import Shrinking
from director.context.values import Budget

DEFAULT_MODEL = "default"


@dataclass
class ContextConfig:
    """Configuration of a ContextManager; `budget=None` makes `window_size` messages the trigger.

    `budget` is a number of tokens, a `Budget`, or numbers by the beginning of a model's name with
    one for "default". `keep_latest` results and those of `exclude_tools` take their compact form
    last; `compression_levels` are those of single tools. `recall` says that the model can open the
    references that notices name. `thrift` shrinks large results on ingest: cheaper, but the model
    never sees them whole. `summary_prompt` replaces the rules of `summarise`.
    """

    enabled: bool = True
    strategy: str = "sliding_window"
    budget: int | Budget | Mapping[str, int] | None = None
    model: str | None = None

    window_size: int = 15
    preserve_errors: bool = True
    preserve_screenshots: bool = True

    compression_level: str = "medium"
    truncate_snapshots: bool = True
    max_snapshot_depth: int = 3
    summarize_console: bool = True

    auto_checkpoint: bool = True
    checkpoint_phases: list[str] = field(default_factory=lambda: ["login", "cart", "checkout"])
    max_checkpoint_size: int = 500

    importance_threshold: float = 0.3
    merge_similar: bool = True
    keep_error_context: int = 5

    keep_latest: int = 0
    exclude_tools: Sequence[str] = ()
    compression_levels: Mapping[str, str] = field(default_factory=dict)
    recall: bool = True
    thrift: bool = False
    summary_prompt: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot have an effect."""
        self.check()

    def check(self) -> None:
        """Raise ValueError for the first field whose value cannot be what was meant."""
        _check_number("window_size", self.window_size, least=1)
        _check_number("max_snapshot_depth", self.max_snapshot_depth, least=0)
        _check_number("max_checkpoint_size", self.max_checkpoint_size, least=1)
        _check_number("keep_error_context", self.keep_error_context, least=0)
        _check_number("keep_latest", self.keep_latest, least=0)
        _check_share("importance_threshold", self.importance_threshold)
        _check_names("checkpoint_phases", self.checkpoint_phases)
        _check_names("exclude_tools", self.exclude_tools)
        for name in _SWITCHES:
            _check_switch(name, getattr(self, name))
        _check_text("model", self.model)
        _check_text("summary_prompt", self.summary_prompt)
        as_level(self.compression_level)
        _check_keys("compression_levels", self.compression_levels, "levels by the name of a tool")
        for level in self.compression_levels.values():
            as_level(level)
        self._check_budget()
        as_preset(self.strategy, Options())

    def _check_budget(self) -> None:
        if isinstance(self.budget, Mapping):
            wanted = "tokens by the beginning of a model's name"
            _check_keys("budget", self.budget, wanted)
            for number in self.budget.values():
                _check_number("budget", number, least=1)
            if not self.budget:
                _refuse("budget", wanted, self.budget)
        elif isinstance(self.budget, Budget):
            _check_number("budget.limit", self.budget.limit, least=1)
        elif self.budget is not None:
            _check_number("budget", self.budget, least=1)

    def budget_for(self, model: str | None) -> int | Budget | None:
        """The budget for a model's name: by the longest beginning that is listed."""
        if not isinstance(self.budget, Mapping):
            return self.budget
        name = (model or "").rpartition("/")[2]
        listed = [key for key in self.budget if key != DEFAULT_MODEL and name.startswith(key)]
        key = max(listed, key=len, default=DEFAULT_MODEL)
        if key not in self.budget:
            known = ", ".join(self.budget)
            raise ValueError(f"no budget for the model {model!r}: add it or 'default' to {known}")
        return self.budget[key]

    def options(self, named: tuple[tuple[int, str], ...] = ()) -> Options:
        """The engine's options behind these fields."""
        skip = {"snapshot"} if not self.truncate_snapshots else set()
        skip |= {"log"} if not self.summarize_console else set()
        names = tuple(self.checkpoint_phases) if self.auto_checkpoint else ()
        return Options(
            shrinking=Shrinking(
                as_level(self.compression_level),
                skip=frozenset(skip),
                depth=self.max_snapshot_depth,
                keeps_latest_image=self.preserve_screenshots,
                levels=tuple(
                    (tool, as_level(level)) for tool, level in self.compression_levels.items()
                ),
                exclude_tools=frozenset(self.exclude_tools),
                keep_latest=self.keep_latest,
                recalls=self.recall,
            ),
            preserve_errors=self.preserve_errors,
            phases=Phases(names, named, self.max_checkpoint_size),
            rules=PruningRules(
                self.importance_threshold, self.merge_similar, self.keep_error_context
            ),
            thrift=self.thrift,
        )


_SWITCHES = (
    "enabled",
    "preserve_errors",
    "preserve_screenshots",
    "truncate_snapshots",
    "summarize_console",
    "auto_checkpoint",
    "merge_similar",
    "recall",
    "thrift",
)


def _refuse(name: str, wanted: str, value: object) -> None:
    raise ValueError(f"{name} must be {wanted}, not {value!r}")


def _check_number(name: str, value: object, *, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        _refuse(name, f"a whole number of at least {least}", value)


def _check_share(name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:  # type: ignore[operator]
        _refuse(name, "a number from 0 to 1", value)


def _check_names(name: str, value: object) -> None:
    fine = isinstance(value, list | tuple | set | frozenset)
    if not fine or not all(_is_name(each) for each in value):  # type: ignore[attr-defined]
        _refuse(name, 'a list of names such as ["login"]', value)


def _check_keys(name: str, value: object, wanted: str) -> None:
    if not isinstance(value, Mapping) or not all(map(_is_name, value)):
        _refuse(name, wanted, value)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _check_switch(name: str, value: object) -> None:
    if not isinstance(value, bool):
        _refuse(name, "True or False", value)


def _check_text(name: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        _refuse(name, "a text or None", value)
