"""What scores mean: centi-men for the side to move, and beyond a bound wins with their distance."""

WIN = 10000  # a win in N plies is WIN - N
WON = 9500  # scores beyond are wins at a known distance
DATABASE_WIN = 9000  # a position won in a database, N plies away, is DATABASE_WIN - N; how long the win takes is open
DECIDED = 8500  # scores beyond are wins in a database, or these
LARGEST = 7900  # no evaluation is beyond
INFINITE = 20000  # beyond every score
