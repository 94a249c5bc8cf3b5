"""Every field of `ContextConfig` has an effect on what is sent; pruning on two message formats."""

from __future__ import annotations

import dataclasses
import json

import pytest

from chats import Message
from director import (
    Budget,
    ContextConfig,
    ContextManager,
    Fold,
    UserTurn,
    chars4,
    counter_for,
    fit_messages,
    summarise,
)
from test_faithful import FORMS, call, log, task, text_of


def page(at: int) -> str:
    """A page whose elements lie deep."""
    lines = [f'{" " * (2 * k)}- link "item {k} of {at}" [ref=e{at}{k}]' for k in range(20)]
    prose = [
        f"  - paragraph: Text {k} of page {at} says that value_{at}_{k} holds." for k in range(30)
    ]
    tree = "\n".join(["- generic [ref=e1]:", *lines, *prose])
    return f"### Page state\n- Page URL: http://shop.test/{at}\n```yaml\n{tree}\n```"


def shot(at: int) -> list[Message]:
    """A call whose result is a picture."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    made = call(at, "look", {"n": at}, "")
    made[1]["content"] = [{"type": "text", "text": f"screen {at}"}, picture]
    return made


def history(pings: int = 2) -> list[Message]:
    """Pages, logs, rows, an early error, a phase, pictures and a call said twice, or more often."""
    messages = task("Go through login, cart and checkout of the shop.")
    for n in range(50, 50 + pings):
        messages += call(n, "ping", {}, "pong from host-9, all is as it was before, nothing new")
    for n in range(24):
        rows = [{"sku": f"MUG-{n}-{k}", "stock": k * 3, "place": f"shelf {k}"} for k in range(12)]
        results = [page(n), log(24, n), json.dumps(rows), f"done {n}"]
        if n == 4:
            results = ["Error: the cart is locked by session-77"] * 4
        tool = ("open", "console", "rows", "click")[n % 4]
        messages += call(n, tool, {"step": n, "phase": "checkout"}, results[n % 4])
    return [*messages, *shot(40), *shot(41), *call(42, "click", {"step": 42}, "clicked")]


TOKENS = Budget(3_400, counter=chars4)
TIGHT = Budget(1_500, counter=chars4)
# Room for compact pages.
PAGES = Budget(5_000, counter=chars4)
# Results in compact form are enough here: no turn has to leave.
ROOMY = Budget(9_000, target=7_000, counter=chars4)
HYBRID: dict[str, object] = {"strategy": "hybrid", "budget": ROOMY}
# Each field: a value, another one, and what else has to be set for it to matter.
EFFECTS: dict[str, tuple[object, object, dict[str, object]]] = {
    "enabled": (True, False, HYBRID),
    "strategy": ("hybrid", "checkpoint", {"budget": TOKENS}),
    "budget": (TOKENS, TIGHT, {"strategy": "hybrid"}),
    "model": ("gpt-5", "claude-sonnet-5", {"strategy": "hybrid", "budget": 3_000}),
    "window_size": (5, 12, {}),
    "preserve_errors": (True, False, {"window_size": 12}),
    "preserve_screenshots": (True, False, {"strategy": "hybrid", "budget": TOKENS}),
    "compression_level": ("low", "high", HYBRID),
    "truncate_snapshots": (True, False, HYBRID),
    "max_snapshot_depth": (2, 12, {"strategy": "hybrid", "budget": PAGES, "thrift": True}),
    "summarize_console": (True, False, HYBRID),
    "auto_checkpoint": (True, False, {"strategy": "checkpoint", "budget": TOKENS}),
    "checkpoint_phases": (["cart"], ["checkout"], {"strategy": "checkpoint", "budget": TOKENS}),
    "max_checkpoint_size": (120, 500, {"strategy": "checkpoint", "budget": TOKENS}),
    "importance_threshold": (0.0, 1.0, {"strategy": "hybrid", "budget": TIGHT}),
    "merge_similar": (True, False, {"strategy": "hybrid", "budget": Budget(2_200, counter=chars4)}),
    "keep_error_context": (0, 6, {"strategy": "hybrid", "budget": TOKENS}),
    "keep_latest": (0, 4, HYBRID),
    "exclude_tools": ((), ("rows",), HYBRID),
    "compression_levels": ({}, {"rows": "none"}, HYBRID),
    "recall": (True, False, HYBRID),
    "thrift": (True, False, {"strategy": "hybrid", "budget": TOKENS}),
}


def sent(fields: dict[str, object], pings: int = 2) -> str:
    """All that a model reads of the history under a configuration."""
    config = ContextConfig(**fields)  # type: ignore[arg-type]
    return text_of(ContextManager(config).fit(history(pings)).messages)


@pytest.mark.parametrize("name", EFFECTS)
def test_a_field_changes_what_is_sent(name: str) -> None:
    """The same history, one field changed."""
    one, other, beside = EFFECTS[name]
    pings = 10 if name == "merge_similar" else 2
    assert sent({**beside, name: one}, pings) != sent({**beside, name: other}, pings)


def test_a_prompt_for_summaries_reaches_the_model() -> None:
    """`summary_prompt` is handed to `summarise` by those who call a model."""
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return "A short summary."

    summarise(Fold((UserTurn(0, "Keep A-17."),)), model, prompt="Only dates, {tokens} tokens.")
    assert "Only dates, 2,000 tokens." in asked[0].replace("2000", "2,000")


def test_every_field_is_looked_at() -> None:
    """A new field needs a test of its effect."""
    fields = {field.name for field in dataclasses.fields(ContextConfig)}
    assert fields == EFFECTS.keys() | {"summary_prompt"}


# Each field: values that nobody can have meant.
REFUSED: dict[str, list[object]] = {
    "enabled": ["yes", 1, None],
    "strategy": ["magic", 7, None, ["hybrid"]],
    "budget": ["many", 0, -1, True, 1.5, {}, {"default": 0}, {3: 100}, Budget(0), Budget(-5)],
    "model": [7, ["gpt-5"]],
    "window_size": ["15", 0, -1, 2.5, True, None],
    "preserve_errors": ["yes", 0],
    "preserve_screenshots": ["yes", 0],
    "compression_level": ["extreme", None, 2],
    "truncate_snapshots": ["yes", 0],
    "max_snapshot_depth": [-1, "3", 2.5],
    "summarize_console": ["yes", 0],
    "auto_checkpoint": ["yes", 0],
    "checkpoint_phases": ["login", [1], [""], None],
    "max_checkpoint_size": [0, -1, "500"],
    "importance_threshold": [3, -0.1, "0.3", float("nan"), True],
    "merge_similar": ["yes", 0],
    "keep_error_context": [-1, "5", 1.5],
    "keep_latest": [-1, "3", True],
    "exclude_tools": ["Read", [None], [" "]],
    "compression_levels": [{"Read": "extreme"}, "low", ["low"], {7: "low"}, None],
    "recall": ["yes", 0],
    "thrift": ["yes", 1],
    "summary_prompt": [7, ["Only dates."]],
}


@pytest.mark.parametrize("field", REFUSED)
def test_a_bad_value_of_a_field_is_refused_by_its_name(field: str) -> None:
    """Before the first call: which field, what it must be, and what it was."""
    named = field.removesuffix("s") if field == "compression_levels" else field
    for value in REFUSED[field]:
        with pytest.raises(ValueError, match=rf"{named}.*(?:must be|choose one of)"):
            ContextConfig(**{field: value})  # type: ignore[arg-type]
        config = ContextConfig()
        setattr(config, field, value)
        with pytest.raises(ValueError, match=r"must be|choose one of"):
            ContextManager(config)


def test_every_field_has_values_that_are_refused() -> None:
    """A new field needs a test of what it cannot be."""
    assert {field.name for field in dataclasses.fields(ContextConfig)} == REFUSED.keys()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", ["hybrid", "adaptive"])
def test_pruning_keeps_the_error_with_its_neighbours_and_the_order(
    form: str, strategy: str
) -> None:
    """S4.6: scores, a threshold, a target size, N messages around the error that is not solved."""
    messages = task("Order the mug.")
    for n in range(40):
        said = "Error: the cart is locked by session-77" if n == 20 else f"step {n} wrote row-{n}"
        messages += call(n, "shop", {"step": n}, said + " and nothing else happened." * 6)
    target = Budget(1_200, target=900, counter=chars4)
    fields = {"strategy": strategy, "budget": target, "keep_error_context": 1}
    fitted = ContextManager(ContextConfig(**fields)).fit(FORMS[form](messages))  # type: ignore[arg-type]
    said = text_of(fitted.messages)
    assert fitted.report.after <= 1_200
    assert "locked by session-77" in said
    places = [turn.at for turn in fitted.context.turns]
    assert places == sorted(places)
    if strategy == "hybrid":
        assert {"row-19", "row-21"} <= {word.strip('",.') for word in said.split()}


@pytest.mark.parametrize("form", FORMS)
def test_similar_neighbours_are_told_once(form: str) -> None:
    """S4.6: what the next step repeats word for word is not quoted twice."""
    messages = task("Wait for the job.")
    for n in range(60):
        messages += call(n, "poll", {}, "job-5 is still running on host-9")
    messages += call(99, "poll", {}, "job-5 is done")
    fitted = ContextManager(ContextConfig(strategy="hybrid", budget=TIGHT)).fit(
        FORMS[form](messages)
    )
    excerpts = fitted.context.summary.text if fitted.context.summary else ""
    assert fitted.report.fits
    assert excerpts.count("still running on host-9") <= 1


@pytest.mark.parametrize("form", FORMS)
def test_the_newest_results_stay_whole_while_older_turns_can_leave(form: str) -> None:
    """`keep_latest`: as others keep the newest tool results, and within the budget."""
    messages = task()
    for n in range(20):
        messages += call(n, "read", {"n": n}, log(20, n))
    budget = Budget(6_000, counter=chars4)
    config = ContextConfig(strategy="hybrid", budget=budget, keep_latest=5)
    fitted = ContextManager(config).fit(FORMS[form](messages))
    said = text_of(fitted.messages)
    assert fitted.report.fits
    assert all(json.dumps(log(20, n))[1:-1] in said for n in range(15, 20))


def test_the_newest_results_and_those_of_excluded_tools_take_their_compact_form_last() -> None:
    """`keep_latest`, `exclude_tools` and levels by tool each have an effect."""
    messages = task()
    for n in range(8):
        rows = [{"sku": f"MUG-{n}-{k}", "colour": "red", "stock": k * 3} for k in range(60)]
        messages += call(n, "keep" if n == 1 else "look", {"n": n}, json.dumps(rows))

    def shrunk(**fields: object) -> set[str]:
        budget = Budget(11_000, target=9_000, counter=counter_for())
        config = ContextConfig(strategy="hybrid", budget=budget, **fields)  # type: ignore[arg-type]
        turns = ContextManager(config).fit(messages).context.turns
        calls = [one for turn in turns for one in getattr(turn, "calls", ())]
        return {one.id for one in calls if one.original is not None}

    assert {"c0", "c1"} <= shrunk()
    assert shrunk(exclude_tools=["keep"]) == shrunk() - {"c1"}
    assert shrunk(compression_levels={"keep": "none"}) == shrunk() - {"c1"}


def test_a_budget_per_model_follows_the_request() -> None:
    """The longest beginning of the name that is listed, or the default."""
    config = ContextConfig(strategy="hybrid", budget={"claude": 2_000, "default": 100_000})
    manager = ContextManager(config)
    messages = [*task(), *call(1, "read", {}, log(200)), *call(2, "read", {}, log(20))]
    assert manager.fit(messages).report.after > 2_000
    manager.count_for("claude-sonnet-5")
    assert manager.fit(messages).report.after <= 2_000 / 1.15


def test_an_estimate_leaves_its_error_as_a_margin() -> None:
    """A budget near the window of a model whose vocabulary is not known never overflows."""
    assert fit_messages(task(), budget=115_000, model="claude-sonnet-5").report.limit == 100_000
    assert fit_messages(task(), budget=115_000, model="gpt-5").report.limit == 115_000
