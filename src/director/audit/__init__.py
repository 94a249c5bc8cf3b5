"""Recorded sessions of other agents: what filled their context, what was lost, what it cost."""
