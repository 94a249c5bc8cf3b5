"""Anthropic's Messages API, as the double plays it."""
