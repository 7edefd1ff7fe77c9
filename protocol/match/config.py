"""The configuration of a match: command line and TOML file become one dataclass, or a refusal with its place.

Both sources use the same names, so a TOML file holds what the command line would: `games = 200` for `--games 200`,
a table `[[engine]]` for each `--engine`. Where both give a value, the command line wins.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import DamierError, OptionError
from engine.params import value_text
from engine.rules import Rules
from engine.variants import DEFAULT_VARIANT, find_variant
from protocol.match.adjudication import Adjudication
from protocol.match.clients import CLIENTS, DXP, pipe_command
from protocol.match.clock import TimeControl
from protocol.match.config_values import READERS, one_of, refusal, seconds_value, text_value
from protocol.match.engine_spec import EngineSpec
from protocol.match.player import Patience
from protocol.match.schedule import Format, make_schedule
from protocol.match.statistics import Sprt
from protocol.match.unit import Setting
from protocol.tcp import FREE_PORT

T = TypeVar("T")


class ConfigError(OptionError):
    """A configuration that makes no match; the text begins with the place."""


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """Where openings come from and which are taken; `balance` in centi-men, None for no search."""

    text: str = "ply=2"
    plies: int | None = None  # of a PDN file
    shuffle: bool = True
    seed: int = 1
    first: int = 0
    balance: int | None = 100
    depth: int = 6


@dataclass(frozen=True, slots=True)
class MatchConfig:
    """Everything that the runner needs to know."""

    rules: Rules
    engines: tuple[EngineSpec, ...]
    games: int = 2
    format: Format = Format.ROUND_ROBIN
    rounds: int | None = None
    seeds: int = 1
    openings: OpeningSource = field(default_factory=OpeningSource)
    sprt: Sprt | None = None
    adjudication: Adjudication = field(default_factory=Adjudication)
    patience: Patience = field(default_factory=Patience)
    concurrency: int | None = None
    cluster: str | None = None
    pin: bool = False
    stop_on_fault: bool = False
    event: str = "damier match"
    pdn: Path | None = None
    pdn_in_order: bool = False
    journal: Path | None = None
    resume: bool = False
    force: bool = False
    overwrite: bool = False
    report: Path | None = None
    log: Path | None = None

    @property
    def threads(self) -> int:
        """Threads that one game keeps busy, as far as the engines' options say."""
        declared = (engine.options.get("threads", engine.options.get("Threads", "1")) for engine in self.engines)
        return max(int(text) if text.isdigit() else 1 for text in declared)

    @property
    def workers(self) -> int:
        """Games at once on this machine; one with a DXP program, which plays only one."""
        if any(engine.protocol == DXP for engine in self.engines):
            return 1
        return self.concurrency or max(1, (os.cpu_count() or 1) // self.threads)

    @property
    def log_directory(self) -> Path | None:
        """Where stderr of the engines goes: beside the journal unless said otherwise."""
        if self.log is not None or self.journal is None:
            return self.log
        return self.journal.with_name(self.journal.name + ".stderr")

    def setting(self) -> Setting:
        """What the workers need."""
        log = self.log_directory
        return Setting(
            variant=self.rules.name,
            rule_options=dict(self.rules.settings),
            adjudication=self.adjudication,
            patience=self.patience,
            log_directory=None if log is None else str(log.absolute()),
        )

    def settings(self) -> dict[str, Any]:
        """What decides which games are played, as plain data; a match is resumed only under the same."""
        source = self.openings
        openings = {f.name: getattr(source, f.name) for f in fields(source)}
        if not _generated(source.text):
            openings["sha256"] = hashlib.sha256(Path(source.text).read_bytes()).hexdigest()
        return {
            "variant": self.rules.name,
            "rules": dict(self.rules.settings),
            "engines": [_plain_engine(engine) for engine in self.engines],
            "games": self.games,
            "format": str(self.format),
            "rounds": self.rounds,
            "seeds": self.seeds,
            "openings": openings,
            "sprt": None
            if self.sprt is None
            else [self.sprt.elo0, self.sprt.elo1, self.sprt.alpha, self.sprt.beta, str(self.sprt.model)],
            "draw": None if self.adjudication.draw is None else str(self.adjudication.draw),
            "resign": None if self.adjudication.resign is None else str(self.adjudication.resign),
            "max-plies": self.adjudication.max_plies,
            "stall": self.patience.stall,
            "grace": self.patience.grace,
        }


def _plain_engine(engine: EngineSpec) -> dict[str, Any]:
    values: dict[str, Any] = {f.name: getattr(engine, f.name) for f in fields(engine)}
    values["control"] = str(engine.control)
    for name in ("environment", "options"):
        values[name] = dict(values[name])
    values["command"] = list(engine.command)
    return values


def _generated(text: str) -> bool:
    """Whether openings come from the rules and not from a file."""
    return text == "start" or text.startswith("ply=")


ENGINE_KEYS = (
    *("name", "cmd", "dir", "protocol", "address", "tc", "movetime", "depth", "nodes", "margin", "start-timeout"),
)
"""What describes an engine to the runner; every other key is an option that the engine is sent."""


@dataclass(slots=True)
class _Source:
    """Raw values and where they stand."""

    values: dict[str, object] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def read(self, name: str, default: T, reader: Callable[[object], T] | None = None) -> T:
        """The value of a setting. Raises `ConfigError` with its place."""
        if name not in self.values:
            return default
        read: Callable[[object], T] = READERS[name] if reader is None else reader
        return _at(self.places[name], self.values[name], read)


def _at(place: str, value: object, reader: Callable[[object], T]) -> T:
    try:
        return reader(value)
    except DamierError as error:
        raise ConfigError(f"{place}: {error}") from None


def load_config(arguments: Mapping[str, object], toml: Path | None = None) -> MatchConfig:
    """Build the configuration from command-line values (None and empty lists: not given) and a TOML file.

    Raises `ConfigError` for the first thing that is wrong.
    """
    source = _Source()
    if toml is not None:
        for name, value in _read_toml(toml).items():
            source.values[name] = value
            source.places[name] = f"{toml}: {name}"
    for name, value in arguments.items():
        if value not in (None, [], False):
            source.values[name] = value
            source.places[name] = f"--{name}"
    unknown = sorted(source.values.keys() - READERS.keys() - {"engine", "rule"})
    if unknown:
        raise ConfigError(f"{source.places[unknown[0]]}: there is no such setting")
    return _build(source)


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _build(source: _Source) -> MatchConfig:
    rules = source.read("variant", find_variant(DEFAULT_VARIANT))
    rules = source.read("rule", rules, lambda value: _rules(rules, value))
    default = EngineSpec(
        name="",
        command=(),
        control=source.read("tc", TimeControl()),
        margin=source.read("margin", EngineSpec("", ()).margin),
        start_timeout=source.read("start-timeout", EngineSpec("", ()).start_timeout),
    )
    base, opening, patience, ends = MatchConfig(rules, ()), OpeningSource(), Patience(), Adjudication()
    config = MatchConfig(
        rules=rules,
        engines=(),
        games=source.read("games", base.games),
        format=source.read("format", base.format),
        rounds=source.read("rounds", None),
        seeds=source.read("seeds", base.seeds),
        openings=OpeningSource(
            text=source.read("openings", opening.text),
            plies=source.read("opening-plies", None),
            shuffle=source.read("opening-order", "random") == "random",
            seed=source.read("seed", opening.seed),
            first=source.read("opening-start", opening.first),
            balance=source.read("balance", opening.balance),
            depth=source.read("balance-depth", opening.depth),
        ),
        sprt=source.read("sprt", None),
        adjudication=Adjudication(
            draw=source.read("draw", None),
            resign=source.read("resign", None),
            max_plies=source.read("max-plies", ends.max_plies),
        ),
        patience=Patience(stall=source.read("stall", patience.stall), grace=source.read("grace", patience.grace)),
        concurrency=source.read("concurrency", None),
        cluster=source.read("cluster", None),
        pin=source.read("pin", False),
        stop_on_fault=source.read("on-fault", "recover") == "stop",
        event=source.read("event", base.event),
        pdn=source.read("pdn", None),
        pdn_in_order=source.read("pdn-order", "finished") == "schedule",
        journal=source.read("journal", None),
        resume=source.read("resume", False),
        force=source.read("force", False),
        overwrite=source.read("overwrite", False),
        report=source.read("report", None),
        log=source.read("log", None),
    )
    config = replace(config, engines=_engines(source, default))
    _check(source, config)
    return config


def _check(source: _Source, config: MatchConfig) -> None:
    """Refuse what fits together badly."""
    place = source.places.get("games", "--games")
    try:
        make_schedule(config.format, len(config.engines), config.games, rounds=config.rounds, seeds=config.seeds)
    except OptionError as error:
        raise ConfigError(f"{place}: {error}") from None
    if config.sprt is not None and len(config.engines) != 2:
        raise ConfigError(f"{source.places['sprt']}: a sequential test compares two engines")
    if config.rounds is not None and config.format is not Format.SWISS:
        raise ConfigError(f"{source.places['rounds']}: only a Swiss tournament has rounds; use games instead")
    if "seeds" in source.values and config.format is not Format.GAUNTLET:
        raise ConfigError(f"{source.places['seeds']}: only a gauntlet has seeds")
    if config.resume and config.journal is None:
        raise ConfigError(f"{source.places['resume']}: there is nothing to resume without a journal (--journal FILE)")
    if config.pin and config.cluster is not None:
        raise ConfigError(f"{source.places['pin']}: only workers on this machine can be pinned")
    files = [path.absolute() for path in (config.pdn, config.journal, config.report) if path is not None]
    if len(set(files)) < len(files):
        raise ConfigError("--pdn, --journal and --report must be different files")
    for name in ("pdn", "journal", "report"):
        path = getattr(config, name)
        if path is not None and not path.absolute().parent.is_dir():
            raise ConfigError(f"{source.places[name]}: there is no directory {str(path.parent)!r}")


def _rules(rules: Rules, value: object) -> Rules:
    """House rules: a table, or items `NAME=VALUE`."""
    if isinstance(value, Mapping):
        return rules.with_options(value)
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, Sequence):
        raise refusal("NAME=VALUE", value)
    chosen = {}
    for item in items:
        name, sign, text = str(item).partition("=")
        if not sign:
            raise refusal("NAME=VALUE", item)
        chosen[name.strip()] = text.strip()
    return rules.with_options(chosen)


# ------------------------------------------------------------------------------------------ engines
def _engines(source: _Source, default: EngineSpec) -> tuple[EngineSpec, ...]:
    place = source.places.get("engine", "--engine")
    raw = source.values.get("engine", [])
    if not isinstance(raw, list):
        raise ConfigError(f"{place}: engines are tables [[engine]]")
    engines: list[EngineSpec] = []
    for number, value in enumerate(raw, 1):
        here = f"{place} {number}"
        table = value if isinstance(value, Mapping) else _at(here, value, _split_engine)
        engine = _engine(here, table, default)
        if any(other.name == engine.name for other in engines):
            raise ConfigError(f"{here}: the name {engine.name!r} is taken; give one with name=")
        engines.append(engine)
    if len(engines) < 2:
        raise ConfigError(f"{place}: a match needs at least two engines, got {len(engines)}")
    return tuple(engines)


def _split_engine(value: object) -> dict[str, object]:
    """Read `name=A cmd="damier hub" threads=1` into a table; `env.X` and `option.X` name any X."""
    try:
        words = shlex.split(text_value(value))
    except ValueError as error:
        raise OptionError(f"cannot read {value!r}: {str(error).lower()}") from None
    table: dict[str, object] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name:
            raise OptionError(f'{word!r} is not NAME=VALUE; quote values with blanks: cmd="damier hub"')
        group, dot, rest = name.partition(".")
        into: dict[str, object] = table
        if dot and group in ("env", "option"):
            into = table.setdefault(group, {})  # type: ignore[assignment]
            name = rest
        if name in into:
            raise OptionError(f"{name} is given twice")
        into[name] = text
    return table


def _engine(place: str, table: Mapping[str, object], default: EngineSpec) -> EngineSpec:
    def read(name: str, reader: Callable[[object], T], otherwise: T) -> T:
        return _at(f"{place}, {name}", table[name], reader) if name in table else otherwise

    no_command: tuple[str, ...] = ()
    command = read("cmd", _command, no_command)
    protocol = read("protocol", one_of(*CLIENTS), default.protocol)
    placed = protocol == DXP and any(FREE_PORT in word for word in command)
    address = read("address", text_value, f"localhost:{FREE_PORT}" if placed else "")
    start_timeout = read("start-timeout", seconds_value, default.start_timeout)
    if (protocol == DXP) != bool(address):
        raise ConfigError(f"{place}: protocol=dxp and address=HOST:PORT (or {FREE_PORT} in cmd) belong together")
    if not command and not address:
        raise ConfigError(f"{place}: the key cmd is missing, the command that starts the engine")
    name = read("name", text_value, Path(command[0]).stem if command else address)
    if address:
        command = pipe_command(address, command, start_timeout)
    limits = [f"{name}={table[name]}" for name in ("movetime", "depth", "nodes") if name in table]
    control = default.control
    if "tc" in table or limits:
        text = " ".join([*([str(table["tc"])] if "tc" in table else []), *limits])
        control = _at(place, text, lambda value: TimeControl.parse(str(value)))
    if control == TimeControl():
        raise ConfigError(f"{place}: no time control; give --tc for all or tc=, movetime=, depth= or nodes= here")
    options = {name: value for name, value in table.items() if name not in (*ENGINE_KEYS, "env", "option")}
    options.update(_at(f"{place}, option", table.get("option", {}), _table))
    directory = read("dir", text_value, default.directory)
    if directory is not None and not Path(directory).is_dir():
        raise ConfigError(f"{place}, dir: there is no directory {directory!r}")
    return EngineSpec(
        name=name,
        command=command,
        directory=directory,
        environment=_at(f"{place}, env", table.get("env", {}), _texts),
        protocol=protocol,
        options=_at(place, options, _texts),
        control=control,
        margin=read("margin", seconds_value, default.margin),
        start_timeout=start_timeout,
    )


def _command(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and value:
        return tuple(text_value(word) for word in value)
    try:
        words = shlex.split(text_value(value))
    except ValueError as error:
        raise OptionError(f"cannot read {value!r}: {str(error).lower()}") from None
    return tuple(words)


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise refusal("a table", value)
    return value


def _texts(value: object) -> dict[str, str]:
    """A table of scalars as the texts that engines are sent."""
    texts = {}
    for name, item in _table(value).items():
        if not isinstance(item, str | int | float):
            raise OptionError(f"{name} must be a text, a number, true or false, got {item!r}")
        texts[name] = value_text(item)
    return texts
