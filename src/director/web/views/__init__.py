"""What the pages show, as plain values made of the store. Nothing here writes or asks a model."""
