"""The conversation of a workflow: its thread, its size, and where its words came from."""
