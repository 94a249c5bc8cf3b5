"""The context engine: pure values and functions, the standard library only.

No clock, no input or output, no randomness: the same context and budget give the same result.
"""
