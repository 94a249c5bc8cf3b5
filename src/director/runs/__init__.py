"""Executing workflows: nodes, evidence, durable runs. What needs a model is handed in."""
