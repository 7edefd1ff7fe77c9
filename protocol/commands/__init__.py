"""The commands of `damier`, one module each."""
