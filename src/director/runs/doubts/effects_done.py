"""Whether something that must happen once is there, and there once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from director.runs.doubts.doubt import Doubt
from director.workflow.doubt_checks import DoubtKind
from director.workflow.values import Config, Json

_OWN = re.compile(r"^#?\d+$|^\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?$", re.IGNORECASE)
# Dates whose parts stand in one order wherever they are written so.
_DATES = (re.compile(r"\d{4}-\d{1,2}-\d{1,2}"), re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"))
_NOTHING = re.compile(r"none|null|n/?a|[-\u2013\u2014]+", re.IGNORECASE)
# Fields of a form that say what is to be done with it, and fields that saving changes.
_OF_SENDING = re.compile(r"action|comment|note|reason|message|notify|captcha|code", re.IGNORECASE)
_OF_SITE = re.compile(
    r"status|state|stage|phase|modified|updated|changed|version|revision|progress|owner|assign",
    re.IGNORECASE,
)
_TYPED = 3  # letters of a typed text that tell it from others
_REFUSED = 400


@dataclass(frozen=True, slots=True)
class EffectSeen:
    """What was seen of a visit of a `once` node.

    `sent` are the requests it made that carry what was typed, `rows` those of the page afterwards
    that show it, as lists of cells, `errors` what it says is wrong with the form. `found` is how
    often its proof finds it at the end, if it was looked for, and `looked` what did not hold.
    `part` is a typed text and what the page shows of it; `is_seen` says that something has shown
    what was typed, or never could.
    `held` are its promises, if all of them held before it as well and nothing else shows it.
    `fields` are what the filled fields show afterwards, where the page still has them, those that
    the page had filled in by itself marked as `kept`, and `marks`
    the texts by which its proof tells it. `before` is an earlier run that did the same.
    """

    node: str
    alias: str
    key: str
    url: str
    typed: tuple[str, ...] = ()
    sent: tuple[Config, ...] = ()
    rows: tuple[Sequence[str], ...] = ()
    errors: tuple[str, ...] = ()
    found: int | None = None
    where: str = ""
    looked: str = ""
    part: tuple[str, str] | None = None
    is_seen: bool = True
    held: tuple[str, ...] = ()
    fields: tuple[Config, ...] = ()
    marks: tuple[str, ...] = ()
    before: str = ""

    def doubt(self, kind: DoubtKind, sentence: str, **evidence: Json) -> Doubt:
        """A doubt about this node."""
        told = {**evidence, "url": self.where or self.url, "step": self.key}
        return Doubt(kind, self.node, self.alias, sentence, told)


def find_effect_doubts(seen: EffectSeen) -> Iterator[Doubt]:
    """Doubts about one effect; at most one of those that say it is there twice."""
    yield from _find_refused(seen)
    yield from [*_find_part(seen)] or _find_dropped(seen)
    for find in (
        _find_sent_twice,
        _find_rows_twice,
        _find_proof,
        _find_no_proof,
        _find_done_before,
        _find_unproven,
        _find_held,
    ):
        found = list(find(seen))
        if found:
            yield from found[:1]
            return


def _find_refused(seen: EffectSeen) -> Iterator[Doubt]:
    if seen.errors:
        yield seen.doubt(
            "refused",
            f"After {seen.alias} the form is still there and says {seen.errors[0]!r}.",
            errors=list(seen.errors),
        )
        return
    # What was refused at first and then taken, such as after a new token, was taken.
    good = {(each["method"], each["url"]) for each in seen.sent if not _is_refused(each)}
    bad = [each for each in seen.sent if _is_refused(each)]
    bad = [each for each in bad if (each["method"], each["url"]) not in good]
    if bad:
        yield seen.doubt(
            "refused",
            f"What {seen.alias} sent to {bad[-1]['url']} was answered with status "
            f"{bad[-1]['status']}.",
            status=bad[-1]["status"],
            sent_to=bad[-1]["url"],
        )


def _find_part(seen: EffectSeen) -> Iterator[Doubt]:
    """A text of which the page shows only the beginning: it may have been cut when it was kept."""
    if seen.part:
        typed, shown = seen.part
        yield seen.doubt(
            "value",
            f"After {seen.alias} the page shows {shown!r} where {typed!r} was typed.",
            typed=typed,
            shown=shown,
        )


def _find_no_proof(seen: EffectSeen) -> Iterator[Doubt]:
    """A proof that was looked at and shows neither that it happened nor that it did not."""
    if seen.looked and seen.found is None:
        yield seen.doubt(
            "unproven",
            f"The proof of {seen.alias} cannot tell whether it worked: on {seen.where} neither "
            f"'happened' nor 'not_happened' is true ({seen.looked}). Let it look for what the page "
            "shows when it is opened again.",
            typed=list(seen.typed),
        )


def _find_dropped(seen: EffectSeen) -> Iterator[Doubt]:
    """A field that shows another text than it was sent with, beside others that show theirs."""
    fields = [*_drop_next_form(seen.fields)]
    filled = [each for each in fields if not each.get("kept")]
    if not any(_is_kept(each) for each in filled):
        return
    by_itself = [each for each in fields if each.get("kept") and not _is_set_by_site(each)]
    for each in (*filled, *by_itself):
        typed, shown = str(each["typed"]), str(each["shown"])
        is_blank = not shown or _NOTHING.fullmatch(shown) is not None
        if _is_kept(each) or (not is_blank and not _says_another(typed, shown)):
            continue
        how = "stood in the form" if each.get("kept") else "was typed"
        yield seen.doubt(
            "value",
            f"After {seen.alias} the page shows {shown!r} in {each['field']}, where {typed!r} "
            f"{how}, while other fields show what was typed: it was not kept.",
            typed=typed,
            shown=shown,
            field=each["field"],
        )
        return


def _is_set_by_site(field: Config) -> bool:
    """Whether a site may well set a field anew that nobody typed: a state, a time, a number."""
    shown, name = str(field["shown"]).strip(), str(field["field"])
    if not shown or _NOTHING.fullmatch(shown):
        return _OF_SENDING.search(name) is not None
    return any(map(str.isdigit, str(field["typed"]) + shown)) or _OF_SITE.search(name) is not None


def _drop_next_form(fields: Sequence[Config]) -> Sequence[Config]:
    """The fields without those of a form for the next entry: all its texts are empty again.

    What was chosen in it often stays chosen.
    """
    texts = [each for each in fields if each.get("is_text") is True]
    is_next = bool(texts) and not any(str(each["shown"]).strip() for each in texts)
    return [each for each in fields if "is_text" not in each] if is_next else fields


def _is_kept(field: Config) -> bool:
    return " ".join(str(field["typed"]).split()) == " ".join(str(field["shown"]).split())


def _says_another(typed: str, shown: str) -> bool:
    """Whether two texts are more than two notations of one number, date or name."""
    one, other = (" ".join(each.casefold().split()).rstrip("…") for each in (typed, shown))
    if one in other or other in one:
        return False
    has_words = [any(map(str.isalpha, each)) for each in (one, other)]
    return all(has_words) or (not any(has_words) and _are_other_numbers(one, other))


def _are_other_numbers(one: str, other: str) -> bool:
    """Whether two texts of digits are no notations of one number or date."""
    if any(each.fullmatch(one) and each.fullmatch(other) for each in _DATES):
        dates = [[int(part) for part in re.findall(r"\d+", each)] for each in (one, other)]
        return dates[0] != dates[1]
    digits = [re.sub(r"\D", "", each).strip("0") for each in (one, other)]
    parts = [sorted(map(int, re.findall(r"\d+", each))) for each in (one, other)]
    if not all(digits) or parts[0] == parts[1]:
        return False
    return digits[0] not in digits[1] and digits[1] not in digits[0]


def _find_done_before(seen: EffectSeen) -> Iterator[Doubt]:
    """The same sent by an earlier run: it may be there twice now."""
    marks = [text.casefold() for text in seen.marks]
    typed = [text.casefold() for text in seen.typed if len(text) >= _TYPED]
    if seen.found and sum(_has_mark(row, marks) for row in seen.rows) == 1:
        return
    if sum(_shows(row, typed) for row in seen.rows) == 1:
        return
    if seen.before and not seen.errors and not any(_is_refused(each) for each in seen.sent):
        yield seen.doubt(
            "twice",
            f"{seen.alias} sent the same as in {seen.before}: it may be there twice now. Let a "
            "route look first whether it is there already.",
            typed=list(seen.typed),
            before=seen.before,
        )


def _find_unproven(seen: EffectSeen) -> Iterator[Doubt]:
    """What was sent, and nothing has shown since that it was kept."""
    if seen.errors or seen.is_seen or seen.found is not None:
        return
    if any(_carries(each) and not _is_refused(each) for each in seen.sent):
        yield seen.doubt(
            "unproven",
            f"{seen.alias} sent what was typed, and no page has shown since that the site kept it: "
            "give it a proof with a 'url' where it is shown, or read it back.",
            typed=list(seen.typed),
        )


def _find_held(seen: EffectSeen) -> Iterator[Doubt]:
    """Promises that held before the action as well."""
    if seen.held and not seen.errors and seen.found is None:
        yield seen.doubt(
            "unproven",
            f"All that {seen.alias} ensures was true before it as well ({'; '.join(seen.held)}), "
            "so it does not show that anything happened: ensure something that is there only "
            "afterwards, or give it a proof.",
            held_before=list(seen.held),
        )


def _carries(sent: Config) -> bool:
    return sent.get("carries") is not False


def _find_sent_twice(seen: EffectSeen) -> Iterator[Doubt]:
    """The same request with the same content, more than once, none of them refused."""
    good = [each for each in seen.sent if not _is_refused(each) and _carries(each)]
    counts = Counter((str(each["method"]), str(each["url"]), each.get("body")) for each in good)
    for (method, url, _), times in counts.items():
        if times > 1:
            yield seen.doubt(
                "twice",
                f"{seen.alias} sent the same {times} times to {url} ({method}).",
                times=times,
                sent_to=url,
            )


def _is_refused(sent: Config) -> bool:
    status = sent.get("status")
    return isinstance(status, int) and status >= _REFUSED


def _find_rows_twice(seen: EffectSeen) -> Iterator[Doubt]:
    """Rows of the page afterwards that show what was typed and are alike but for their number."""
    typed = [text.casefold() for text in seen.typed if len(text) >= _TYPED]
    marks = [text.casefold() for text in seen.marks if len(text) >= _TYPED]
    if not typed and not marks:
        return
    rows = [tuple(cell for cell in row if not _OWN.match(cell)) for row in seen.rows]
    telling = [row for row in rows if _shows(row, typed) or _has_mark(row, marks)]
    for row, times in Counter(telling).items():
        if times > 1:
            shown = " · ".join(cell for cell in row if cell)
            yield seen.doubt(
                "twice",
                f"After {seen.alias} the page shows {times} rows that are alike: {shown!r}.",
                times=times,
                row=list(row),
            )


def _has_mark(row: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether a cell of a row is what a proof looks for."""
    return any(" ".join(cell.casefold().split()) in marks for cell in row)


def _shows(row: Sequence[str], typed: Sequence[str]) -> bool:
    if not typed:
        return False
    text = " ".join(row).casefold()
    return all(each in text for each in typed if any(each in cell.casefold() for cell in row)) and (
        max(typed, key=len) in text
    )


def _find_proof(seen: EffectSeen) -> Iterator[Doubt]:
    if seen.found == 0:
        yield seen.doubt(
            "gone",
            f"What {seen.alias} did was looked for on {seen.where} and is not there: "
            f"{seen.looked}.",
            times=0,
            typed=list(seen.typed),
        )
    elif seen.found is not None and seen.found > 1:
        yield seen.doubt(
            "twice",
            f"What {seen.alias} did is on {seen.where} {seen.found} times.",
            times=seen.found,
        )


def list_effect_marks(conditions: Sequence[Config]) -> list[str]:
    """The texts by which a proof tells an entry: what an element shows, or is called."""
    named = [each["element"] for each in conditions if isinstance(each.get("element"), Mapping)]
    names = [each.get("name") for each in named if isinstance(each, Mapping)]
    texts = [*(each.get("text") for each in conditions), *names]
    return [*dict.fromkeys(str(text) for text in texts if text)]


def list_typed(steps: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    """The texts that steps typed into a page, without references to secrets."""
    found = [str(step.get("text", "")) for step in steps if step.get("action") == "type"]
    found += [str(step.get("value", "")) for step in steps if step.get("action") == "set"]
    return tuple(dict.fromkeys(text.strip() for text in found if text and "{{" not in text))
