"""`-` is standard input wherever one file is read."""

from __future__ import annotations

import pytest

from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

GOLD = GOLDEN / "scorer" / "en-fr_random" / "gold.tsv"
SUBMISSION = GOLDEN / "scorer" / "en-fr_random" / "pred.tsv"
MODEL = GOLDEN / "lm_baseline" / "toy.fr.arpa"


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (("check", "{}", "--task", "en-fr"), GOLD),
        (("lm", "fill", "{}", "--task", "en-fr", "--lm", MODEL), GOLD),
        (("evaluate", GOLD, "s={}", "--task", "en-fr", "--resamples", 9), SUBMISSION),
        (("evaluate", "{}", SUBMISSION, "--task", "en-fr", "--resamples", 9), GOLD),
        (("tokenise", "{}", "--language", "en"), GOLDEN / "apt" / "src.en"),
    ],
)
def test_standard_input_is_read_like_a_file(command, file):
    named = crosspro(*(file if part == "{}" else part for part in command))
    piped = crosspro(*("-" if part == "{}" else part for part in command), stdin=file.read_bytes())
    assert piped.code == named.code, piped.stderr
    assert _without_names(piped.stdout) == _without_names(named.stdout)


def _without_names(text: bytes) -> list[str]:
    """The words of a table without the name of the file and what is drawn to its width."""
    names = {"-", GOLD.name, SUBMISSION.name, str(GOLD), str(SUBMISSION)}
    words = (word.rstrip(":") for word in text.decode().split())
    return [word for word in words if word not in names and set(word) != {"─"}]


def test_standard_input_is_refused_like_a_file():
    result = crosspro("check", "-", "--task", "en-fr", stdin=b"bad\n")
    assert result.code == 1
    assert b"-:1: columns" in result.stdout
