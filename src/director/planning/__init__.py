"""Fresh contexts: a `.director/` folder as values, and the context of each agent and task."""
