"""Director's tools for any client of the Model Context Protocol, over stdio or HTTP."""

from director.mcp.mcp_server import make_server, serve_http, serve_stdio

__all__ = ["make_server", "serve_http", "serve_stdio"]
