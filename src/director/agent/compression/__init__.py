"""Compressing a conversation: proposals, citations, thresholds, export."""
