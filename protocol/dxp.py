"""DXP as a pure state machine: bytes, moves and the time go in, actions come out.

One machine serves one connection, whoever called and whoever asks for games: initiator and follower differ
only in `propose` being used. It never reads a clock; every input brings `now` (seconds, monotonic), and
`deadline` says when `timeout` wants to be called. The states and the ways between them are the table of
`dxp_states`, after dxp.md section 3; faults are met as its section 4 recommends.
"""

from engine import DamierError, Game, Move, Position, Rules, RulesError, Side
from protocol.dxp_actions import (
    Action,
    Close,
    Finished,
    NewGame,
    Notice,
    Policy,
    Proposal,
    Refused,
    Send,
    StopThinking,
    Think,
)
from protocol.dxp_framing import FrameBuffer
from protocol.dxp_game import UNFINISHED, DxpGame
from protocol.dxp_messages import (
    BOARD_SQUARES,
    AcceptCode,
    BackAccept,
    BackCode,
    BackRequest,
    Chat,
    EndReason,
    FrameError,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MoveMessage,
    Setup,
    decode,
    encode,
)
from protocol.dxp_states import TRANSITIONS, State, Step

NORMAL_START = Setup(Side.WHITE, "z" * 20 + "e" * 10 + "w" * 20)  # what startPos A means to everybody


def check_board(rules: Rules) -> None:
    """Raise RulesError for a variant that DXP cannot carry."""
    if (rules.columns, rules.rows, rules.squares) != (10, 10, BOARD_SQUARES):
        raise RulesError(f"DXP carries boards of 10x10 only, {rules.name} has {rules.columns}x{rules.rows}")


class DxpMachine:
    """One end of a DXP connection.

    Every input returns the actions to carry out, in order. `busy` may be set from outside: the engine plays
    for somebody else, so requests are refused for now. Raises RulesError for a variant that DXP cannot carry.
    """

    def __init__(self, rules: Rules, policy: Policy | None = None, now: float = 0.0) -> None:
        check_board(rules)
        self.rules = rules
        self.policy = policy or Policy()
        self.busy = False
        self.state = State.IDLE
        self.peer = "the other side"  # the name that it gave, once known
        self.game: DxpGame | None = None
        self.deadline: float | None = None
        self._frames = FrameBuffer()
        self._actions: list[Action] = []
        self._now = now
        self._proposal: Proposal | None = None
        self._ticket = 0
        self._thinking = False
        self._illegal = 0  # illegal moves in a row
        self._forfeit = False  # so many of them that the game ends at our next turn
        self._credit = float(self.policy.complaint_limit)  # remarks that may still be sent
        self._credit_at = now
        self._junk = 0  # bad messages since the last good one
        self._back_to: int | None = None  # plies to go back to, our BACKREQ being unanswered
        self._back_deadline: float | None = None  # for its answer
        self._held: Move | None = None  # our move, found while a BACKREQ is unanswered
        self._end_wish: GameEnd | None = None  # to be sent in place of our next move
        self._stopping = False  # our GAMEEND carried stop code 1
        self._set_deadline(self.policy.timeouts.idle)

    # ---- inputs

    def receive(self, data: bytes, now: float) -> list[Action]:
        """Take bytes as they came from the other side; none at all mean that it closed the connection."""
        self._now = now
        if not data:
            self._close("the other side closed the connection")
        for frame in self._frames.feed(data):
            if not self.closed:
                self._frame(frame)
        if self._frames.overflow:
            self._close(f"more than {self._frames.limit} bytes without a NUL")
        return self._take_actions()

    def propose(self, proposal: Proposal, now: float) -> list[Action]:
        """Ask for a game, as the initiator.

        Raises ValueError unless the machine is idle.
        """
        if self.state is not State.IDLE:
            raise ValueError(f"no game can be asked for in state {self.state.value}")
        self._now = now
        start = Setup.from_hub(proposal.position.hub()[: 1 + BOARD_SQUARES])
        setup = None if start == NORMAL_START else start
        self._send(GameRequest(self.policy.name, proposal.side.other, proposal.minutes, proposal.moves, setup))
        self._proposal = proposal
        self._enter(Step.ASK)
        self._set_deadline(self.policy.timeouts.accept)
        return self._take_actions()

    def moved(self, ticket: int, move: Move | None, now: float) -> list[Action]:
        """The search for `ticket` is over; a ticket that nobody waits for any more is ignored."""
        if ticket != self._ticket or not self._thinking or self.game is None:
            return []
        self._now = now
        self._thinking = False
        legal = self.game.board.legal_moves()
        if move is None or move not in legal:
            self._note(f"the search gave {move}, which is not legal: {legal[0]} is played")
            move = legal[0]
        if self._back_to is not None:
            self._held = move
        else:
            self._play_own(self.game, move)
        return self._take_actions()

    def timeout(self, now: float) -> list[Action]:
        """The time is `now`; does nothing before `deadline`."""
        if self.deadline is None or now < self.deadline:
            return []
        self._now = now
        self.deadline = None
        match self.state:
            case State.IDLE:
                self._close("no game was asked for")
            case State.ASKED:
                self._close("no answer to the game request")
            case State.ENDING:
                self._note("no answer to the end of the game")
                self._game_over(stop=False)
            case State.PLAY if self._back_to is not None:
                self._back_answer(BackCode.NOT_NOW)
            case State.PLAY if self.game is not None:
                self.game.abandon("time forfeit", forfeit=True)
                self._close(f"{self.peer} does not move")
        return self._take_actions()

    def take_back(self, move: int, side: Side, now: float) -> list[Action]:
        """Ask to go back to where `side` makes its move number `move`.

        Raises ValueError if that cannot be asked.
        """
        possible = self.state is State.PLAY and self._back_to is None and self.game is not None
        plies = self.game.plies_before(move, side) if possible and self.game is not None else None
        if plies is None:
            raise ValueError(f"there is no going back to move {move} of {side.name.title()}")
        self._now = now
        self._back_to = plies
        self._send(BackRequest(move, side))
        self._set_deadline(self.policy.timeouts.accept)
        self._back_deadline = self.deadline
        return self._take_actions()

    def end(self, reason: EndReason, stop: bool, now: float) -> list[Action]:
        """End the game at our turn, at once if it is that; without a game `stop` closes the connection."""
        self._now = now
        if self.state is State.PLAY and self.game is not None:
            self._end_wish = GameEnd(reason, stop)
            if self.game.our_turn:
                self._stop_thinking()
                self._next_turn(self.game)
        elif self.state is State.ENDING:
            self._stopping = self._stopping or stop
        elif stop and not self.closed:
            self._send(GameEnd(EndReason.UNKNOWN, stop=True))
            self._close("end of the session")
        return self._take_actions()

    def close(self, reason: str, now: float) -> list[Action]:
        """Leave at once; a game that runs stays unfinished."""
        self._now = now
        if self.state is State.PLAY:
            self._send(GameEnd(EndReason.UNKNOWN, stop=True))
        self._close(reason)
        return self._take_actions()

    @property
    def closed(self) -> bool:
        """Whether the connection is over."""
        return self.state is State.CLOSED

    @property
    def playing(self) -> bool:
        """Whether a game is on, its end included."""
        return self.state in (State.PLAY, State.ENDING)

    # ---- messages

    def _frame(self, frame: bytes) -> None:
        try:
            message = decode(frame)
        except FrameError as error:
            self._bad_frame(error)
        else:
            self._message(message)

    def _message(self, message: Message) -> None:
        match message:
            case GameRequest():
                self._request(message)
            case GameAccept():
                self._accept(message)
            case MoveMessage():
                self._move(message)
            case GameEnd():
                self._end(message)
            case Chat(text):
                self._count_junk(f"{self.peer} says: {text}")
            case BackRequest(move, side):
                self._back_request(move, side)
            case BackAccept(code):
                if self._back_to is not None:
                    self._back_answer(code)

    def _bad_frame(self, error: FrameError) -> None:
        """A bad request gets its refusal, a bad move a remark, the rest nothing but a note."""
        self._count_junk(str(error))
        if error.letter == "R" and self._may_remark():
            self._send(GameAccept(self.policy.name, error.code))
        elif error.letter == "M" and self.state is State.PLAY:
            self._remark(f"invalid move received: {error.reason}")

    def _request(self, request: GameRequest) -> None:
        self._end_by_request()
        try:
            position = self._check_request(request)
        except DamierError as error:
            self._count_junk(str(error))
            self._send(GameAccept(self.policy.name, AcceptCode.NOT_THIS))
            return
        self.peer = request.name or self.peer
        self._send(GameAccept(self.policy.name, AcceptCode.ACCEPTED))
        self._start(position, request.follower, request.minutes, request.moves)

    def _check_request(self, request: GameRequest) -> Position:
        """The start position of an acceptable request.

        Raises DamierError that says why it is refused.
        """
        if self.state is not State.IDLE or self.busy:
            raise DamierError(f"{request.name or 'somebody'} asks for a game during a game")
        if request.setup is None:
            return Position.start(self.rules)
        position = Position.from_hub(request.setup.hub(), self.rules)
        if Game(position).outcome is not None:
            raise DamierError("a game is asked for from a position where it is over")
        return position

    def _end_by_request(self) -> None:
        """A new request says as well that the last game is over, if only the other side's GAMEEND is
        missing."""
        game = self.game
        if self.state is State.PLAY and game is not None and not game.our_turn and game.board.outcome is not None:
            game.abandon("")
            self._game_over(stop=False)
        elif self.state is State.ENDING and not self._stopping:
            self._game_over(stop=False)

    def _accept(self, answer: GameAccept) -> None:
        if self.state is not State.ASKED or self._proposal is None:
            return
        self.peer = answer.name or self.peer
        if answer.code is not AcceptCode.ACCEPTED:
            self._refused(answer.code)
            self._to_idle(Step.REFUSE)
            return
        asked = self._proposal
        self._start(asked.position, asked.side, max(1.0, asked.minutes), asked.moves)

    def _move(self, message: MoveMessage) -> None:
        game = self.game
        if self.state is State.PLAY and game is not None and not game.our_turn:
            move = game.find(message)
            if move is None:
                self._illegal_move(f"illegal move {Move(message.frm, message.to, message.captured)}")
                return
            self._good()
            self._illegal = 0
            game.play(move, self._now)
            self._next_turn(game)
        elif self.state in (State.PLAY, State.IDLE):
            self._count_junk("a move out of turn")
            self._remark("no game is being played" if game is None else "it is not your turn")

    def _illegal_move(self, text: str) -> None:
        """The other side may try again while its clock runs; after some of them our next turn ends the
        game."""
        self._illegal += 1
        self._count_junk(text)
        self._remark(text)
        if self._illegal >= self.policy.illegal_limit:
            self._forfeit = True
        if self.game is not None and self._illegal >= self.policy.illegal_limit + self.policy.complaint_limit:
            self.game.abandon("illegal moves", forfeit=True)
            self._close(f"{self._illegal} illegal moves in a row")

    def _end(self, message: GameEnd) -> None:
        match self.state:
            case State.PLAY if self.game is not None:
                self._good()
                self._stop_thinking()
                self.game.claim(message.reason, self.game.side.other, self.peer)
                self._send(GameEnd(EndReason.UNKNOWN, message.stop))
                self._game_over(message.stop)
            case State.ENDING:
                self._good()
                self._game_over(message.stop)
            case State.ASKED:
                self._refused(None)
                self._to_idle(Step.REFUSE)
        if message.stop:
            self._close("the other side ends the session")

    def _back_request(self, move: int, side: Side) -> None:
        if self.state in (State.IDLE, State.ASKED):
            self._send(BackAccept(BackCode.NOT_NOW))
        if self.state is not State.PLAY or self.game is None:
            return
        plies = self.game.plies_before(move, side)
        if not self.policy.take_back:
            self._send(BackAccept(BackCode.NEVER))
        elif plies is None or self._back_to is not None:
            self._send(BackAccept(BackCode.NOT_NOW))
        else:
            self._send(BackAccept(BackCode.YES))
            self._go_back(self.game, plies)

    def _back_answer(self, code: BackCode) -> None:
        """The answer to our own request: go back, or go on with what waited for it."""
        plies, self._back_to = self._back_to, None
        held, self._held = self._held, None
        self.deadline = None
        if self.game is None or plies is None:
            return
        if code is BackCode.YES and plies < self.game.plies:
            self._go_back(self.game, plies)
        elif held is not None:
            self._play_own(self.game, held)
        elif not self._thinking:
            self._next_turn(self.game)

    # ---- the game

    def _start(self, position: Position, side: Side, minutes: float, moves: int) -> None:
        self._good()
        self._actions.append(NewGame())
        self._proposal = None
        self._illegal = 0
        self._forfeit = False
        self._enter(Step.START)
        self.game = DxpGame(position, side, minutes, moves, self._now)
        self._next_turn(self.game)

    def _next_turn(self, game: DxpGame) -> None:
        """Somebody comes to move: end the game, think, or wait; also for the answer to our own BACKREQ."""
        self.deadline = None
        if self._back_to is not None:
            self.deadline = self._back_deadline
        elif not game.our_turn:
            self._wait(game)
        elif (ending := self._ending(game)) is not None:
            self._send(ending)
            self._enter(Step.END)
            self._stopping = ending.stop
            self._set_deadline(self.policy.timeouts.end)
        else:
            self._ticket += 1
            self._thinking = True
            self._actions.append(Think(self._ticket, game.board.copy(), game.left(game.side), game.moves_left()))

    def _ending(self, game: DxpGame) -> GameEnd | None:
        """The GAMEEND that takes the place of our move, if the game is to end here."""
        stop = self._end_wish is not None and self._end_wish.stop
        if (reason := game.decide(self.policy.time_grace)) is not None:
            return GameEnd(reason, stop)
        if self._forfeit:
            game.abandon("illegal moves", forfeit=True)
            return GameEnd(EndReason.UNKNOWN, stop)
        if self._end_wish is not None:
            game.claim(self._end_wish.reason, game.side, self.policy.name)
        return self._end_wish

    def _wait(self, game: DxpGame) -> None:
        """Set the time by which the other side must have moved, or ended a game that is over."""
        allowed = self.policy.timeouts.move
        if game.board.outcome is not None or game.complete:
            self._set_deadline(allowed)
        elif allowed is not None:
            self._set_deadline(allowed + max(0.0, game.left(game.turn) - game.elapsed(self._now)))

    def _play_own(self, game: DxpGame, move: Move) -> None:
        used = game.elapsed(self._now)
        game.play(move, self._now)
        self._send(MoveMessage(move.frm, move.to, move.captured, int(used)))
        self._next_turn(game)

    def _go_back(self, game: DxpGame, plies: int) -> None:
        """Undo moves; a search that runs goes on if there is nothing to undo."""
        self._good()
        if plies < game.plies:
            self._stop_thinking()
            game.go_back(plies, self._now)
            self._next_turn(game)

    def _game_over(self, stop: bool) -> None:
        """Both sides know that the game is over."""
        if stop or self._stopping:
            self._close("end of the session")
        else:
            self._finish()
            self._to_idle(Step.OVER)

    def _finish(self) -> None:
        if self.game is not None:
            self._actions.append(Finished(self.game.record(self.policy.name, self.peer)))
        self.game = None

    def _enter(self, step: Step) -> None:
        self.state = TRANSITIONS[self.state, step]

    def _to_idle(self, step: Step) -> None:
        self._enter(step)
        self._stopping = False
        self._back_to = self._held = self._end_wish = None
        self._set_deadline(self.policy.timeouts.idle)

    def _refused(self, code: AcceptCode | None) -> None:
        self._proposal = None
        self._actions.append(Refused(code))

    def _close(self, reason: str) -> None:
        if self.closed:
            return
        self._stop_thinking()
        if self.game is not None and self.game.verdict == UNFINISHED:
            self.game.abandon(reason)
        if self.state is State.ASKED:
            self._refused(None)
        self._finish()
        self._enter(Step.CLOSE)
        self.deadline = None
        self._actions.append(Close(reason))

    # ---- small change

    def _send(self, message: Message) -> None:
        if not self.closed:
            self._actions.append(Send(encode(message) + b"\0"))

    def _note(self, text: str) -> None:
        self._actions.append(Notice(text))

    def _stop_thinking(self) -> None:
        self._held = None
        if self._thinking:
            self._thinking = False
            self._actions.append(StopThinking())

    def _good(self) -> None:
        """A message that takes things forward: the other side speaks DXP after all."""
        self._credit = float(self.policy.complaint_limit)
        self._junk = 0

    def _remark(self, text: str) -> None:
        if self._may_remark():
            self._send(Chat(text))

    def _may_remark(self) -> bool:
        """Whether one more answer to nonsense may be sent: a few at once, then one a second."""
        earned = max(0.0, self._now - self._credit_at)
        self._credit = min(float(self.policy.complaint_limit), self._credit + earned)
        self._credit_at = self._now
        if self.closed or self._credit < 1:
            return False
        self._credit -= 1
        return True

    def _count_junk(self, text: str) -> None:
        """Note the first messages in a row that lead nowhere; without a game to lose, too many end the
        connection."""
        self._junk += 1
        if self._junk <= self.policy.complaint_limit:
            self._note(text)
        if self._junk > self.policy.junk_limit and not self.playing:
            self._close("too many messages without a game")

    def _set_deadline(self, seconds: float | None) -> None:
        self.deadline = None if seconds is None else self._now + seconds

    def _take_actions(self) -> list[Action]:
        actions, self._actions = self._actions, []
        return actions
