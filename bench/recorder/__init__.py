"""What makes the recordings: local sites, a scripted walker, a scripted coder. No model."""
