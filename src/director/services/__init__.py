"""The application: each use case once, with one read model; every way in calls it.

A module is a noun, a public function a use case: it takes a `Workspace` first, returns plain frozen
values, and raises `DirectorError` for what it refuses. `outgoing` redacts what it returns and what
it raises. Nothing here knows of requests, pages, terminals or protocols.
"""
