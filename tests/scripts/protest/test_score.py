"""`crosspro protest score` as a user calls it: scores, what signatures tell apart, wrong input."""

from __future__ import annotations

import shutil

from crosspro.conf import CONF_DIR
from tests.evaluation.report.reading import check_page
from tests.scripts.protest.conftest import (
    BUILD,
    FOLDER,
    OWN_LINKS,
    REFERENCE,
    outcome,
    protest,
    refused,
    scores,
)


def signatures(suite, wrong, options=OWN_LINKS):
    line = f"score {suite} --candidate {wrong} {options} --resamples 0"
    return protest(line)[0].splitlines()[-2:]


def test_score_of_the_reference(suite):
    assert "100.0" in protest(f"score {suite} --candidate {REFERENCE} {OWN_LINKS}")[0]


def test_score_makes_links_and_tokenises(suite, tmp_path):
    raw = REFERENCE.read_text("utf-8").replace(" .", ".").replace("' ", "'")
    (tmp_path / "raw.fr").write_text(raw, "utf-8")
    line = f"score {suite} --candidate {tmp_path}/raw.fr --layout csv --resamples 0"
    name, automatic, _ = protest(line)[0].splitlines()[1].split(",")
    assert name == "raw"
    assert float(automatic) > 0


def test_names_of_systems_keep_their_dots_and_differ(suite, wrong, tmp_path):
    both = [shutil.copy(wrong, tmp_path / name) for name in ("sys.v1.fr", "sys.v2.fr")]
    line = (
        f"score {suite} --candidate {' --candidate '.join(map(str, both))} {OWN_LINKS} {OWN_LINKS}"
    )
    assert protest(f"{line} --layout csv --resamples 0")[0].splitlines() == [
        "system,automatic,semi-automatic",
        "sys.v1,0.785714,0.785714",
        "sys.v2,0.785714,0.785714",
    ]
    same = f"score {suite} --candidate {wrong} --candidate {wrong} {OWN_LINKS} {OWN_LINKS}"
    refused(same)
    protest(f"{same.replace('--candidate ', '--candidate a=', 1)} --resamples 20")


def test_a_single_system_has_intervals_in_every_category(tmp_path, wrong):
    suite = tmp_path / "suite.jsonl"
    protest(f"{BUILD} --repair -o {suite}")
    text = protest(f"score {suite} --candidate {wrong} {OWN_LINKS} --repair")[0]
    rows = [line.rstrip() for line in text.splitlines()]
    total = [row for row in rows if row.startswith("all ")][-1]
    assert "80.0 to 100.0 [" in total
    assert any("inter non-subject it" in row and row.endswith("]") for row in rows)


def test_signatures_say_where_links_come_from(suite, wrong, tmp_path):
    corpus = [tmp_path / "c.en", tmp_path / "c.fr"]
    for path in corpus:
        path.write_text("It rains .\n", "utf-8")
    larger = f"--align-with {corpus[0]} {corpus[1]}"
    found = [signatures(suite, wrong, options)[0] for options in (OWN_LINKS, "", larger)]
    corpus[1].write_text("Il pleut .\n", "utf-8")
    own = f"{OWN_LINKS} --source {FOLDER}/text.en"
    found += [signatures(suite, wrong, options)[0] for options in (larger, own)]
    assert len(set(found)) == 5
    for text, part in zip(
        found, ("|links:given|source:suite|", "|links:aligned|", "|links:aligned+1."), strict=False
    ):
        assert part in text
    refused(f"score {suite} --candidate {wrong} {OWN_LINKS} {larger}")


def test_signatures_say_which_verdicts_silver_and_lists(suite, wrong, tmp_path):
    silver = tmp_path / "silver.tsv"
    found = set()
    for word in ("ça", "ceci"):
        silver.write_text(f"token\tpronoun\thead\tremark\ntalk1:word_29\t{word}\t\t\n", "utf-8")
        automatic, both = signatures(suite, wrong, f"{OWN_LINKS} --silver {silver}")
        found.add(both)
        assert "|silver:1." in both
        assert "silver" not in automatic
    assert len(found) == 2
    lists = tmp_path / "fr.yaml"
    shipped = CONF_DIR / "words" / "protest" / "fr.yaml"
    lists.write_text(shipped.read_text("utf-8").replace("ceci", "ceça"), "utf-8")
    other = signatures(suite, wrong, f"{OWN_LINKS} --target-language {lists}")
    assert other != signatures(suite, wrong)


def test_score_lists_every_problem_before_any_score(suite, tmp_path):
    (tmp_path / "short").write_text("x\n", "utf-8")
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[5] += " 99-99"
    (tmp_path / "links").write_text("\n".join(links) + "\n", "utf-8")
    files = f"{tmp_path}/short --candidate {REFERENCE}" + f" --candidate-links {tmp_path}/links" * 2
    told = refused(f"score {suite} --candidate {files} -o {tmp_path}/report")
    assert "short:2: lines:" in told
    assert "links:6: links:" in told
    assert not (tmp_path / "report").exists()


def test_an_empty_suite_and_texts_that_are_not_there(tmp_path):
    (tmp_path / "empty").write_text("")
    told = refused(f"score {tmp_path}/empty --candidate {tmp_path}/none --candidate {REFERENCE}")
    names = [line.rpartition("/")[2].split(":")[0] for line in told.splitlines()]
    assert names == ["empty", "none"]


def test_an_output_that_cannot_be_written_stops_everything(suite, wrong, tmp_path):
    silver, detail = tmp_path / "s.tsv", tmp_path / "d.tsv"
    line = f"score {suite} --candidate {wrong} {OWN_LINKS} --save-silver {silver}"
    assert "none/x" in refused(f"{line} --detail {detail} -o {tmp_path}/none/x")
    assert not silver.exists()
    assert not detail.exists()
    refused(f"{line} --detail {silver}")


def test_a_page_beside_the_tables(suite, tmp_path):
    page = tmp_path / "page.html"
    line = f"score {suite} --candidate {REFERENCE} {OWN_LINKS} --resamples 20"
    assert protest(f"{line} --html {page}")[0] == protest(line)[0]
    data, _ = check_page(page.read_text("utf-8"))
    assert len(data["examples"]) == 14  # without repair of links, which is not the default
    assert outcome(f"{line} --html {tmp_path}/none/page.html").code == 2


def test_every_token_is_in_the_details(suite, wrong, tmp_path):
    for name, count in (("d.tsv", 15), ("d.json", 14 * 14 + 2)):
        scores(suite, wrong, options=f"--detail {tmp_path / name}")
        assert len((tmp_path / name).read_text("utf-8").splitlines()) == count
