"""Taking back and copying leave a game as if its moves had been played one by one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import VARIANTS, Game, Position


@given(st.sampled_from(sorted(VARIANTS)), st.lists(st.integers(0, 1000), max_size=60))
@settings(max_examples=60, deadline=None)
def test_undo_and_copy(variant: str, choices: list[int]) -> None:
    game = Game(Position.start(variant))
    for choice in choices:
        legal = game.legal_moves()
        if choice % 5 == 0:
            left = max(0, len(game.moves) - choice % 4)
            game.undo(choice % 4)
            assert len(game.moves) == left
        elif choice % 5 == 1:
            other = game.copy()
            if legal:
                game.play(legal[0])
                assert other.moves == game.moves[:-1]
            game = other
        elif legal:
            game.play(legal[choice % len(legal)])
        again = Game(game.start)
        for move in game.moves:
            again.play(move)
        assert game.position == again.position
        assert game.legal_moves() == again.legal_moves()
        assert game.outcome == again.outcome
        assert game.counters() == again.counters()
    game.undo(1000)
    assert (game.moves, game.position) == ([], game.start)
