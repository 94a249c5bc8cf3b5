"""The app: what `director app` starts. Pages, a JSON API and one stream of events for a browser."""

from director.web.app import make_app
from director.web.app_state import AppState

__all__ = ["AppState", "make_app"]
