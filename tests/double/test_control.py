"""The control plane: all that a test can do in Python, another process can do over HTTP."""

from __future__ import annotations

import json

import pytest

from director.testing.double import KINDS, Fault
from double.core_room import BODY, KEY, LONG, Room, room_of


def _get(room: Room, name: str) -> dict[str, object]:
    answer = room.call("GET", f"/__double/{name}", authorization="none")
    assert answer.status_code == 200
    told: dict[str, object] = answer.json()
    return told


def _set(room: Room, name: str, **body: object) -> dict[str, object]:
    answer = room.call("POST", f"/__double/{name}", body, authorization="none")
    assert answer.status_code == 200
    told: dict[str, object] = answer.json()
    return told


def test_the_clock_is_read_and_moved() -> None:
    """Time is told in seconds since the epoch."""
    with room_of("chat") as room:
        now = _get(room, "clock")["now"]
        assert now == room.double.now()
        assert _set(room, "clock", advance=60) == {"now": room.double.now()}
        assert room.double.now() == 1_800_000_060


def test_faults_are_laid_and_cleared() -> None:
    """As values of JSON; the table of kinds is there to be read."""
    with room_of("chat") as room:
        fault = {"kind": "rate_limit", "times": 2, "with": {"retry_after": 9}}
        _set(room, "faults", faults=[fault])
        assert room.double.pending_faults == [
            Fault("rate_limit", times=2, with_={"retry_after": 9})
        ]
        assert room.ask().headers["retry-after"] == "9"
        assert _set(room, "faults", clear=True)["pending"] == []
        assert room.ask().status_code == 200
        assert _get(room, "faults")["kinds"] == json.loads(
            json.dumps({kind: _row(kind) for kind in KINDS})
        )


def _row(kind: str) -> dict[str, object]:
    row = KINDS[kind]
    return {
        "stage": row.stage,
        "what": row.what,
        "apis": row.apis,
        "needs": row.needs,
        "json": row.json,
    }


def test_a_script_is_set() -> None:
    """In the form of script files; at a reset it begins again."""
    with room_of("chat") as room:
        _set(room, "script", script=[[{"say": "from afar"}]])
        assert "from afar" in room.ask().text
        assert _get(room, "script") == {"brain": "Tape", "asked": 1}
        _set(room, "reset")
        assert "from afar" in room.ask({"messages": [{"role": "user", "content": "other"}]}).text


def test_the_journal_is_read_without_keys() -> None:
    """What was asked and answered, and what the brain was shown."""
    with room_of("chat") as room:
        room.ask()
        told = _get(room, "journal")
        exchanges, generations = told["exchanges"], told["generations"]
        assert isinstance(exchanges, list)
        assert isinstance(generations, list)
        assert exchanges[0]["asked"]["endpoint"] == "chat.create"
        assert exchanges[0]["asked"]["body"] == BODY["chat"]
        assert exchanges[0]["answer"]["status"] == 200
        assert generations[0]["said"] == [{"text": LONG}]
        assert KEY not in json.dumps(told)


def test_the_ledger_and_the_verdict_are_read() -> None:
    """The books, the findings, the defects and the notes."""
    with room_of("chat", Fault("quota")) as room:
        room.ask()
        room.ask()
        room.ask({"nonsense": 1})
        lines = _get(room, "ledger")["lines"]
        assert isinstance(lines, list)
        assert len(lines) == 1
        told = _get(room, "verdict")
        findings, defects = told["findings"], told["defects"]
        assert isinstance(findings, list)
        assert isinstance(defects, list)
        assert [one["kind"] for one in findings] == ["hopeless_retry"]
        assert [one["exchange"] for one in defects] == [3]
        assert (told["notes"], told["failures"]) == ([], [])


def test_a_reset_empties_the_journal() -> None:
    """And the control plane itself is never in it."""
    with room_of("chat") as room:
        room.ask()
        assert len(room.double.exchanges) == 1
        assert _set(room, "reset") == {"reset": True}
        assert room.double.exchanges == []


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("clock", {}),
        ("clock", {"advance": -1}),
        ("clock", {"advance": "soon"}),
        ("faults", {"faults": [{"kind": "oops"}]}),
        ("faults", {"faults": [{"kind": "quota", "whom": "me"}]}),
        ("faults", {"faults": ["quota"]}),
        ("faults", {"faults": [{"kind": "quota", "nth": "two"}]}),
        ("script", {}),
        ("script", {"script": {"brain": "none"}}),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, body: dict[str, object]) -> None:
    """400 with the reason, and nothing is changed."""
    with room_of("chat") as room:
        answer = room.call("POST", f"/__double/{name}", body)
        assert answer.status_code == 400
        assert answer.json()["error"]
        assert room.double.now() == 1_800_000_000
        assert room.double.pending_faults == []
        assert room.ask().status_code == 200


def test_a_body_that_is_no_object_is_refused() -> None:
    """Only objects are understood."""
    with room_of("chat") as room:
        assert room.call("POST", "/__double/clock", [1]).status_code == 400


def test_there_is_nothing_else() -> None:
    """Another name or method is not found, and says what there is."""
    with room_of("chat") as room:
        answer = room.call("GET", "/__double/secrets")
        assert answer.status_code == 404
        assert "clock, faults, journal" in answer.json()["error"]
        assert room.call("GET", "/__double/reset").status_code == 404
