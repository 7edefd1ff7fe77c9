"""A game against the engine in the terminal: what stands behind `damier play`."""
