"""Pages on which an outline and a locator once saw different things, and what is done on each.

Each part is a list of nodes that ends in a variable of its name; what fails is caught and kept as
the words of the error. The parts make one workflow, which is run and exported.
"""

from __future__ import annotations

from typing import Any

from runs.building import flow, node

PAGES = {
    "buttons": "<button>Delete</button><button>Delete</button>",
    "list": "<main><ul><li>one</li><li>two</li><li>three</li></ul></main>",
    "labels": """<form onsubmit="event.preventDefault(); said.textContent = 'saved'">
        <label>Tags <input name=labels></label><input name=children><input name=matches>
        <button>Save</button></form><p id=said></p>""",
    "keys": """<label>Title <input id=title></label>
        <iframe srcdoc="<label>Inner <input id=inner></label>"></iframe>""",
    "shadow": """<main><x-card></x-card><x-card></x-card></main><script>
        let count = 0;
        customElements.define('x-card', class extends HTMLElement {
          connectedCallback() {
            count += 1;
            this.attachShadow({mode: 'open'}).innerHTML =
              `<h3>Card ${count}</h3><a href="/card/${count}">open</a>`;
          }
        })</script>""",
    "slotted": """<x-button>Send <b>now</b></x-button><p id=said></p><script>
        customElements.define('x-button', class extends HTMLElement {
          constructor() {
            super();
            this.attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot></button>';
            this.addEventListener('click', () => { said.textContent = 'sent' });
          }
        })</script>""",
    "names": """<style>.needed::after { content: "*" }</style>
        <label class=needed for=n>Name</label><input id=n>
        <button title="Remove it"><i class="fa fa-trash"></i></button>
        <span class="icon-print" id=print></span><p id=said></p><script>
        print = document.querySelector('#print');
        print.style = 'display: inline-block; width: 16px; height: 16px';
        print.addEventListener('click', () => { said.textContent = n.value + ' printed' })</script>""",
    "upload": """<button id=pick>Attach a file</button><p id=said></p><script>
        pick.onclick = () => {
          const field = Object.assign(document.createElement('input'), {type: 'file'});
          field.onchange = () => { said.textContent = field.files[0].name };
          field.click();
        }</script>""",
    "confirm": """<button id=go onclick="said.textContent = confirm('Delete all?') ? 'gone' : 'kept'">
        Delete</button><p id=said>nothing</p>""",
    "frame": """<h1>Report</h1><iframe srcdoc="<table><tr class=r><td>Ada</td><td>3</td></tr>
        <tr class=r><td>Ben</td><td>4</td></tr></table>"></iframe>""",
    "editor": """<div class=monaco-editor style="position: relative; width: 300px; height: 80px">
        <div class=view-lines style="height: 80px"></div>
        <textarea class=inputarea aria-label="Editor content" style="width: 1px; height: 1px"></textarea>
        </div><script>
        const lines = document.querySelector('.view-lines'), area = document.querySelector('.inputarea');
        let model = 'old text', selected = false;
        const draw = () => { lines.innerHTML = '';
          model.split('\\n').forEach(text => lines.append(Object.assign(document.createElement('div'),
            {className: 'view-line', textContent: text.replaceAll(' ', '\\u00a0')}))) };
        lines.parentNode.addEventListener('mousedown', e => { e.preventDefault(); area.focus() });
        area.addEventListener('keydown', e => {
          if (e.key === 'a' && (e.ctrlKey || e.metaKey)) { selected = true; e.preventDefault() }
          else if (e.key === 'Delete' && selected) { model = ''; selected = false; draw(); e.preventDefault() }
        });
        area.addEventListener('input', () => { model += area.value; area.value = ''; draw() });
        draw()</script>""",
    "text": """<ul><li>Ada <button onclick="said.textContent='ada'">Pay</button></li>
        <li>Ben <button onclick="said.textContent='ben'">Pay</button></li></ul><p id=said></p>""",
    "whole": """<p id=total>60 orders</p><div id=box style="height: 120px; overflow: auto">
        <div id=room style="position: relative; height: 1200px"></div></div><script>
        const draw = () => { const first = Math.floor(box.scrollTop / 20); room.innerHTML = '';
          for (let n = first; n < Math.min(60, first + 8); n++) room.insertAdjacentHTML('beforeend',
            `<div class=row style="position: absolute; top: ${n * 20}px"><b>${n}</b> <i>${n % 2}</i></div>`) };
        box.onscroll = () => setTimeout(draw, 20); draw(); box.scrollTop = 600</script>""",
    "options": """<button id=prod aria-haspopup=listbox onclick="l.hidden = false">Choose a product</button>
        <div role=listbox id=l hidden><div role=option
        onclick="prod.textContent = 'Lamp'; l.hidden = true">Lamp</div></div>
        <div role=listbox><div role=option onclick="said.textContent = 'low'">Lamp</div></div>
        <p id=said>high</p>""",
    "place": """<nav aria-label=Pages><ul><li class=a><i></i></li><li>1</li><li>2</li><li class=b><i></i></li></ul>
        </nav><p>End</p>""",
    "radio": """<fieldset><legend>Ship</legend>
        <label><input type=radio name=way value=air> By air</label>
        <label><input type=radio name=way value=sea> By sea</label></fieldset>
        <output id=said></output><script>
        document.onchange = e => { said.textContent = e.target.value }</script>""",
}


def act(alias: str, action: str, /, **config: Any) -> dict[str, Any]:
    """An action."""
    return node(alias, "browser_action", action=action, **config)


def read(alias: str, selector: Any, **config: Any) -> dict[str, Any]:
    """An extraction that is kept."""
    given = {"selector": selector, "store": True, **config}
    return node(alias, "browser_query", method="deterministic_extract", **given)


def ensured(made: dict[str, Any], *conditions: dict[str, Any]) -> dict[str, Any]:
    """A node with what must hold after it."""
    return {**made, "ensures": list(conditions)}


DELETE = {"role": "button", "name": "Delete"}
LAST = {
    "role": "listitem",
    "css": "html:nth-child(1) > body:nth-child(2) > nav:nth-child(1) > ul:nth-child(1) > li:nth-child(4)",
    "path": "nav>ul>li",
    "within": [{"role": "list"}, {"role": "navigation", "name": "Pages"}],
    "near": ["2", "1", "End"],
    "nth": [3, 4],
}
EDITOR = {"role": "textbox", "name": "Editor content"}
PARTS: dict[str, list[dict[str, Any]]] = {
    "buttons": [
        ensured(act("gone", "wait", time=1), {"element": DELETE, "absent": True, "within": 200})
    ],
    "list": [
        ensured(read("items", {"role": "listitem"}), {"count": {"role": "listitem"}, "equals": 3})
    ],
    "labels": [
        act("save", "click", selector={"role": "button", "name": "Save"}),
        read("saved", "#said"),
    ],
    "keys": [
        act("inner", "click", selector={"role": "textbox", "name": "Inner"}),
        act("key", "keypress", selector={"role": "textbox", "name": "Title"}, key="x"),
        read("title", "#title, #inner", fields={"value": "@value"}),
    ],
    "shadow": [read("cards", "x-card", fields={"title": "h3", "link": "a@href", "all": "."})],
    "slotted": [
        act("send", "click", selector={"role": "button", "name": "Send now"}),
        read("sent", "#said"),
    ],
    "names": [
        act("name", "type", selector={"role": "textbox", "name": "Name*"}, text="Eve"),
        act("label", "type", selector={"label": "Name"}, text="Ada"),
        act("remove", "click", selector={"role": "button", "name": "Remove it"}),
        act("print", "click", selector={"role": "button", "name": "print"}),
        read("printed", "#said"),
    ],
    "upload": [
        act("file", "upload", selector={"role": "button", "name": "Attach a file"}, file="a.txt"),
        read("named", "#said"),
    ],
    "confirm": [
        act("no", "click", selector="#go", on_dialog="dismiss"),
        read("kept", "#said"),
        act("yes", "click", selector="#go", on_dialog="accept"),
        read("gone_then", "#said"),
        act("unsaid", "click", selector="#go"),
    ],
    "frame": [read("rows", "tr.r", fields={"name": "td", "all": "."})],
    "editor": [
        act("code", "type", selector=EDITOR, text="let a = 1;\nlet b = 2;"),
        read("lines", ".view-line"),
    ],
    "text": [
        act("ben", "click", selector='li:has-text("Ben") button'),
        read("paid", "#said"),
    ],
    "whole": [
        node(
            "orders",
            "browser_query",
            method="extract_all",
            selector=".row",
            fields={"no": "b", "odd": "i"},
            key="no",
            total="#total",
            store=True,
        )
    ],
    "options": [
        act("set", "set", selector={"role": "button", "name": "Choose a product"}, value="Lamp"),
        read("chosen", "#prod, #said"),
    ],
    "place": [
        ensured(read("last", LAST, fields={"class": "@class"}), {"element": LAST, "within": 200}),
        ensured(
            act("moved", "wait", time=1),
            {"element": {**LAST, "near": ["1", "2", "End"]}, "absent": True, "within": 200},
        ),
    ],
    "radio": [
        act("air", "check", selector={"role": "radio", "name": "By air"}),
        act("sea", "click", selector={"label": "By sea"}),
        read("way", "#said"),
    ],
}


def workflow(origin: str) -> Any:
    """All parts, each with its page, each in a try of its own."""
    nodes: list[dict[str, Any]] = []
    for name, part in PARTS.items():
        inside = [act(f"open_{name}", "navigate", url=f"{origin}/{name}"), *part]
        words = {"variables": {f"{name}_failed": "{{lastError.message}}"}}
        nodes += [
            node(
                f"try_{name}",
                "handle",
                **{"try": [one["alias"] for one in inside], "catch": [f"told_{name}"]},
            ),
            *inside,
            node(f"told_{name}", "context", **words),
        ]
    return flow(*nodes, origin=origin, version=3)
