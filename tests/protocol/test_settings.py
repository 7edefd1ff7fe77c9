"""The table of parameters that the text protocols share."""

import pytest

from engine import PARAMS, VARIANTS, OptionError, find_variant
from protocol.hub_server import SCAN_NAMES, variant_names
from protocol.settings import Settings
from tests.protocol.driver import MORE_PARAMS


def everything() -> Settings:
    return Settings((*PARAMS.values(), *MORE_PARAMS))


def test_scan_names_come_first_and_every_variant_is_declared() -> None:
    values = variant_names()
    assert values[:5] == SCAN_NAMES
    assert {find_variant(name).name for name in values} >= set(VARIANTS)
    assert {"russian-losing", "frisian-losing"} <= set(values)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("normal", "international"),
        ("standard", "international"),
        ("bt", "breakthrough"),
        ("breakthrough", "breakthrough"),
        ("antidraughts", "losing"),
        ("losing", "losing"),
        ("frysk!", "frysk"),
        ("Turkish", "turkish"),
        *((name, name) for name in VARIANTS),
    ],
)
def test_variant_names(name: str, variant: str) -> None:
    settings = everything()
    change = settings.assign("variant", name)
    assert change is not None
    assert settings.rules.name == variant


def test_numbers_are_clamped_and_bad_values_leave_the_old_one() -> None:
    settings = everything()
    for text, value in [("99", 30), ("-5", 10), ("16MB", 16), ("20", 20)]:
        change = settings.assign("tt-size", text)
        assert change is not None
        assert change.value == value
        assert change.for_engine
        assert not change.rules_changed
    for name, text in [("tt-size", "big"), ("ponder", "none"), ("variant", "chess960"), ("square-order", "left")]:
        before = settings.values[name]
        with pytest.raises(OptionError, match=text):
            settings.assign(name, text)
        assert settings.values[name] == before
    assert settings.assign("initial-time", "60") is None


def test_house_rules_are_kept_when_the_variant_changes() -> None:
    settings = everything()
    change = settings.assign("mandatory-capture", "false")
    assert change is not None
    assert not change.rules_changed  # the international game does not know it
    settings.assign("move-limit", "100")
    settings.assign("variant", "english")
    assert not settings.rules.mandatory
    assert settings.rules.settings["move-limit"] == 100
    settings.assign("mandatory_capture", "true")
    assert settings.rules.mandatory
    settings.assign("variant", "russian")
    assert settings.rules.settings["move-limit"] == 100


def test_a_default_that_differs_between_variants_is_the_variants_own() -> None:
    settings = everything()
    assert settings.values["repetition"] == -1
    settings.assign("variant", "italian")
    own = settings.rules.repetition
    settings.assign("repetition", "5")
    assert settings.rules.repetition == 5
    settings.assign("repetition", "-1")
    assert settings.rules.repetition == own


def test_no_declared_word_holds_the_answers_that_a_client_searches_for() -> None:
    settings = everything()
    for param in settings.params.values():
        for word in (param.name, str(param.default), *param.values):
            assert "wait" not in word
            assert "ready" not in word
            assert not any(letter in word for letter in ' ="') or word == ""
