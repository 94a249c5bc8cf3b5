"""Sections: what a model is shown of a workflow's state, one small file each. Pure.

The same text is pushed by a profile or pulled by a tool. The same state gives the same bytes.
"""
