"""Sections: what a model is shown of a workflow's state, each by a function of its own. Pure.

The same text is pushed by a profile or pulled by a tool. The same state gives the same bytes.
"""
