"""Which file of a folder is what."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.folder_report.files import (
    find_files,
    read_pair,
    system_name,
)
from crosspro.evaluation.inputs.plain_text import language_of


def find(folder, *names, pair=None):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    problems = []
    found = find_files(folder, pair, problems)
    return found, [
        str(one).replace(f"{folder}/", "").replace(str(folder), "DIR").partition(": expected")[0]
        for one in problems
    ]


def roles(found, folder):
    return {str(path.relative_to(folder)): role for role, path in found.roles()}


def test_names_of_a_whole_folder(tmp_path):
    found, problems = find(
        tmp_path,
        *("source.en", "reference.fr.xz", "reference.links", "doc-ids.gz", "pronouns.yaml"),
        *("outputs/a.fr", "outputs/a.links", "outputs/b.fr.gz", "outputs/b.fr.links.xz"),
        *("notes.txt", "README.md", ".hidden", "outputs/README", "more/z.fr"),
    )  # fmt: skip
    assert problems == []
    assert roles(found, tmp_path) == {
        "source.en": "source",
        "reference.fr.xz": "reference",
        "reference.links": "links of the reference",
        "doc-ids.gz": "documents",
        "pronouns.yaml": "pronouns",
        "outputs/a.fr": "output of a",
        "outputs/a.links": "links of a",
        "outputs/b.fr.gz": "output of b",
        "outputs/b.fr.links.xz": "links of b",
    }
    assert found.languages == ("en", "fr")
    assert found.unused == (tmp_path / "notes.txt",)


@pytest.mark.parametrize(
    "names", [("test.src", "test.ref"), ("news-src.en", "news-ref.fr"), ("src.en.gz", "Ref.FR")]
)
def test_other_names_of_source_and_reference(tmp_path, names):
    found, problems = find(tmp_path, *names, pair=("en", "fr"))
    assert problems == []
    assert [path.name for path in (found.source, found.reference)] == list(names)


def test_names_that_only_sound_alike(tmp_path):
    found, _ = find(tmp_path, "resource.en", "preferred.fr", "open_source.en")
    assert (found.source, found.reference, len(found.unused)) == (None, None, 3)


def test_every_problem_of_names(tmp_path):
    _, problems = find(
        tmp_path,
        *("a.src", "b.src", "reference.fr", "doc-ids", "doc-starts"),
        *("outputs/a.fr", "outputs/a.txt", "outputs/b.de", "outputs/b.links", "outputs/c.links"),
    )
    assert problems == [
        *("DIR: file", "DIR: file", "outputs/a.txt: file", "outputs/c.links: file"),
        *("outputs/a.fr: links", "outputs/b.de: language"),
    ]


def test_languages_that_the_pair_contradicts(tmp_path):
    _, problems = find(tmp_path, "source.en", "reference.fr", "outputs/a.txt", pair=("de", "fr"))
    assert problems == ["source.en: language"]


def test_a_name_that_is_no_text(tmp_path):
    _, problems = find(tmp_path, "source.en", "reference.fr", os.fsdecode(b"outputs/\xff.fr"))
    assert problems == ["outputs/\\udcff.fr: name"]


def test_systems_and_languages():
    names = {"a.fr.xz": "a", "a.txt": "a", "a.b.txt": "a.b", "a.tok": "a.tok", "a": "a"}
    assert {name: system_name(Path(name)) for name in names} == names
    languages = {"a.fr.gz": "fr", "fr": None, "a.txt": None, "a.FR": None}
    assert {name: language_of(Path(name)) for name in languages} == languages
    assert language_of(None) is None
    assert read_pair("en-fr") == ("en", "fr")
    for text in ("enfr", "en-fr-de", "EN-FR", "-"):
        with pytest.raises(InputError, match=f"'{text}'"):
            read_pair(text)
