"""Which file of a folder is what."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.folder_report.files import (
    GivenFiles,
    find_files,
    read_pair,
    system_name,
)
from crosspro.evaluation.inputs.plain_text import language_of


def find(folder, *names, given=None, pair=None):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    problems = []
    found = find_files(folder, given or GivenFiles(), pair, problems)
    return found, [
        str(one).replace(f"{folder}/", "").replace(str(folder), "DIR") for one in problems
    ]


def roles(found, folder):
    return {str(path.relative_to(folder)): role for role, path in found.roles()}


def test_names_of_a_whole_folder(tmp_path):
    found, problems = find(
        tmp_path,
        *("source.en", "reference.fr.xz", "reference.links", "doc-ids.gz", "pronouns.yaml"),
        *("outputs/a.fr", "outputs/a.links", "outputs/b.fr.gz", "outputs/b.fr.links.xz"),
        *("contrastive/x.json", "contrastive/x/a.scores", "contrastive/x/b.fr"),
        *("contrastive/x.parts", "contrastive/y.tsv", "notes.txt"),
        *("README.md", ".hidden", "outputs/README", "more/z.fr"),
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
        "contrastive/x.json": "set x",
        "contrastive/x/a.scores": "scores of a",
        "contrastive/x/b.fr": "output of b",
        "contrastive/x.parts": "parts of x",
        "contrastive/y.tsv": "set y",
    }
    assert found.languages == ("en", "fr")
    assert found.unused == (tmp_path / "notes.txt",)


def test_files_beside_sets_that_belong_to_none_are_not_used(tmp_path):
    names = ("set.json", "set/a.fr", "set.parts", "other.parts", "Set.jsn", "sets/a.fr")
    found, problems = find(tmp_path, *(f"contrastive/{name}" for name in names))
    unused = [str(path.relative_to(tmp_path / "contrastive")) for path in found.unused]
    assert (unused, problems) == (["Set.jsn", "other.parts", "sets/a.fr"], [])


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


def test_what_is_named_comes_before_what_is_found(tmp_path):
    other = tmp_path / "other"
    names = ("other/s.de", "other/r.en", "other/c.en", "other/c.al", "other/ids")
    given = GivenFiles(
        source=other / "s.de",
        reference=other / "r.en",
        candidates=(other / "c.en",),
        links_candidates=(other / "c.al",),
        doc_ids=other / "ids",
    )
    here = ("source.en", "reference.fr", "outputs/a.fr", "doc-starts")
    found, problems = find(tmp_path, *names, *here, given=given)
    assert problems == []
    assert set(roles(found, tmp_path)) == set(names)
    assert found.languages == ("de", "en")
    assert {path.name for path in found.unused} == {"source.en", "reference.fr"}


def test_every_problem_of_names(tmp_path):
    _, problems = find(
        tmp_path,
        *("a.src", "b.src", "reference.fr", "doc-ids", "doc-starts"),
        *("outputs/a.fr", "outputs/a.txt", "outputs/b.de", "outputs/b.links", "outputs/c.links"),
        *("contrastive/x.json", "contrastive/x.tsv"),
    )
    assert problems == [
        "DIR: file: expected doc-ids or doc-starts (the options --doc-ids and --doc-starts name "
        "one), found both",
        "DIR: file: expected one such file, or an option that names it, found a.src, b.src",
        "outputs/a.txt: file: expected one file of the system 'a', found a.fr and a.txt",
        "outputs/c.links: file: expected an output of the same name beside it, found none",
        "outputs/a.fr: links: expected its links, as other outputs have them, or links of none, "
        "found none",
        "contrastive/x.tsv: file: expected one set of this name, found two",
        "outputs/b.de: language: expected a text in fr, as others are, found de",
    ]


def test_languages_that_the_pair_contradicts(tmp_path):
    _, problems = find(tmp_path, "source.en", "reference.fr", "outputs/a.txt", pair=("de", "fr"))
    assert problems == ["source.en: language: expected a text in de, as --pair says, found en"]


def test_links_of_some_candidates(tmp_path):
    files = (tmp_path / "a.fr", tmp_path / "b.fr")
    given = GivenFiles(candidates=files, links_candidates=(tmp_path / "a.links",))
    _, problems = find(tmp_path, given=given)
    assert problems == [
        "--candidate-links: links: expected as many link files as candidates, 2, found 1"
    ]


def test_a_name_that_is_no_text(tmp_path):
    _, problems = find(tmp_path, "source.en", "reference.fr", os.fsdecode(b"outputs/\xff.fr"))
    assert problems == [
        "outputs/\\udcff.fr: name: expected a name in UTF-8, found '\\\\xff'",
    ]


def test_systems_and_languages():
    names = {"a.fr.xz": "a", "a.txt": "a", "a.b.scores": "a.b", "a.tok": "a.tok", "a": "a"}
    assert {name: system_name(Path(name)) for name in names} == names
    languages = {"a.fr.gz": "fr", "fr": None, "a.txt": None, "a.FR": None}
    assert {name: language_of(Path(name)) for name in languages} == languages
    assert language_of(None) is None
    assert read_pair("en-fr") == ("en", "fr")
    for text in ("enfr", "en-fr-de", "EN-FR", "-"):
        with pytest.raises(InputError, match=f"two languages such as en-fr, found '{text}'"):
            read_pair(text)
