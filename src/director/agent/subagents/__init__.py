"""Models in contexts of their own: scouts, and the agents inside nodes."""
