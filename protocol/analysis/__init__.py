"""Analysis of games and positions: `damier analyse` and its reports."""
