"""What the bundled models may learn from: nothing that is tested on."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.core.example import Example, Gap
from crosspro.scripts.reproduce import models
from crosspro.scripts.reproduce.models import (
    BOX,
    KEPT_OF,
    Until,
    _steps,
    app,
    kept_lines,
    thinned,
    unseen_letters,
)

LONG = "this line is long enough to be known again"


def write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf-8") as handle:
        handle.writelines(f"{line}\n" for line in lines)


def letters(line: str) -> str:
    return "".join(filter(str.isalnum, line))


def test_unseen_text_is_that_of_dev_and_test_and_of_the_sets_for_tests(tmp_path):
    write(tmp_path / "bitext/en-fr/train/a.en.xz", f"{LONG} in train")
    write(tmp_path / "bitext/en-fr/dev/a.en.xz", f"{LONG} in dev", "short")
    subtitle = f"{{\\pos(192,210)}}{LONG} in a subtitle"
    write(tmp_path / "bitext/en-de/test/b.de.xz", f"{LONG} of test. {LONG} after it", subtitle)
    write(tmp_path / "contrastive/c.tsv.xz", f"1\t{LONG} first\t{LONG} second")
    marked = {"en": "this line is <hon>long</hoff> enough and marked", "distance": 3}
    write(tmp_path / "antecedents/d.jsonl.xz", json.dumps(marked))
    (tmp_path / "verdicts").mkdir()
    with lzma.open(tmp_path / "verdicts/scores.txt.xz", "wb") as handle:
        handle.write(f"{LONG} beside \xe7a\n".encode("latin-1"))
    found = unseen_letters(tmp_path)
    assert unseen_letters(tmp_path, jobs=2) == found
    wanted = ("in dev", "after it", "first", "second")
    assert letters("pos192210" + f"{LONG} in a subtitle") in found
    assert letters(f"{LONG} beside a") in found
    assert {letters(f"{LONG} {end}") for end in wanted} <= found
    assert letters("this line is long enough and marked") in found
    assert letters(f"{LONG} in train") not in found
    assert "short" not in found


def test_lines_and_documents_that_are_tested_on_are_left_out_and_some_held_out():
    unseen = {letters(f"{LONG} {number}") for number in range(4)}
    lines = [
        ("train.ted.1", "seen", f"{LONG} alone"),
        ("train.ted.2", f"{LONG} 1", f"{LONG} 2"),
        ("train.ted.2", f"{LONG} 3", "a translation"),
        ("train.ted.2", "the rest of a document", "that has many such lines"),
        ("train.ted.3", f"{LONG} and news", "which a held-out document has"),
        ("train.chat22_test.7", f"{LONG} and news", "held out"),
        ("train.newstest_nodocs.8", f"{LONG} of another", "year"),
        ("dev.ted.9", f"{LONG} 1", f"{LONG} 2"),
    ]
    names = [name for name, _, _ in lines]
    sides = [(letters(source), letters(target)) for _, source, target in lines]
    renamed, kept = kept_lines(names, sides, unseen)
    assert kept == [True, False, False, False, False, True, False, True]
    assert renamed[5] == "test.dialogue.chat22_test.7"
    assert [name for name in renamed if name not in names] == [renamed[5]]


def test_every_step_of_every_model_comes_after_steps_that_there_are(tmp_path):
    for name in BOX:
        steps = _steps(tmp_path, tmp_path, name, Until.MODELS)
        assert {title for step in steps.values() for title in step.after} <= set(steps)
        assert f"archive.{name}" in steps
        assert set(_steps(tmp_path, tmp_path, name, Until.SETS)) < set(steps)


def test_models_that_are_made_together_share_the_processes(tmp_path, monkeypatch):
    begun = {}
    monkeypatch.setattr(models, "make_stages", lambda work, steps, jobs: begun.update(steps) or [])
    given = ["make", str(tmp_path), "--corpora", str(tmp_path), "--jobs", "16"]
    several = ["en-de", "de-en", "en-fr"]
    for chosen, of_text, of_model in ((["en-de"], 16, 16), (several, 8, 5), ([], 5, 2)):
        begun.clear()
        how = [word for name in chosen for word in ("--model", name)]
        assert CliRunner().invoke(app, [*given, *how]).exit_code == 0
        shares = {"text.en-de": of_text, "data.en-de": of_model, "set.en-de": of_model}
        for title, processes in shares.items():
            ((*_, option, found),) = begun[title].commands
            assert (option, found) == ("--jobs", str(processes))


def test_a_student_of_other_sizes_has_them_from_its_pretraining_on(tmp_path):
    steps = _steps(tmp_path, tmp_path, "en-de", Until.MODELS)
    sizes = {"layers=5", "source_before=50", "source_after=20", "target_before=70"}
    sizes.add("target_after=20")
    words = {title: set(step.commands[0]) for title, step in steps.items()}
    tiny, student = words["pretrained.en-de.tiny"], words["distilled.en-de"]
    assert {f"network.{one}" for one in sizes} <= tiny
    assert {f"system.network.{one}" for one in sizes} <= student
    assert {"tiny_documents", "trainer.max_epochs=100"} <= tiny
    assert {"experiment=document_distilled", "trainer.max_epochs=5"} <= student
    tuned = tuple(f"tuned.en-de.{seed}" for seed in (1, 2, 3, 4))
    assert steps["teacher.en-de"].after == tuned
    begun = [steps[one].after for one in tuned]
    assert begun == [(f"pretrained.en-de.{seed}",) for seed in (1, 2, 3, 1)]
    large = words["pretrained.en-de.3"]
    assert "trainer.max_epochs=100" in large
    assert not any("layers" in word for word in large)
    french = _steps(tmp_path, tmp_path, "en-fr", Until.MODELS)["distilled.en-fr"].commands[0]
    assert not any("layers" in word for word in french)


def subtitle(number: int, label: str, following: str) -> Example:
    source = ("line", str(number), ":", "I", "see", "it", following)
    target = ("Zeile", str(number), ":", "ich", "sehe", "REPLACE_5", following)
    gaps = (Gap(5, 5, label, label),)
    return Example(source, target, None, tuple((n, n) for n in range(7)), gaps, "d")


def test_what_subtitles_have_too_much_of_is_asked_for_less_often():
    overdone = frozenset({"ihn"})
    kept = [thinned(subtitle(n, "ihn", "."), overdone) for n in range(300)]
    share = sum(bool(line.gaps) for line in kept) / 300
    assert 0.5 / KEPT_OF < share < 2 / KEPT_OF
    assert all(line.target[5] == "ihn" for line in kept if not line.gaps)
    assert all(thinned(subtitle(n, "es", "."), overdone).gaps for n in range(30))
    assert all(thinned(subtitle(n, "ihn", "works"), overdone).gaps for n in range(30))


NOUNS = (("dog", "Der Hund", "er", "ihn"), ("lamp", "Die Lampe", "sie", "sie"),
         ("house", "Das Haus", "es", "es"))  # fmt: skip


def pair_of(number: int) -> list[tuple[str, str]]:
    """Two sentences and their translations, which no other number has."""
    noun, translated, subject, complement = NOUNS[number % len(NOUNS)]
    return [
        (f"The {noun} number {number} is here today .", f"{translated} Nummer {number} ist hier ."),
        (f"We think it is {number} years old and see it .",
         f"Wir denken , {subject} ist {number} Jahre alt und sehen {complement} ."),
    ]  # fmt: skip


@pytest.mark.slow
def test_examples_are_made_from_a_folder_of_corpora(tmp_path):
    corpora, numbers = tmp_path / "corpora", iter(range(10_000))
    names = ("opensubs_ctxpro_dev", "opensubs_ctxpro_devtest", "europarl", "chat22_test")
    files = [("train", name) for name in names]
    for split, name in [*files, ("dev", "ted_dev2010"), ("test", "ted_tst2015")]:
        lines = [pair_of(next(numbers)) for _ in range(60)]
        for side, suffix in enumerate(("en", "de")):
            text = [pair[side] for document in lines for pair in document]
            write(corpora / f"bitext/en-de/{split}/{name}.{suffix}.xz", *text)
        ids = [f"{name}.{number // 3}" for number in range(60) for _ in range(2)]
        write(corpora / f"bitext/en-de/{split}/{name}.doc-ids.xz", *ids)
    work = tmp_path / "work"
    runner = CliRunner()
    given = ["make", str(work), "--corpora", str(corpora), "--model", "en-de", "--until", "text"]
    result = runner.invoke(app, given)
    assert result.exit_code == 0, "".join(path.read_text() for path in work.glob("log/*"))
    assert (work / "text/en-de.prior.npz").is_file()
    (log,) = work.glob("log/text.*")
    aligned = [line for line in log.read_text("utf-8").splitlines() if ".main align " in line]
    assert ["--save-prior" in line for line in aligned] == [True, False], "it learns once"
    assert "--prior" in aligned[1]
    sides = {name: (work / f"text/en-de.{name}").read_text("utf-8").splitlines()
             for name in ("en", "de", "links", "doc-ids")}  # fmt: skip
    assert len({len(lines) for lines in sides.values()}) == 1
    for source, target, links, _ in zip(*sides.values(), strict=True):
        linked = {tuple(map(int, link.split("-"))) for link in links.split()}
        assert {(source.split()[left], target.split()[right]) for left, right in linked} > {
            (".", "."), *(("number", "Nummer") for _ in range("number" in source))}  # fmt: skip
    assert {name.split(".")[0] for name in sides["doc-ids"]} == {"train", "dev", "test"}
    found = []
    for jobs in (1, 3):
        result = runner.invoke(app, ["data", str(work), "en-de", "--jobs", str(jobs)])
        assert result.exit_code == 0, result.output
        found.append({path.name: path.read_bytes() for path in work.glob("data/en-de/*")})
    assert found[0] == found[1]
    made = {path.name for path in (work / "data/en-de").glob("*.data")}
    tests = {"test.dialogue.data", "test.subtitles.data", "test.ted_tst2015.data"}
    single = {f"{split}.opensubs_ctxpro_devtest.data" for split in ("train", "dev", "unseen")}
    assert made > tests | single
