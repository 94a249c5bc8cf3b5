"""What stands before every route: pure ASGI pieces, each of which refuses one kind of request."""

from director.web.guard.access import Crossing, Doors, Hosts
from director.web.guard.body_limits import Bodies
from director.web.guard.refusal_responses import ErrorMiddleware, Headers

__all__ = ["Bodies", "Crossing", "Doors", "ErrorMiddleware", "Headers", "Hosts"]
