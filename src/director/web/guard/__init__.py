"""What stands before every route: pure ASGI pieces, each of which refuses one kind of request."""

from director.web.guard.bodies import Bodies
from director.web.guard.crossing import Crossing
from director.web.guard.doors import Doors
from director.web.guard.faults import ErrorMiddleware
from director.web.guard.headers import Headers
from director.web.guard.hosts import Hosts

__all__ = ["Bodies", "Crossing", "Doors", "ErrorMiddleware", "Headers", "Hosts"]
