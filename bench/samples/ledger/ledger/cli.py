"""The command line."""

import argparse
import sys
from pathlib import Path

from ledger.report import statement_text
from ledger.store import read_entries
from ledger.statement import running_balance


def build_parser():
    parser = argparse.ArgumentParser(prog="ledger")
    commands = parser.add_subparsers(dest="command", required=True)
    statement = commands.add_parser("statement")
    statement.add_argument("books")
    statement.add_argument("month")
    running = commands.add_parser("running")
    running.add_argument("books")
    return parser


def main(argv=None):
    options = build_parser().parse_args(argv)
    entries = read_entries(Path(options.books).read_text())
    if options.command == "statement":
        print(statement_text(entries, options.month))
    else:
        for day, total in running_balance(entries):
            print(day, total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
