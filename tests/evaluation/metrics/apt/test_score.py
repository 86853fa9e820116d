"""Cases, scores, intervals and reports of APT."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.significance import Resampling
from crosspro.evaluation.inputs.document_units import Documents, sentence_units
from crosspro.evaluation.inputs.inputs import InputPaths, read_input
from crosspro.evaluation.inputs.pronoun_lists import load_lists
from crosspro.evaluation.metrics.apt.report import (
    DETAIL_COLUMNS,
    csv_report,
    detail_json,
    detail_tsv,
    json_report,
    text_report,
)
from crosspro.evaluation.metrics.apt.score import AptSettings, evaluate_apt
from crosspro.evaluation.output.style import Style
from crosspro.evaluation.released.apt.bridge import config_of_settings
from crosspro.evaluation.released.apt.reference import score_from_reference
from tests.conftest import SHARED_DATA
from tests.evaluation.metrics.apt.texts import CANDIDATE, REFERENCE, SOURCE, text, translation

LISTS = load_lists("en-fr")
PLAN = Resampling(200, 1)
PLAIN = AptSettings(repair=None)


def apt(settings=PLAIN, plan=PLAN, **options):
    return evaluate_apt(SOURCE, REFERENCE, [CANDIDATE], LISTS, settings, plan, **options)


def cases(evaluation, number=0):
    return [occurrence.case for occurrence in evaluation.results[number].occurrences]


def test_the_six_cases():
    evaluation = apt()
    assert cases(evaluation) == [1, 2, 3, 4, 5, 6, 3]
    assert evaluation.results[0].counts == (1, 1, 2, 1, 1, 1)
    assert evaluation.results[0].occurrences[1].probability == 0.6


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        (AptSettings(repair=None), 1.5 / 7),
        (AptSettings((1, 0, 0, 0, 0, 0), repair=None), 1 / 7),
        (AptSettings((1, 1, 0, 0, 0, 0), repair=None), 2 / 7),
        (AptSettings((1, 0.5, 0, 0, 0, 0.5), repair=None), 2 / 7),
        (AptSettings(discarded=frozenset({5, 6}), repair=None), 1.5 / 5),
        (AptSettings(discarded=frozenset({1, 2}), repair=None), 0.0),
        (AptSettings(probabilities=True, repair=None), 1.6 / 7),
        (AptSettings(others="equal", repair=None), 2.5 / 7),
        (AptSettings(others="missing", weights=(1, 0, 0, 0, 0, 1), repair=None), 3 / 7),
    ],
)
def test_the_formula_of_the_paper(settings, value):
    """000 §2.4: APT = sum of w·n over sum of n, discarded cases in neither."""
    score = apt(settings).results[0].score
    assert score.value == pytest.approx(value)
    assert score.low <= score.value <= score.high


def test_missing_instead_of_other():
    assert cases(apt(AptSettings(others="missing", repair=None)))[-1] == 6


def test_settings_that_make_no_sense():
    with pytest.raises(InputError) as caught:
        apt(AptSettings((1, 2), frozenset({7})))
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="a case that is left"):
        apt(AptSettings(discarded=frozenset({1, 2, 3, 4, 5, 6})))


def test_the_matrix_holds_every_counted_occurrence():
    result = apt().results[0]
    assert result.matrix.sum() == 7
    labels = result.matrix_labels
    assert result.matrix[labels.index("ce"), labels.index("ce")] == 1
    assert result.matrix[labels.index("il"), labels.index("ce")] == 1
    assert result.matrix[labels.index("elle"), labels.index("NONE")] == 1
    fewer = apt(AptSettings(discarded=frozenset({6}), repair=None)).results[0]
    assert fewer.matrix.sum() == 6


def test_without_a_target_list_words_are_compared():
    lists = replace(LISTS, target_pronouns=(), identical=(), equivalent=())
    evaluation = evaluate_apt(SOURCE, REFERENCE, [CANDIDATE], lists, PLAIN, None)
    assert cases(evaluation) == [3, 3, 3, 4, 5, 6, 1]
    assert "lui" in evaluation.results[0].matrix_labels


def test_given_tokens_stay_in_the_denominator():
    anchors = [o.anchor for o in apt().results[0].occurrences[3:6]]
    evaluation = apt(anchors=anchors)
    assert cases(evaluation) == [4, 5, 6]
    assert evaluation.results[0].score.value == 0.0


def test_from_the_reference():
    evaluation = apt(starts_from="reference")
    assert cases(evaluation) == [1, 2, 3, 4]
    assert evaluation.unlinked == 1
    assert "|from:reference|" in evaluation.results[0].score.signature


def test_a_better_candidate_is_better():
    same = translation("same", [line.decode() for line in REFERENCE.text.lines], ["0-0"] * 7)
    evaluation = evaluate_apt(SOURCE, REFERENCE, [same, CANDIDATE], LISTS, PLAIN, PLAN)
    (difference,) = evaluation.comparisons
    first, second = evaluation.results
    assert difference.difference == pytest.approx(first.score.value - second.score.value)
    assert difference.low <= difference.difference <= difference.high
    assert 0 < difference.p_randomisation <= 1


def test_the_same_seed_gives_the_same_interval():
    assert apt().results[0].score == apt().results[0].score
    assert "|bootstrap:200|by:sentence|seed:1|" in apt().results[0].score.signature


def test_documents_are_the_units():
    documents = Documents(np.array([0, 0, 0, 1, 1, 1, 1]), ("a", "b"))
    evaluation = apt(documents=documents)
    assert evaluation.units.name == "document"
    assert "|by:document|" in evaluation.results[0].score.signature
    assert "2 documents" in evaluation.warnings[0]
    assert sentence_units([0, 0], documents).name == "sentence"


def test_no_pronoun_at_all():
    evaluation = evaluate_apt(text(["a"]), *_nothing(), LISTS, PLAIN, PLAN)
    assert np.isnan(evaluation.results[0].score.value)
    assert "no pronoun" in evaluation.warnings[0]
    shown = text_report(evaluation)
    assert "nan" not in shown
    assert "–" in shown
    assert "nan" not in csv_report(evaluation)
    assert json.loads(json_report(evaluation))["candidates"][0]["score"] is None


def _nothing():
    empty = translation("x", ["a"], [""])
    return empty, [empty]


def test_reports():
    evaluation = evaluate_apt(SOURCE, REFERENCE, [CANDIDATE, REFERENCE], LISTS, AptSettings(), PLAN)
    shown = text_report(evaluation, style=Style(signatures=True))
    assert "cand - ref" in shown
    assert "2 equivalent" in shown
    assert "Signatures\n\n- metric:APT|" in shown
    assert "metric:APT|" not in text_report(evaluation)
    assert "| candidate | APT |" in text_report(evaluation, style=Style(markdown=True))
    content = json.loads(json_report(evaluation))
    assert content["candidates"][1]["score"] == evaluation.results[1].score.value
    rows = detail_tsv(evaluation).splitlines()
    assert rows[0].split("\t") == list(DETAIL_COLUMNS)
    assert len(rows) == 1 + 2 * 7
    assert rows[1] == "cand\t0\t0\tit\t0\tC'\tce\tkept\t0\tce\tce\tkept\t1"
    details = json.loads(detail_json(evaluation))
    assert details[1]["reference"] == {
        "positions": [0],
        "words": ["il"],
        "labels": ["il"],
        "repair": "kept",
    }
    assert details[0]["sentences"]["source"] == "it x"


def news_paths():
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    return InputPaths(
        folder / "mt-output.en.xz",
        folder / "pronoun-test.tok.fr.xz",
        (folder / "mt-output.fr.xz",),
        folder / "pronoun-test.tok.en-fr.alig.xz",
        (folder / "mt-output.en-fr.alig.xz",),
        doc_starts=folder / "doc-boundaries.xz",
        lenient=True,
    )


def test_case_counts_on_news():
    """Without repair as the released tool counts; the repair finds more pronouns."""
    data = read_input(news_paths())
    plain = replace(LISTS, target_separator="")

    def counts(lists, settings):
        found = evaluate_apt(
            data.source, data.reference, data.candidates, lists, settings, None, data.documents
        )
        return found.results[0].counts

    assert counts(plain, PLAIN) == (515, 76, 799, 23, 182, 9)
    assert counts(LISTS, PLAIN) == (520, 79, 791, 23, 182, 9)
    assert counts(LISTS, AptSettings()) == (536, 92, 791, 21, 159, 5)


def test_links_that_lead_nowhere_are_all_listed():
    with pytest.raises(InputError) as caught:
        read_input(replace(news_paths(), lenient=False))
    lines = [problem.line for problem in caught.value.problems]
    assert len(set(lines) - {4955}) == 37
    assert 4955 in lines


@pytest.mark.parametrize(
    ("system", "counts", "score"),
    [
        ("HA-enc", (5974, 0, 2471, 192, 0, 0), 0.6917),
        ("baseline", (5873, 0, 2560, 204, 0, 0), 0.68),
    ],
)
def test_published_scores_of_ted_systems(system, counts, score):
    """They start from the reference; the list is the released tool's and four object pronouns."""
    folder = SHARED_DATA / "apt_es-en"
    if not folder.is_dir():
        pytest.skip("the TED systems are not here")
    paths = InputPaths(
        folder / "IWSLT14.TED.tst.tc.es.xz",
        folder / "IWSLT14.TED.tst.tc.en.xz",
        (folder / f"TED_es-en_{system}.en.xz",),
        folder / "IWSLT14.TED.tst.tc.align.xz",
        (folder / f"TED_es-en_{system}.align.xz",),
    )
    lists = load_lists("es-en-ted")
    data = read_input(paths)
    evaluation = evaluate_apt(
        data.source, data.reference, data.candidates, lists, PLAIN, None, starts_from="reference"
    )
    assert evaluation.unlinked == 1004
    assert evaluation.results[0].counts == counts
    assert round(evaluation.results[0].score.value, 4) == score
    published = lzma.decompress((folder / f"TED_es-en_{system}.apt.score.xz").read_bytes())
    config = config_of_settings(paths, lists, PLAIN, folder)
    assert score_from_reference(config) == published.decode()
