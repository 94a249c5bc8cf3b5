"""Agents: a model and a store put together."""

from director.agent.journal import StoreJournal, answered, said

__all__ = ["StoreJournal", "answered", "said"]
