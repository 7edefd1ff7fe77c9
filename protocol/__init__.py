"""What damier says to the outside: protocols as pure state machines, the loops that feed them, the commands."""
