"""What a service refuses: one kind of error, with its status, what was kept and what to do next.

Every error that is foreseen derives from `DirectorError`; whoever calls a service catches that one
and shows what `describe_error` says. A class sets `status`, `kept` and `next_step` for all of its
errors, `raise StoreError("…", kept="…", next_step="…")` for one. Nothing is decided by an error's
words.

DirectorError
├── BadRecordingError
├── BrowserError
│   ├── BrowserGone
│   ├── DialogUnanswered
│   ├── NotApproved
│   ├── PageChanged
│   └── SiteAway
├── CatalogueError
├── ContextTooLarge
│   └── MessageTooLarge
├── ForeignRepositoryError
├── HelloError
├── HomeError
├── ImageError
├── LocatorError
│   ├── NoElement
│   └── SeveralElements
├── MarkNotSaved
├── ModelError
├── NoKey
│   └── ServerNotAccepted
├── NoLibrary
├── NodeFailed
├── NotConnected
├── NotFound
├── NotPermitted
├── OriginError
├── ProfileError
├── ProjectError
│   └── TooLarge
├── Refused
├── RefusedResponse
├── RunError
│   └── RunBusy
├── SandboxError
├── SchemaError
├── SchemaMismatch
├── ScriptError
├── SecretRefused
│   └── FieldNotAllowed
├── SessionUnreadable
├── SettingsError
├── StoreError
│   └── StoreAway
├── ToolArgumentError
├── ToolFormError
├── TransportError
├── TurnRunning
├── UnknownModel
├── VaultError
├── VersionConflict
└── WorkflowError
    ├── DescriptionError
    ├── EffectNotApproved
    ├── ExportRefused
    ├── PathNotFound
    ├── PatternError
    ├── PlanError
    ├── SecretWanted
    ├── TemplateError
    └── ValueTooLarge

Not in the tree are exceptions that steer a program and are shown to nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from director.errors import DirectorError

# A text that says itself what was kept; it goes as soon as every error says so by its argument.
_SAYS_KEPT = ("Nothing was", "is kept")


class NotFound(DirectorError):
    """What was asked for is not there; nothing was changed."""

    status = 404


@dataclass(frozen=True, slots=True)
class ErrorDescription:
    """An error in parts: `status` as HTTP has it, what happened, what was kept, what to do next."""

    status: int
    happened: str
    kept: str
    next_step: str

    def __str__(self) -> str:
        return " ".join(each for each in (self.happened, self.kept, self.next_step) if each)


def describe_error(error: DirectorError) -> ErrorDescription:
    """The parts of an error; a part that its message has already is empty."""
    happened = error.message or type(error).__name__
    kept = "" if any(words in happened for words in _SAYS_KEPT) else error.kept
    return ErrorDescription(error.status, happened, kept, error.next_step)
