"""Logs: the one odd line survives, and what repeats is told once with its count."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import log


def long_log(odd: dict[int, str]) -> str:
    """Fifteen hundred ordinary lines of three kinds, with some replaced."""
    kinds = (
        "INFO GET /health 200 in {0}ms",
        "DEBUG worker-{0} polled queue depth={0}",
        'INFO user "u{1}" logged in session={1:08x}',
    )
    lines = [
        f"2024-05-01T10:{at // 60:02d}:{at % 60:02d}Z "
        + odd.get(at, kinds[at % 3].format(at * 7 % 9, at * 7919))
        for at in range(1_500)
    ]
    return "\n".join(lines)


TRACE = "\n".join(
    [
        "10:00:00 INFO start",
        "10:00:01 ERROR job 17 broke",
        "Traceback (most recent call last):",
        *(f'  File "app/m{n}.py", line {n}0, in step{n}\n    run{n}()' for n in range(20)),
        "ValueError: amount 'x9' is no number",
        "10:00:02 INFO stop",
    ]
)


def test_one_bad_info_line_survives_among_fifteen_hundred() -> None:
    """The level of a line says little about what it tells."""
    bad = "INFO payment 8812 failed: ERROR card declined"
    for level in ("medium", "high"):
        shown = log.render(long_log({700: bad}), level, 1_500)
        assert bad in shown
        assert len(shown) <= 1_500


def test_a_rare_line_without_any_bad_word_survives() -> None:
    """A template seen once is news."""
    assert "cache rebuilt by kim" in log.render(
        long_log({801: "INFO cache rebuilt by kim"}), "high", 900
    )


def test_a_number_far_from_its_siblings_survives() -> None:
    """A health check of a minute and a half is no ordinary one."""
    odd = "INFO GET /health 200 in 88412ms"
    assert odd in log.render(long_log({900: odd}), "high", 900)
    assert "GET /health 500" in log.render(
        long_log({900: "INFO GET /health 500 in 4ms"}), "high", 900
    )


def test_an_odd_value_survives_in_lines_of_json() -> None:
    """Lines of JSON are grouped by what their values say too."""
    lines = [f'{{"level":"info","id":{n},"msg":"order stored"}}' for n in range(400)]
    lines[222] = '{"level":"info","id":222,"msg":"order parked for review"}'
    assert log.recognise("\n".join(lines))
    assert "parked for review" in log.render("\n".join(lines), "high", 400)


def test_a_repeated_kind_is_told_by_first_last_and_count() -> None:
    """Siblings are folded where they stood."""
    lines = [f"12:00:{n:02d} INFO GET /item/{n} 200" for n in range(60)]
    shown = log.render("\n".join(lines), "medium", 300)
    assert shown.startswith("12:00:00 INFO GET /item/0 200 (×60 alike)\n… 58 lines like: ")
    assert shown.endswith("12:00:59 INFO GET /item/59 200")


def test_a_repeated_error_is_shown_with_its_count() -> None:
    """The same failure a hundred times is one failure and a number."""
    odd = {at: f"ERROR db timeout after {at}ms" for at in range(0, 1_500, 15)}
    shown = log.render(long_log(odd), "medium", 2_000)
    assert "ERROR db timeout after 0ms (×100 alike)" in shown


def test_an_error_keeps_its_neighbours() -> None:
    """What happened just before and after an error explains it."""
    lines = long_log({700: "ERROR disk full"}).split("\n")
    shown = log.render("\n".join(lines), "medium", 3_000)
    assert all(line[11:] in shown for line in lines[698:703])


def test_a_traceback_keeps_the_exception_and_the_frames_nearest_to_it() -> None:
    """The last frames of a Python traceback are where it happened."""
    shown = log.render(TRACE, "medium", 420)
    assert "ValueError: amount 'x9' is no number" in shown
    assert 'File "app/m19.py", line 190, in step19' in shown
    assert "step7" not in shown


def test_low_writes_a_run_of_equal_lines_once() -> None:
    """A line said 37 times is a line and a number."""
    assert (
        log.render("[INFO] wait\n" * 37 + "[INFO] go", "low", 0) == "[INFO] wait (×37)\n[INFO] go"
    )


def test_low_hoists_a_date_that_all_lines_share() -> None:
    """The day is written once, the times stay."""
    shown = log.render(long_log({}), "low", 0)
    assert shown.startswith("(2024-05-01)\n10:00:00Z INFO GET /health")
    assert shown.count("2024-05-01") == 1


def test_logs_of_many_makers_are_recognised() -> None:
    """Levels come first, in brackets, after a time, or in a field."""
    for line in (
        "[WARNING] slow script @ https://a.example/x.js:14",
        "Nov 16 01:00:02 host sshd[812]: session opened",
        "E/Camera: no such device",
        "2024-05-01 10:00:00,123 - app - INFO - started",
        'ts=1 level=warn msg="slow"',
    ):
        assert log.recognise("\n".join([line] * 4))
    assert log.recognise(TRACE)
    assert not log.recognise("Some prose.\nMore of it, and no error.\nThe end.\nReally.")


@given(st.integers(0, 2_000), st.integers(0, 2_000), st.integers(0, 500), st.text(max_size=40))
def test_a_mangled_log_is_rendered_within_its_room(a: int, b: int, room: int, noise: str) -> None:
    """Whatever is cut out or put in, nothing raises, grows, or changes when done again."""
    source = TRACE + "\n" + long_log({})[:1_500]
    text = source[: min(a, b)] + noise + source[max(a, b) :]
    shown = log.render(text, "high", room)
    assert len(shown) <= min(len(text), room) or shown == text
    assert log.render(shown, "high", room) == shown
