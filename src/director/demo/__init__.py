"""The demonstration: replays a recorded agent run and shows what each model call costs.

It uses the public functions only and never writes a file or opens a connection.
"""
