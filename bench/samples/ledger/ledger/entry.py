"""One line of the books."""

from dataclasses import dataclass, field
from datetime import date

from ledger.money import Money

KNOWN_ACCOUNTS = ("fees", "rent", "equipment", "travel", "donations", "catering")


class UnknownAccount(KeyError):
    """An account that the club does not have."""


@dataclass(frozen=True)
class Entry:
    day: date
    account: str
    amount: Money
    note: str = ""
    tags: tuple = field(default=())

    def __post_init__(self):
        if self.account not in KNOWN_ACCOUNTS:
            raise UnknownAccount(self.account)

    @property
    def is_income(self):
        return self.amount.cents > 0

    def matches(self, words):
        """Whether every word stands in the note or is a tag."""
        lowered = self.note.lower()
        return all(word.lower() in lowered or word in self.tags for word in words)
