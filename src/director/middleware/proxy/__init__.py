"""The proxy: managed context for any agent in any language that can change its base URL."""

from director.middleware.proxy.proxy_server import PROVIDERS, Proxy

__all__ = ["PROVIDERS", "Proxy"]
