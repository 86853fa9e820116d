"""Classes of a new pair, from the sample and an annotation file, so that no model is needed."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.task import load_task
from tests.sample import as_conllu, sample_path
from tests.scripts.run import crosspro

EN_FR = ("--source-language", "en", "--target-language", "fr")
PRONOUNS = "je tu il elle on nous vous ils elles ce c' cela ça qui que qu' le la les l' y en"


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    """An annotation file of the French side: pronouns are known by their forms."""
    path = tmp_path_factory.mktemp("tokens") / "fr"
    lines = []
    for line in sample_path("sample.fr").read_text("utf-8").splitlines():
        tags = ["PRO" if word.lower() in PRONOUNS.split() else "X" for word in line.split()]
        words = zip(line.split(), tags, strict=True)
        lines.append(" ".join(f"{word}|{word.lower()}|{tag}" for word, tag in words))
    path.write_text(as_conllu(lines), "utf-8")
    return path


def classes(tokens, *more, pronouns="it they he"):
    sides = ("--source", sample_path("sample.en"), "--target", sample_path("sample.fr"))
    links = ("--annotator", f"conllu:{tokens}", "--links", sample_path("links.en-fr.gold"))
    return crosspro("classes", *sides, *EN_FR, *links, "--source-pronouns", pronouns, *more)


def test_the_draft_is_a_task_with_the_known_classes(tokens, tmp_path):
    output = tmp_path / "draft.yaml"
    result = classes(tokens, "-o", output)
    assert result.code == 0, result.stderr
    task = load_task(output)
    assert (task.name, task.tagset, task.source_pronouns) == (
        "en-fr",
        "treetagger-fr",
        ("it", "they"),
    )
    known = {"il", "elle", "ils", "elles", "on"}
    assert known < set(task.classes)
    assert task.classes[-1] == "OTHER"
    assert set(task.fillers) == {w for c in task.classes[:-1] for w in task.forms[c]}
    assert not set(task.fillers) & set(task.other_fillers)
    assert task.subject_filter == load_task("en-fr").subject_filter
    text = result.stdout.decode()
    assert "he: " in text
    for name in task.classes:
        assert f"\n{name} " in text


def test_links_are_made_where_none_are_given(tokens, tmp_path):
    (tmp_path / "x.en").write_text("it falls .\nit works .\n" * 20, "utf-8")
    (tmp_path / "x.fr").write_text("il tombe .\nelle marche .\n" * 20, "utf-8")
    words = ["il|il|PRO tombe|tomber|VER .|.|SENT", "elle|elle|PRO marche|marcher|VER .|.|SENT"]
    (tmp_path / "tokens").write_text(as_conllu(words * 20), "utf-8")
    output = tmp_path / "x.yaml"
    annotator = ("--annotator", f"conllu:{tmp_path / 'tokens'}", "--source-pronouns", "it")
    result = crosspro("classes", "--source", tmp_path / "x", *EN_FR, *annotator, "-o", output)
    assert result.code == 0, result.stderr
    assert {"il": ("il",), "elle": ("elle",)}.items() <= load_task(output).forms.items()


@pytest.mark.parametrize(
    ("more", "fragment"),
    [
        (["--annotator", "magic"], "magic"),
        (["--annotator", "conllu:nowhere"], "nowhere"),
        (["-o", "draft.txt"], "draft.txt"),
        (["--links", "nowhere"], "nowhere"),
    ],
)
def test_bad_settings_are_refused(tokens, more, fragment):
    result = classes(tokens, *more)
    assert result.code == 2
    assert fragment in result.stderr.decode()


@pytest.mark.parametrize("language", [("pt",), ("fr", "--annotator", "none")])
def test_without_an_annotator_every_linked_word_counts(language, tmp_path):
    texts = {
        "source": "It sleeps .\nIt stays .\nIt runs .\n",
        "target": "ela dorme .\n. fica\nele corre .\n",
        "links": "0-0 1-1\n0-0 1-1\n0-0 1-1\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = [part for name in texts for part in (f"--{name}", tmp_path / name)]
    draft = ("--source-pronouns", "it", "-o", tmp_path / "draft.yaml")
    languages = ("--source-language", "en", "--target-language", *language)
    result = crosspro("classes", *files, *languages, *draft)
    assert result.code == 0, result.stderr
    task = load_task(tmp_path / "draft.yaml")
    assert task.classes == ("ela", "ele", "OTHER")
    assert (task.target, task.tagset, task.subject_filter.pronouns) == ("inflected", "none", ())
