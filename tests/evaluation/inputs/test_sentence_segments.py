"""Texts that are not line by line, in segments that correspond."""

from __future__ import annotations

import lzma

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
from crosspro.evaluation.inputs.sentence_segments import SegmentedFiles, align_files

SOURCE = [
    "The old house burned down. It had stood there for two hundred years.",
    "Nobody was hurt in the fire of 1984.",
    "Anna came back in May. She saw the ruins. Then she left again for Berlin.",
    "Peter stayed. He built a new house on the hill behind the church.",
]
GERMAN = [
    "Das alte Haus brannte ab. Es hatte zweihundert Jahre lang dort gestanden.",
    "Niemand wurde bei dem Feuer von 1984 verletzt.",
    "Anna kam im Mai zurück. Sie sah die Ruinen. Dann ging sie wieder nach Berlin.",
    "Peter blieb. Er baute ein neues Haus auf dem Hügel hinter der Kirche.",
]
IDS = ["fire", "fire", "return", "return"]


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "source.en", SOURCE)
    write(tmp_path / "reference.de", GERMAN)
    write(tmp_path / "doc-ids", IDS)
    return tmp_path


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def aligned(folder, *lines, doc_ids=True, source=True):
    """The segments of source, reference and candidates by their names, and the rest."""
    outputs = [write(folder / f"out{n}.de", own) for n, own in enumerate(lines)]
    files = SegmentedFiles(
        folder / "source.en" if source else None,
        (folder / "reference.de", *outputs),
        folder / "doc-ids" if doc_ids else None,
    )
    found = align_files(files)
    return {path.name: own for path, own in found.lines.items()}, found


def problem(folder, *lines, **options):
    with pytest.raises(InputError) as caught:
        aligned(folder, *lines, **options)
    return str(caught.value).replace(f"{folder}/", "")


def test_paragraphs_become_sentences(folder):
    lines, found = aligned(folder)
    assert lines["source.en"][:3] == [
        "The old house burned down.",
        "It had stood there for two hundred years.",
        "Nobody was hurt in the fire of 1984.",
    ]
    assert lines["reference.de"][3:5] == ["Anna kam im Mai zurück.", "Sie sah die Ruinen."]
    assert found.documents.of_line.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert found.documents.names == ("fire", "return")
    count = found.counts[0]
    assert (count.single, count.merged, count.lost, count.added) == (8, 0, 0, 0)
    assert found.signature == ("sentences:aligned(learnt)",)


SAME_AS_LINES = {
    "a document a line": [" ".join(GERMAN[:2]), " ".join(GERMAN[2:])],
    "blank lines": ["Das alte Haus brannte ab.", GERMAN[0][26:], GERMAN[1], "", "", *GERMAN[2:]],
    "wrapped lines": [
        "Das alte Haus brannte ab. Es hatte zweihundert",
        f"Jahre lang dort gestanden. {GERMAN[1]}",
        "",
        GERMAN[2][:-20],
        GERMAN[2][-20:].strip(),
        GERMAN[3],
    ],
}


@pytest.mark.parametrize("lines", SAME_AS_LINES.values(), ids=SAME_AS_LINES)
def test_documents_with_other_lines(folder, lines):
    made, found = aligned(folder, lines)
    assert made["out0.de"] == made["reference.de"]
    assert (found.counts[1].lost, found.counts[1].added) == (0, 0)


def test_own_documents_beside_a_translation(folder):
    lines = [*GERMAN[0].replace(". ", ".\n").split("\n"), *GERMAN[1:]]
    with lzma.open(folder / "out0.de.doc-ids.xz", "wt") as handle:
        handle.write("fire\nfire\nfire\nreturn\nreturn\n")
    made, _ = aligned(folder, lines)
    assert made["out0.de"] == made["reference.de"]


def test_all_in_one_document(folder):
    made, found = aligned(folder, [" ".join(GERMAN)], doc_ids=False)
    assert made["out0.de"] == made["reference.de"]
    assert found.documents is None


def test_segments_are_common_to_all_texts(folder):
    merged = [*GERMAN[:2], GERMAN[2].replace("zurück. Sie", "zurück, sie"), GERMAN[3]]
    made, found = aligned(folder, GERMAN, merged)
    assert len({len(own) for own in made.values()}) == 1
    assert made["source.en"][3] == "Anna came back in May. She saw the ruins."
    assert made["out0.de"][3] == "Anna kam im Mai zurück. Sie sah die Ruinen."
    assert made["out1.de"][3] == "Anna kam im Mai zurück, sie sah die Ruinen."
    assert [one.merged for one in found.counts] == [0, 0, 1]


def test_what_is_lost_or_added_is_counted(folder):
    less = [GERMAN[0], "", *GERMAN[2:]]
    more = [*GERMAN[:3], f"{GERMAN[3]} Übersetzt am 5.7.2024 von Maschine XY in Version 17."]
    made, found = aligned(folder, less, more)
    assert made["out0.de"][2] == ""
    assert made["out1.de"][-1].endswith("Version 17.")
    assert found.counts[1].lost == 1
    assert "1 of the source without a translation" in found.told[1]
    assert found.told[-1] == "8 segments of aligned sentences, the same for all texts"


def test_without_a_source_segments_follow_the_reference(folder):
    made, found = aligned(folder, [" ".join(GERMAN)], doc_ids=False, source=False)
    assert made["out0.de"] == made["reference.de"]
    assert len(made["reference.de"]) == 8
    assert found.signature == ("sentences:aligned(same-words)",)


def test_metrics_get_segments(folder):
    output = write(folder / "out.de", [" ".join(GERMAN)])
    paths = InputPaths(folder / "source.en", folder / "reference.de", (output,))
    found = align_files(paths.to_segment())
    read = read_input(
        InputPaths(folder / "source.en", folder / "reference.de", (output,), segments=found)
    )
    assert read.candidates[0].text.words(3) == ["Anna", "kam", "im", "Mai", "zurück", "."]
    assert read.prepared == found.signature
    assert read.warnings[: len(found.told)] == found.told
    text = found.text([output], [folder / "reference.de"])
    assert text.candidates == text.references
    assert (text.names, text.lines, text.warnings) == (("out.de",), 8, found.told)


def test_documents_that_cannot_be_found(folder):
    assert problem(folder, [*GERMAN[2:], "Noch eine.", "", "Und eine.", "", "x", "y"]) == (
        "out0.de: documents: expected 4 lines as in source.en, or its 2 documents: a file "
        "out0.de.doc-ids beside it, a document a line, or blank lines between them, "
        "found 8 lines, 3 blocks between blank lines"
    )


def test_own_documents_must_be_those_of_the_source(folder):
    write(folder / "out0.de.doc-ids", ["fire", "fire"])
    assert problem(folder, GERMAN) == (
        "out0.de.doc-ids: doc-ids: expected 4 lines as in out0.de, found 2"
    )
    write(folder / "out0.de.doc-ids", ["fire", "fire", "fire", "retour"])
    assert problem(folder, GERMAN) == (
        "out0.de.doc-ids:4: document: expected the documents of source.en, here return, "
        "found retour"
    )
    assert "--doc-ids" in problem(folder, GERMAN, doc_ids=False)


def test_all_faults_at_once(folder):
    (folder / "reference.de").write_bytes(b"gut\nb\xf6se\n")
    write(folder / "source.en", ["", " "])
    told = problem(folder, GERMAN)
    assert "reference.de:2: encoding" in told
    assert "doc-ids:3: doc-ids" in told
    assert "source.en: file: expected at least one sentence" in told


LINES = st.lists(st.sampled_from(["", "Ja.", "Nein, nie. Doch!", "a b c", "Wer? Ich."]), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(LINES, st.data())
def test_nothing_is_dropped_or_moved(tmp_path, source, data):
    write(tmp_path / "source.en", [*source, "Fin."])
    texts = [data.draw(LINES) for _ in range(2)]
    write(tmp_path / "reference.de", texts[0])
    made, _ = aligned(tmp_path, texts[1], doc_ids=False)
    assert len({len(own) for own in made.values()}) == 1
    for name, lines in zip(made, ([*source, "Fin."], *texts), strict=True):
        assert " ".join(made[name]).split() == " ".join(lines).split()


@given(st.lists(st.sampled_from(["It rains.", "She said so", "", "No!"]), min_size=1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_one_sentence_a_line_stays_as_it_is(tmp_path, lines):
    lines = [*lines, "The end."]
    german = [f"{line} (de)" if line else "" for line in lines]
    write(tmp_path / "source.en", lines)
    write(tmp_path / "reference.de", german)
    made, _ = aligned(tmp_path, german, doc_ids=False)
    assert made == {"source.en": lines, "reference.de": german, "out0.de": german}
    again, _ = aligned(tmp_path, made["out0.de"], doc_ids=False)
    assert again == made
