"""`python -m director.cli`: the same as the command `director`."""

from director.cli import app

app(prog_name="director")
