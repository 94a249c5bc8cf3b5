"""A site that echoes what was typed, in every way that a page shows or carries a text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from browser.sites import Served, Site, site
from director.browser import Browser, Origins, Session
from director.secrets import Vault

# Of one length, with nothing in common.
SECRETS = ("Zebra/7731=quick", "mango_4420?BROWN")
GREEN_GIF = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024c01003b")
SEARCH = """<title>Search</title><form action="/echo"><input id="q" name="q">
<button id="go">Go</button></form><input id="other"><select id="pick"><option>one<option>two</select>"""
INNER = "<title>inner</title><p id=deep></p><script>deep.textContent = parent.said</script>"
ECHO = """<title>Results</title><style>
body { font: 16px sans-serif; width: 600px } #made::before { content: attr(data-said) }
#upper { text-transform: uppercase }</style>
<h1 id="head"></h1><p id="text"></p><p id="coded"></p><p id="small"></p><p id="loud"></p>
<p id="spaced"></p><p id="back"></p><p id="split"></p><p id="made"></p><p id="upper"></p>
<p id="calm">nothing to hide</p>
<input id="box"><input id="again" placeholder=""><textarea id="area"></textarea>
<form id="form" action="/echo"><input type="hidden" id="hid" name="hid"></form>
<select id="pick"><option id="opt">one</option><option value="two">two</option></select>
<a id="link" href="/">link</a><img id="image" alt=""><button id="act">Act</button>
<div id="shadow"></div><div id="shut"></div><iframe id="frame" src="/inner"></iframe>
<canvas id="canvas" width="300" height="30"></canvas>
<script>
var said = new URLSearchParams(location.search).get("q") ?? "";
if (said) document.title = "Results for " + said;
head.textContent = "You looked for " + said; text.textContent = "Found: " + said + " (3)";
coded.textContent = encodeURIComponent(said) + " " + btoa(said);
small.textContent = said.toLowerCase(); loud.textContent = said.toUpperCase();
spaced.textContent = [...said].join(" "); back.textContent = [...said].reverse().join("");
for (const each of said) split.append(Object.assign(document.createElement("b"), {textContent: each}));
made.dataset.said = said; upper.textContent = said;
box.setAttribute("value", said); again.value = said; again.placeholder = said; area.textContent = said;
hid.value = said; opt.textContent = opt.value = said;
link.href = "/?q=" + encodeURIComponent(said); link.title = said; link.className = "x " + said;
image.src = "/image.gif?q=" + encodeURIComponent(said); image.alt = said;
act.setAttribute("aria-label", "act " + said);
shadow.attachShadow({mode: "open"}).innerHTML = "<p id=deep></p>";
shadow.shadowRoot.getElementById("deep").textContent = said;
shut.attachShadow({mode: "closed"}).append(said);
const pen = canvas.getContext("2d"); pen.font = "20px sans-serif"; pen.fillText(said, 5, 20);
console.error("searched " + said); fetch("/heard?q=" + encodeURIComponent(said));
</script>"""


@contextmanager
def echo_site(**more: Served | str) -> Iterator[Site]:
    """Run the site; `more` are pages by name."""
    pages: dict[str, Served | str] = {
        "/": SEARCH,
        "/echo": ECHO,
        "/inner": INNER,
        "/heard": "ok",
        # A browser asks for it once for all sessions.
        "/favicon.ico": Served(GREEN_GIF, kind="image/gif"),
        "/image.gif": Served(GREEN_GIF, kind="image/gif"),
        **{f"/{name}": page for name, page in more.items()},
    }
    with site(pages) as server:
        yield server


def vault_with(folder: Path, secret: str, origin: str) -> Vault:
    """A vault whose one secret may be typed into the search box of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    vault = Vault(folder / "vault")
    vault.put("word", secret, origin)
    vault.allow_field("word", origin, "text name=q")
    return vault


@asynccontextmanager
async def session_with(
    browser: Browser, server: Site, *, folder: Path, secret: str, submit: bool = True
) -> AsyncIterator[Session]:
    """A session in which the secret was typed into the search box, and perhaps submitted."""
    vault = vault_with(folder, secret, server.origin)
    approved = Origins([server.origin])
    async with browser.session(approved, vault, downloads=folder / "files") as session:
        await session.navigate(f"{server.origin}/")
        await session.fill(session.page().locator("#q"), "{{secret:word}}")
        if submit:
            await session.page().locator("#go").click()
            await session.page().wait_for_url("**/echo?*")
            await session.page().wait_for_load_state()
        yield session
