"""Books of a small club."""
