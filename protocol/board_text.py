"""A game's position as text for people."""

from engine import Game, Position, Side
from engine.notation import format_move


def board_text(game: Game) -> str:
    """The board as White sees it, the FEN, who moves, and the legal moves or how the game ended."""
    position = game.position
    moves = game.legal_moves()
    lines = [diagram(position), "", position.fen()]
    outcome = game.outcome
    if outcome is not None:
        lines.append(f"game over: {outcome.score} ({outcome.reason})")
    names = " ".join(format_move(move, position, moves) for move in moves)
    side = "White" if position.turn is Side.WHITE else "Black"
    lines.append(f"{side} to move, {len(moves)} legal: {names}" if moves else f"{side} to move, no legal move")
    return "\n".join(lines)


def diagram(position: Position) -> str:
    """Rows of squares: `w` `b` men, `W` `B` kings, `.` an empty square, with names or numbers of squares beside."""
    rules = position.rules
    lines = []
    for row in range(rules.rows):
        cells = []
        squares = []
        for column in range(rules.columns):
            square = rules.square_at(column, row)
            if square is None:
                cells.append(" ")
                continue
            piece = position.piece(square)
            cells.append("." if piece == "e" else piece)
            squares.append(square)
        if rules.algebraic:
            edge = str(rules.rows - row)
        else:
            edge = f"{rules.square_number(squares[0])}-{rules.square_number(squares[-1])}"
        lines.append(f"  {' '.join(cells)}   {edge}")
    if rules.algebraic:
        lines.append("  " + " ".join(chr(ord("a") + column) for column in range(rules.columns)))
    return "\n".join(lines)
