"""`crosspro proofread` and `crosspro.proofread` on short texts, with bundled models."""

from __future__ import annotations

import json

import pytest

import crosspro as api
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

TEXTS = {
    "de": (
        ["The dog ran into the garden.", "It barked loudly.", "The house was empty."],
        ["Der Hund lief in den Garten.", "Es bellte laut.", "Das Haus war leer."],
        (2, 0, 2, "Es", "Er"),
    ),
    "fr": (
        ["The table is old.", "It is made of wood.", "Nobody sits there."],
        ["La table est vieille.", "Demain, il sera en bois.", "Personne ne s'assoit là."],
        (2, 8, 10, "il", "elle"),
    ),
}


def written(folder, language):
    source, target, _ = TEXTS[language]
    paths = folder / "text.en", folder / f"text.{language}"
    for path, lines in zip(paths, (source, target), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return paths


@pytest.fixture
def german(tmp_path):
    return written(tmp_path, "de")


@pytest.mark.parametrize("language", TEXTS)
def test_a_wrong_pronoun_is_found(language, tmp_path):
    files = written(tmp_path, language)
    line, start, end, word, better = TEXTS[language][2]
    result = crosspro("proofread", *files, "--format", "json")
    assert result.code == 1, result.stderr
    whole = json.loads(result.stdout)
    assert whole["model"]["name"] == f"en-{language}"
    assert len(whole["model"]["digest"]) >= 12
    (found,) = (one for one in whole["pronouns"] if one["kind"] == "word")
    assert (found["line"], found["start"], found["end"]) == (line, start, end)
    assert (found["word"], found["suggestion"]) == (word, better)
    assert (found["source_line"], found["source_start"], found["source_word"]) == (2, 0, "It")
    assert found["wrong"] > 0.5
    assert found["probability"] < found["suggestion_probability"]
    assert found["document"] is None

    source, target, _ = TEXTS[language]
    same = api.proofread(source, target, model=f"en-{language}")
    assert same.to_dict()["pronouns"] == whole["pronouns"]
    assert [one.word for one in same if one.wrong >= 0.5] == [word]


def test_the_exit_code_is_of_the_threshold(german):
    assert crosspro("proofread", *german).code == 1
    quiet = crosspro("proofread", *german, "--threshold", 1)
    assert quiet.code == 0, quiet.stderr
    assert crosspro("proofread", *german, "--threshold", 1.5).code == 2
    assert crosspro("proofread", *german, "--threshold", "nan").code == 2


def test_every_format_is_written(german, tmp_path):
    for format_ in ("text", "json", "jsonl", "github"):
        shown = crosspro("proofread", *german, "--format", format_)
        path = tmp_path / f"report.{format_}"
        assert crosspro("proofread", *german, "--format", format_, "-o", path).code == 1
        assert path.read_bytes() == shown.stdout
        assert shown.stderr == b""
    lines = (tmp_path / "report.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["word"] for row in rows if row["doubtful"]] == ["Es"]
    level = "error" if rows[0]["wrong"] >= 0.6 else "warning"
    assert (tmp_path / "report.github").read_text("utf-8").startswith(f"::{level} file=")
    assert crosspro("proofread", *german, "--format", "xml").code == 2


def test_what_was_accepted_on_a_page_is_applied(german, tmp_path):
    page, mended, decided = tmp_path / "p.html", tmp_path / "m.de", tmp_path / "d.json"
    assert crosspro("proofread", *german, "--html", page).code == 1
    data = json.loads(page.read_text("utf-8").split('id="data">')[1].split("</script>")[0])
    one = data["pronouns"][0]
    made = {
        **{"segment": one["segment"] + 1, "line": one["line"], "start": one["start"]},
        **{"end": one["end"], "word": one["word"], "replacement": "Er", "kind": "word"},
        "wrong": one["wrong"],
    }
    decided.write_text(json.dumps({**data["about"], "accepted": [made], "kept": []}), "utf-8")
    result = crosspro("proofread", *german, "--apply", decided, "-o", mended)
    assert (result.code, result.stdout) == (0, b"")
    assert mended.read_bytes() == german[1].read_bytes().replace(b"Es bellte", b"Er bellte")
    shown = crosspro("proofread", *german, "--apply", decided)
    assert (shown.code, shown.stdout) == (0, mended.read_bytes())
    assert crosspro("proofread", *german, "--apply", decided, "--format", "json").code == 2
    german[1].write_text(german[1].read_text("utf-8").replace("Es", "Das"), "utf-8")
    mended.unlink()
    refused = crosspro("proofread", *german, "--apply", decided, "-o", mended)
    assert refused.code == 2
    assert b"text.de:2: text" in refused.stderr
    assert not mended.exists()


@pytest.mark.parametrize(
    ("names", "model"),
    [
        (("editor.de.po",), "en-de"),
        (("manual.de.xlf",), "en-de"),
        (("museum.fr.xliff",), "en-fr"),
        (("harbour.en.srt", "harbour.de.srt"), "en-de"),
    ],
)
def test_the_model_is_known_by_languages(names, model):
    files = [GOLDEN / "proofread" / name for name in names]
    result = crosspro("proofread", *files, "--format", "json")
    assert result.code in (0, 1), result.stderr
    assert json.loads(result.stdout)["model"]["name"] == model


def test_where_no_language_is_known_a_model_is_asked_for(german, tmp_path):
    other = tmp_path / "output.txt"
    other.write_bytes(german[1].read_bytes())
    result = crosspro("proofread", german[0], other)
    assert result.code == 2
    assert b"output.txt: languages" in result.stderr
    assert crosspro("proofread", german[0], other, "--model", "en-de").code == 1
    memory = crosspro("proofread", GOLDEN / "proofread" / "letters.tmx")
    assert memory.code == 2
    assert b"letters.tmx: languages" in memory.stderr


def test_bad_input_leaves_nothing_behind(german, tmp_path):
    source, target = german
    made = ("--html", tmp_path / "p.html", "-o", tmp_path / "o")
    before = sorted(tmp_path.iterdir())
    target.write_bytes(target.read_bytes() + b"Noch eine Zeile.\n")
    result = crosspro("proofread", *german, *made)
    assert result.code == 2
    assert b"text.de: lines" in result.stderr
    for wrong in (
        (tmp_path / "none.en", target, *made),
        (source, target, "--model", "en-xx", *made),
        (source, target, "--model", "en-fr", "--doc-ids", tmp_path / "none", *made),
        (source, target, "--html", tmp_path / "none" / "p.html"),
        (source, target, "--html", tmp_path),
        (source, target, "--apply", source, "-o", tmp_path / "o"),
    ):
        refused = crosspro("proofread", *wrong)
        assert refused.code == 2, wrong
        assert b"Traceback" not in refused.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_a_text_in_another_language_is_not_called_right(german):
    """Source and translation exchanged have no pronoun: an error; others are not called right."""
    assert crosspro("proofread", *german, "--model", "en-de").stderr == b""
    exchanged = crosspro("proofread", *german[::-1], "--model", "en-de")
    assert (exchanged.code, exchanged.stdout) == (2, b"")
    assert b"text.de: name" in exchanged.stderr
    result = crosspro("proofread", *german, "--model", "en-fr")
    assert result.code == 0
    assert b"\xe2\x86\x92" not in result.stdout  # an arrow before a suggestion
    assert b"text.de: language" in result.stderr
    assert b"0 probably" not in result.stdout
    accepted = crosspro("proofread", *german, "--model", "en-fr", "--any-language")
    assert (accepted.code, accepted.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("name", "documents"), [("editor.de.po", [7, 7, 3]), ("manual.de.xlf", [5, 5, 2])]
)
def test_documents_of_a_catalogue_are_messages_or_files(name, documents):
    counts = []
    for more in ((), ("--documents", "message"), ("--documents", "file")):
        result = crosspro("proofread", GOLDEN / "proofread" / name, "--format", "json", *more)
        counts.append(json.loads(result.stdout)["counts"]["documents"])
    assert counts == documents
    two = [GOLDEN / "proofread" / f"dog.{one}" for one in ("en", "de")]
    assert crosspro("proofread", *two, "--documents", "file").code == 2
