"""What stands before every route: pure ASGI pieces, each of which refuses one kind of request."""

from director.web.guard.authentication import Doors
from director.web.guard.body_limits import Bodies
from director.web.guard.cross_site import Crossing
from director.web.guard.headers import Headers
from director.web.guard.hosts import Hosts
from director.web.guard.server_errors import ErrorMiddleware

__all__ = ["Bodies", "Crossing", "Doors", "ErrorMiddleware", "Headers", "Hosts"]
