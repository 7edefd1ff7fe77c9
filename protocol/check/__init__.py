"""A conformance check of any engine's text protocol: `damier check -- COMMAND`."""
