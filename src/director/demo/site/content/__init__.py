"""What the site holds at the start, drawn from a seed: same seed, same letters and goods."""
