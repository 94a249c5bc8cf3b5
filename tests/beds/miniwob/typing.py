"""Tasks that are forms: read what is asked, perhaps compute it, type it and submit."""

from __future__ import annotations

from beds.miniwob.building import (
    SUBMIT,
    Tasks,
    act,
    asked,
    choose,
    click,
    each,
    ends,
    look,
    node,
    type_hidden,
    type_into,
    work_out,
)

_QUOTED = r'{"text": re.search("\"(.*?)\"", said).group(1)}'
_ENTER = (*asked(_QUOTED), type_into("enter", "#tt", "{{want.text}}"), SUBMIT)
_LOGIN = r"""
user, password = re.findall('"(.*?)"', said)
{"user": user, "password": password}
"""
_TIME = r"""
hour, minute, half = re.search(r"(\d+):(\d+)\s*([AP])M", said).groups()
hour = int(hour) % 12 + (12 if half == "P" else 0)
{"time": ("0" if hour < 10 else "") + str(hour) + ":" + minute}
"""
_SUM = r"""
one, sign, two = re.search(r"(\d+) (.) (\d+)", problem).groups()
one, two = int(one), int(two)
{"answer": str(one + two if sign == "+" else one - two if sign == "-" else one * two)}
"""
_SOLVED = r"""
one, sign, two, total = re.search(r"(\w+) (.) (\w+) = (\d+)", problem).groups()
total = int(total)
if one == "x":
    x = total - int(two) if sign == "+" else total + int(two)
else:
    x = total - int(one) if sign == "+" else int(one) - total
{"answer": str(x)}
"""
_MOVIE = r"""
genre, name, year = re.search(r"for (\w+) movies directed by (.+) from year (\d+)", said).groups()
{"genre": genre, "name": name, "year": year}
"""
_ROW = '#area :is(p, tr, .row, .field, .ui-entry):has-text("{}") input'
_SEARCH = (
    *asked(_MOVIE),
    type_into("genre", _ROW.format("Genre"), "{{want.genre}}"),
    type_into("director", _ROW.format("Director"), "{{want.name}}"),
    type_into(
        "year",
        "#area :is(p, tr, .row, .field, .ui-entry):is(:has-text('Year'), :has-text('Released')) input",
        "{{want.year}}",
    ),
    ends(click("search", "#area :is(button, .final, .ui-submit)")),
)

TASKS: Tasks = {
    "enter-text": _ENTER,
    "enter-text-dynamic": _ENTER,
    "enter-text-2": (
        *asked(
            r"""text = re.search('"(.*?)"', said).group(1)"""
            '\n{"text": text.upper() if "upper case" in said else text.lower()}'
        ),
        type_into("enter", "#tt", "{{want.text}}"),
        SUBMIT,
    ),
    "enter-password": (
        *asked(_QUOTED),
        type_hidden("first", "#password", "{{want.text}}"),
        type_hidden("again", "#verify", "{{want.text}}"),
        SUBMIT,
    ),
    "enter-date": (
        *asked(
            r'month, day, year = re.search(r"(\d+)/(\d+)/(\d+)", said).groups()'
            '\n{"date": year + "-" + month + "-" + day}'
        ),
        type_into("enter", "#tt", "{{want.date}}"),
        SUBMIT,
    ),
    "enter-time": (*asked(_TIME), type_into("enter", "#tt", "{{want.time}}"), SUBMIT),
    "login-user": (
        *asked(_LOGIN),
        type_into("user", "#username", "{{want.user}}"),
        type_hidden("password", "#password", "{{want.password}}"),
        SUBMIT,
    ),
    "login-user-popup": (
        *asked(_LOGIN),
        # A popup may come as soon as a field is entered; it takes the fields away until it is left.
        node("user_or_popup", "handle", **{"try": "user", "catch": "leave..user_again"}),
        type_into("user", "#username", "{{want.user}}", timeout=1500),
        click("leave", "#popup-cancel"),
        type_into("user_again", "#username", "{{want.user}}"),
        node(
            "password_or_popup",
            "handle",
            **{"try": "password", "catch": "leave_too..password_again"},
        ),
        type_hidden("password", "#password", "{{want.password}}", timeout=1500),
        click("leave_too", "#popup-cancel"),
        type_hidden("password_again", "#password", "{{want.password}}"),
        SUBMIT,
    ),
    "text-transform": (
        look("letters", "#captcha span"),
        work_out("word", '{"text": "".join(letters)}', letters="{{letters.items}}"),
        type_into("enter", "#tt", "{{word.text}}"),
        SUBMIT,
    ),
    "find-word": (
        *asked(r'{"nth": int(re.search(r"\d+", said).group(0)) - 1}'),
        look("paragraph", "#area p"),
        work_out(
            "word",
            r'{"text": re.sub("[^a-zA-Z]", "", text.split()[nth])}',
            text="{{paragraph.items[0]}}",
            nth="{{want.nth}}",
        ),
        type_into("enter", "#answer-input", "{{word.text}}"),
        SUBMIT,
    ),
    "copy-paste": (
        look("copied", "#to-copy"),
        type_into("paste", "#answer-input", "{{copied.items[0]}}"),
        SUBMIT,
    ),
    "copy-paste-2": (
        *asked(r'{"nth": int(re.search(r"\d", said).group(0))}'),
        look("copied", "#text-{{want.nth}}"),
        type_into("paste", "#answer-input", "{{copied.items[0]}}"),
        SUBMIT,
    ),
    "read-table": (
        *asked('{"name": re.search("value of (.*) into", said).group(1)}'),
        look("rows", "#tab tr", name="td:nth-child(1)", value="td:nth-child(2)"),
        work_out(
            "found",
            '{"value": [row["value"] for row in rows if row["name"] == name][0]}',
            rows="{{rows.items}}",
            name="{{want.name}}",
        ),
        type_into("enter", "#tt", "{{found.value}}"),
        SUBMIT,
    ),
    "read-table-2": (
        look("rows", "#tab tr", name="td:nth-child(1)", value="td:nth-child(2)"),
        look("labels", "#form label"),
        work_out(
            "found",
            'facts = {row["name"] + ":": row["value"] for row in rows}'
            '\n{"values": [facts[label] for label in labels]}',
            rows="{{rows.items}}",
            labels="{{labels.items}}",
        ),
        type_into("first", "#tt1", "{{found.values[0]}}"),
        type_into("second", "#tt2", "{{found.values[1]}}"),
        SUBMIT,
    ),
    "simple-arithmetic": (
        look("problem", "#math-problem"),
        work_out("solved", _SUM, problem="{{problem.items[0]}}"),
        type_into("enter", "#math-answer", "{{solved.answer}}"),
        SUBMIT,
    ),
    "simple-algebra": (
        look("problem", "#math-problem"),
        work_out("solved", _SOLVED, problem="{{problem.items[0]}}"),
        type_into("enter", "#math-answer", "{{solved.answer}}"),
        SUBMIT,
    ),
    "visual-addition": (
        node("blocks", "browser_query", method="count", selector=".addition-block", store="*"),
        type_into("enter", "#math-answer", "{{blocks.count}}"),
        SUBMIT,
    ),
    "scroll-text": (
        look("text", "#text-area"),
        work_out("word", 're.sub("[^a-zA-Z0-9]", "", text.split()[-1])', text="{{text.items[0]}}"),
        type_into("enter", "#answer-input", "{{word.result}}"),
        SUBMIT,
    ),
    "guess-number": (
        node("start", "context", variables={"low": 0, "high": 9}),
        # Five halves of ten numbers leave one.
        each("guesses", [1, 2, 3, 4, 5], "unless"),
        choose("unless", ("known", "{{low}} > {{high}}", []), ("not_yet", True, "middle..halve")),
        work_out("middle", '{"n": (low + high) // 2}', low="{{low}}", high="{{high}}"),
        type_into("guess", "#tt", "{{middle.n}}"),
        click("submit", "#subbtn"),
        look("told", "#feedback > div:not(.hide)"),
        work_out(
            "half",
            '{"low": n + 1 if "higher" in told else low if "lower" in told else 1,'
            ' "high": n - 1 if "lower" in told else high if "higher" in told else 0}',
            n="{{middle.n}}",
            told="{{told.items[0]}}",
            low="{{low}}",
            high="{{high}}",
        ),
        node("halve", "context", variables={"low": "{{half.low}}", "high": "{{half.high}}"}),
    ),
    "multi-layouts": _SEARCH,
    "multi-orderings": _SEARCH,
    "sign-agreement": (
        *asked(
            """found = re.search('name "(.*?)" then press "(.*?)"', said)\n"""
            '{"name": found.group(1) if found else "", "button": found.group(2).lower() if found else "cancel"}'
        ),
        choose("how", ("sign", "{{want.name}} != ''", "down..sign"), ("leave", True, [])),
        act("down", "scrollToRow", rowIndex=1000, rowHeight=20, container="#text-area"),
        type_into("sign", "#name", "{{want.name}}"),
        ends(click("press", "#{{want.button}}")),
    ),
    "scroll-text-2": (
        *asked('{"row": 1000 if "bottom" in said else 0}'),
        act("scroll", "scrollToRow", rowIndex="{{want.row}}", rowHeight=20, container="#text-area"),
        SUBMIT,
    ),
}
