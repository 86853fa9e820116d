"""The hand-made project of tests/golden/protest as a suite, and the reference as a system."""

from __future__ import annotations

import pytest

from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.evaluation.protest.build import suite_of
from crosspro.evaluation.protest.candidates import find_candidates
from crosspro.evaluation.protest.language import source_words, target_words
from crosspro.evaluation.protest.text import ParallelText, SystemOutput, word_links
from tests.evaluation.protest.tokens import FOLDER


def lines(name):
    return [tuple(line.split()) for line in (FOLDER / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="session")
def documents():
    return read_mmax(FOLDER / "en")


@pytest.fixture(scope="session")
def english():
    return source_words()


@pytest.fixture(scope="session")
def french():
    return target_words("fr")


@pytest.fixture(scope="session")
def text():
    source, reference = lines("text.en"), lines("text.fr")
    links = list(word_links(FOLDER / "text.links", source, reference, ("en", "fr")).links)
    links[1] = [*links[1], (7, 6)]  # the clitic, which has no link in the file
    names = (FOLDER / "text.doc-ids").read_text("utf-8").split()
    return ParallelText("text.en", source, [reference], names, [links])


@pytest.fixture(scope="session")
def candidates(documents, text, english, french):
    return find_candidates(documents, text, english, french)


@pytest.fixture(scope="session")
def suite(candidates, text):
    return suite_of(text, ("en", "fr"), candidates.tokens, {"seed": 1})


@pytest.fixture
def reference(suite, text):
    """The reference as if it were a system's output."""
    return SystemOutput("reference", suite.source, suite.references[0], text.links[0])
