"""What the fuzzers share: inputs to begin with, and the protocol machines with an engine that does things by chance."""
