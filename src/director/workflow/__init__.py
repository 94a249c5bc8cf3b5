"""Workflows as values: nodes, conditions, inputs, variables, tabs, and the rules they obey. Pure."""
