"""The app: what `director app` starts. Pages, a JSON API and one stream of events for a browser."""

from director.web.app import make_app
from director.web.studio import Studio

__all__ = ["Studio", "make_app"]
