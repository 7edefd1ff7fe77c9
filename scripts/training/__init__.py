"""Self-play, records and gate: what the training scripts share (docs/training.md)."""
