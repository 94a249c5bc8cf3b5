"""Tasks that are small sites: a mailbox, a feed, a shop, a phone book, a search, flights."""

from __future__ import annotations

from beds.miniwob.building import (
    Tasks,
    act,
    asked,
    choose,
    click,
    each,
    ends,
    look,
    node,
    type_into,
    work_out,
)

_LETTER = r"""
found = re.match("Find the email by (.*?) and (reply|forward|click the trash|click the star)", said)
rest = re.search(r'with the text "(.*)"|email to (.*)\.', said)
{"by": found.group(1), "verb": found.group(2), "text": (rest.group(1) or rest.group(2)) if rest else ""}
"""
_THREAD = '.email-thread:has(.email-sender:text-is("{{want.by}}"))'
_MAIL = (
    *asked(_LETTER),
    choose(
        "what",
        ("delete", "'trash' in {{want.verb}}", "trash"),
        ("star", "'star' in {{want.verb}}", "star"),
        ("reply", "{{want.verb}} == 'reply'", "open..send"),
        ("forward", True, "open_too..send_too"),
    ),
    ends(click("trash", f"{_THREAD} .trash")),
    ends(click("star", f"{_THREAD} .star")),
    click("open", f"{_THREAD} .email-sender"),
    click("reply", ".email-reply"),
    type_into("answer", "#reply-text", "{{want.text}}"),
    ends(click("send", "#send-reply")),
    click("open_too", f"{_THREAD} .email-sender"),
    click("forward", ".email-forward"),
    type_into("to", ".forward-sender", "{{want.text}}"),
    ends(click("send_too", "#send-forward")),
)
_POST = '.media:has(.username:text-is("{{want.user}}"))'
_POSTS = (
    *asked(r"""
found = re.search('the "(.*)" button on (all|[0-9]+) posts? by (.*) and then', said)
{"button": found.group(1).lower(), "many": found.group(2), "user": found.group(3)}
"""),
    look("posts", _POST),
    work_out(
        "which",
        '{"places": list(range(count if many == "all" else int(many)))}',
        many="{{want.many}}",
        count="{{posts.count}}",
    ),
    each("press_them", "{{which.places}}", "press"),
    click("press", f"{_POST} .{{{{want.button}}}}", nth="{{it}}"),
    ends(click("submit", "#submitRow button")),
)
_BEST = r"""
def minutes(text):
    hours, rest = re.search(r"(\d+)h (\d+)m", text).groups()
    return 60 * int(hours) + int(rest)

def price(text):
    return int(re.search(r"\$(\d+)", text).group(1))

rows = [(price(one["price"]) if "cost" in how else minutes(one["time"]), nth) for nth, one in enumerate(flights)]
worst = "longest" in how or "expensive" in how
{"nth": (max(rows) if worst else min(rows))[1]}
"""

TASKS: Tasks = {
    **dict.fromkeys(
        (
            "email-inbox",
            "email-inbox-delete",
            "email-inbox-important",
            "email-inbox-reply",
            "email-inbox-star-reply",
        ),
        _MAIL,
    ),
    "social-media": (
        *asked(r"""
found = re.search('the user (.*), click on the "(.*)"', said)
{"user": found.group(1), "button": found.group(2)}
"""),
        choose(
            "where",
            ("row", "{{want.button}} in ('Reply', 'Retweet', 'Like')", "icon..press"),
            ("menu", True, "point_more..pick"),
        ),
        work_out("icon", '{"name": button.lower()}', button="{{want.button}}"),
        # An icon is another picture under the pointer, and moves when that is loaded.
        act("point", "hover", f"{_POST} .{{{{icon.name}}}}"),
        act("settle", "wait", time=300),
        ends(click("press", f"{_POST} .{{{{icon.name}}}}")),
        act("point_more", "hover", f"{_POST} .more"),
        act("settle_more", "wait", time=300),
        click("more", f"{_POST} .more"),
        ends(click("pick", f'{_POST} li:has-text("{{{{want.button}}}}")')),
    ),
    "social-media-all": _POSTS,
    "social-media-some": _POSTS,
    "navigate-tree": (
        *asked("""{"name": re.search('named "(.*)"', said).group(1)}"""),
        look("seen", '#tree span:text-is("{{want.name}}")'),
        choose("inside", ("seen", "{{seen.count}} > 0", []), ("hidden", True, "unfold")),
        click("unfold", '#tree > li:has(ul span:text-is("{{want.name}}")) > span.folder'),
        ends(click("pick", '#tree span:text-is("{{want.name}}")')),
    ),
    "search-engine": (
        *asked(r"""
found = re.search('enter "(.*?)".* the ([0-9])', said)
place = int(found.group(2)) - 1
{"words": found.group(1), "page": place // 3 + 1, "nth": place % 3}
"""),
        type_into("words", "#search-text", "{{want.words}}"),
        click("search", "#search"),
        click("page", '#pagination a:text-is("{{want.page}}")'),
        ends(click("follow", "#page-content a", nth="{{want.nth}}")),
    ),
    "phone-book": (
        *asked(r"""
found = re.match(r"Find (.*) in the contact book and click on their (\w+)", said)
{"name": found.group(1), "what": found.group(2)}
"""),
        node("start", "context", variables={"here": False}),
        each("pages", [1, 2, 3, 4, 5], ["shown", "turn"]),
        look("shown", "#contact .name"),
        choose(
            "turn",
            ("found", "{{shown.items[0]}} == {{want.name}}", []),
            ("last", "{{isLast}}", []),
            ("next", True, "next"),
        ),
        click("next", "#pagination .next a"),
        ends(click("pick", "#contact .{{want.what}}")),
    ),
    "order-food": (
        *asked(r"""
found = re.match(r"Order (\d+) items that are (.*)", said)
names = [] if found else re.match("Order one of each item: (.*)", said).group(1).split(", ")
{"names": [name.strip() for name in names], "kind": found.group(2) if found else "", "times": list(range(int(found.group(1)))) if found else []}
"""),
        each("by_name", "{{want.names}}", "add", variable="name"),
        click("add", '.food-item:has(.item-name:text-is("{{name}}")) .add'),
        each("by_kind", "{{want.times}}", "add_kind"),
        click("add_kind", '.food-item:has(img[alt="{{want.kind}}"]) .add'),
        ends(click("order", "#submit-order button")),
    ),
    "buy-ticket": (
        *asked('{"how": re.search("with the (.*)[.]", said).group(1)}'),
        look("flights", ".flight", time=".time-duration", price=".buy-ticket"),
        work_out("best", _BEST, flights="{{flights.items}}", how="{{want.how}}"),
        ends(click("buy", ".buy-ticket", nth="{{best.nth}}")),
    ),
}
