from pathlib import Path

from ledger.cli import main
from ledger.money import Money
from ledger.report import share_text, statement_text
from ledger.store import read_entries

ENTRIES = read_entries(Path("books.csv").read_text())


def test_a_statement_lines_up():
    assert statement_text(ENTRIES, "2025-01").splitlines() == [
        "Statement 2025-01",
        "============================",
        "catering          -42.35 EUR",
        "fees              240.00 EUR",
        "rent             -180.00 EUR",
        "balance            17.65 EUR",
    ]


def test_members_pay_by_name():
    assert (
        share_text(Money(1_000), ["Uma", "Bo", "Ida"])
        == "Bo: 3.34 EUR\nIda: 3.33 EUR\nUma: 3.33 EUR"
    )


def test_the_command_prints_the_running_balance(capsys):
    assert main(["running", "books.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "2025-01-04 240.00 EUR"
