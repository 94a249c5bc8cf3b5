"""Workflows as values: nodes, conditions, inputs, variables, tabs, and their rules. Pure."""
