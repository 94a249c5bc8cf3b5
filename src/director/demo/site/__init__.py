"""A small site to practise workflows on: a mailbox, a table, a shop, and pages that misbehave.

`with Site(seed=1).serve() as site:` serves one at `site.url` and tells at `site.state` what
happened there. It lives in memory, needs nothing but the standard library, and answers this
machine only.
"""

from director.demo.site.site import Site
from director.demo.site.site_state import SiteState

__all__ = ["Site", "SiteState"]
