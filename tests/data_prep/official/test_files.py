"""The table of the official files."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.official.files import COLUMNS, PAGES, official_files, select

ROW = "a.gz\ten-fr\t2016\ttrain\thttps://h/a.gz\t\t\tinferred\tnowhere"


def table(tmp_path, *rows: str):
    path = tmp_path / "t.tsv"
    path.write_text("\n".join(["# comment", "\t".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    return path


def test_the_table_of_the_project_is_well_formed():
    files = official_files()
    assert len({file.path for file in files}) == len(files) > 40
    assert all(file.evidence and file.source and file.urls for file in files)
    assert {file.year for file in files} == {2015, 2016, 2017}


@pytest.mark.parametrize("task", ["en-fr", "fr-en", "en-de", "de-en"])
def test_every_task_of_2016_has_data_and_documents(task):
    for split, number in (("train", 6), ("dev", 2), ("test", 2)):
        names = [file.name for file in select(official_files(), [task], [2016], [split])]
        assert len(names) == number
        assert sum("doc-ids" in name for name in names) == number // 2


def test_every_year_has_pages_at_lindat_and_on_the_hub():
    assert PAGES.keys() == {file.year for file in official_files()}
    for year, pages in PAGES.items():
        assert any("hdl.handle.net" in page for page in pages)
        assert any(page.endswith(f"FrancophonIA/DiscoMT-{year}") for page in pages)
        urls = [url for file in select(official_files(), years=[year]) for url in file.urls]
        assert any(f"huggingface.co/datasets/FrancophonIA/DiscoMT-{year}/" in url
                   or url.endswith(f"/FrancophonIA/DiscoMT-{year}") for url in urls)  # fmt: skip
        assert any("lindat.mff.cuni.cz" in url for url in urls)


def test_unknown_choices_are_listed():
    files = official_files()
    with pytest.raises(CrossproError, match="task"):
        select(files, ["en-xx"])
    with pytest.raises(CrossproError, match="year"):
        select(files, years=[1999])
    with pytest.raises(CrossproError, match="split"):
        select(files, splits=["all"])
    with pytest.raises(CrossproError):
        select(files, ["en-fr"], [2015])


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("a.gz\t", "../a\t", "name:"),
        ("2016", "MMXVI", "year:"),
        ("https://h/a.gz\t\t", "https://h/a.gz\tbig\t", "size:"),
        ("\t\tinferred", "\tabc\tinferred", "sha256:"),
        ("https://h", "file://h", "url:"),
        ("https://h/a.gz", "", "url:"),
        ("\tnowhere", "", "columns:"),
        ("nowhere", f"nowhere\n{ROW}", "name:"),
    ],
)
def test_bad_tables_have_lines(tmp_path, old, new, fault):
    with pytest.raises(InputError, match=rf"t\.tsv:[345]: {fault}"):
        official_files(table(tmp_path, ROW.replace(old, new)))
