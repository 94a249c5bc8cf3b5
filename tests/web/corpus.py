"""Texts that would run, load or lead somewhere if they were taken for more than text."""

from __future__ import annotations

CORPUS = (
    "<script>alert(1)</script>",
    "<img src={evil}/a.png onerror=alert(1)>",
    "![a]({evil}/b.png)",
    "![a][r]\n\n[r]: {evil}/c.png",
    "[click](javascript:alert(1))",
    "<a href='javascript:alert(1)'>x</a>",
    "[a](data:text/html,<script>alert(1)</script>)",
    "<svg onload=alert(1)><use href='{evil}/d.svg'/></svg>",
    "<iframe src={evil}/e></iframe>",
    "<style>@import '{evil}/f.css'; body {{ background: url({evil}/g.png) }}</style>",
    "<link rel=stylesheet href={evil}/h.css><link rel=prefetch href={evil}/i>",
    "<meta http-equiv=refresh content='0;url={evil}/j'>",
    "<video src={evil}/k poster={evil}/l></video><object data={evil}/m></object>",
    "`![a]({evil}/n.png)` </pre></div></article><img src={evil}/o.png>",
    "\"><img src=x onerror=alert(1)>' onmouseover='alert(1)",
    "{{{{7*7}}}} {{% raw %}} ${{alert(1)}}",
    "[ ![a]({evil}/p.png) ](https://example.org)",
    "<details open ontoggle=alert(1)>",
    "<form action={evil}/q><button>Allow</button></form>",
    "</textarea></template><script>alert(1)</script>",
)
