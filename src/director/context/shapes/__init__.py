"""Shapes: what a result looks like, and how to say the same with less. One module each."""
