"""How bundled models are made: from nothing that is tested on, by steps in order."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from zlib import crc32

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.scripts.reproduce import models
from crosspro.scripts.reproduce.models import (
    KEPT_OF,
    RECIPES,
    Stage,
    app,
    make_stages,
    set_stages,
    split_single_gaps,
    thinned,
    training_stages,
)
from crosspro.scripts.reproduce.unseen import kept_lines, unseen_letters

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
    unseen = unseen_letters(tmp_path)
    assert unseen_letters(tmp_path, jobs=2) == unseen
    wanted = {letters(f"{LONG} {end}") for end in ("in dev", "after it", "first", "second")}
    wanted |= {letters("pos192210" + f"{LONG} in a subtitle"), letters(f"{LONG} beside a")}
    assert wanted | {letters("this line is long enough and marked")} <= unseen
    assert not {letters(f"{LONG} in train"), "short"} & unseen


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


def test_steps_come_after_what_they_need_and_share_the_processes(tmp_path, monkeypatch):
    begun: dict[str, Stage] = {}
    monkeypatch.setattr(models, "check_needs", lambda *needs: None)
    monkeypatch.setattr(models, "make_stages", lambda work, stages, jobs: begun.update(stages))
    for pair, language in (("en-fr", "fr"), ("en-de", "de"), ("en-es", "es"), ("en-fr", "en")):
        (tmp_path / "bitext" / pair / "train").mkdir(parents=True, exist_ok=True)
        write(tmp_path / f"monolingual/novels.{language}.txt.xz", "")
    several = ["en-de", "de-en", "en-fr"]
    for chosen, of_text, of_model in ((["en-de"], 16, 16), (several, 8, 5), ([], 5, 2)):
        begun.clear()
        options = [word for name in chosen for word in ("--model", name)]
        options += ["--corpora", str(tmp_path), "--jobs", "16"]
        CliRunner().invoke(app, ["make", str(tmp_path), *options])
        shares = {"text.en-de": of_text, "data.en-de": of_model, "set.en-de": of_model}
        assert {title: begun[title].command[-2:] for title in shares} == {
            title: ("--jobs", str(share)) for title, share in shares.items()
        }
        titles = list(begun)
        for title, stage in begun.items():
            assert all(titles.index(need) < titles.index(title) for need in stage.after)
        assert {f"archive.{name}" for name in chosen or RECIPES} < set(begun)


def test_a_student_of_other_sizes_has_them_from_its_pretraining_on(tmp_path):
    stages = training_stages(tmp_path, "en-de")
    words = {title: set(stage.command) for title, stage in stages.items()}
    tiny, student = words["pretrained.en-de.tiny"], words["distilled.en-de"]
    assert {f"network.{size}" for size in RECIPES["en-de"].sizes} <= tiny
    assert {f"system.network.{size}" for size in RECIPES["en-de"].sizes} <= student
    assert {"--recipe", "tiny_documents", "trainer.max_epochs=100"} <= tiny
    assert {"experiment=document_distilled", "trainer.max_epochs=5"} <= student
    tuned = tuple(f"tuned.en-de.{seed}" for seed in (1, 2, 3, 4))
    assert stages["teacher.en-de"].after == tuned
    first = [stages[title].after for title in tuned]
    assert first == [(f"pretrained.en-de.{seed}",) for seed in (1, 2, 3, 1)]
    assert not any("layers" in word for word in words["pretrained.en-de.3"])


def test_finished_steps_stay_and_failed_ones_stop_what_needs_them(tmp_path):
    def append(text, status=0):
        code = f"open(r'{tmp_path / 'ran'}', 'a').write('{text}'); raise SystemExit({status})"
        return (sys.executable, "-c", code)

    stages = {
        "a": Stage(append("a")),
        "b": Stage(append("b", 1), ("a",)),
        "c": Stage(append("c"), ("b",)),
    }
    assert not make_stages(tmp_path, stages, 2)
    assert (tmp_path / "ran").read_text() == "ab"
    assert make_stages(tmp_path, {**stages, "b": Stage(append("B"), ("a",))})
    assert (tmp_path / "ran").read_text() == "abBc"


@pytest.mark.parametrize("name", ["en-de", "xx"])
def test_missing_corpora_and_unknown_models_are_refused(tmp_path, name):
    words = ["make", str(tmp_path), "--corpora", str(tmp_path), "--model", name]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, InputError)
    assert not (tmp_path / "log").exists()


def subtitle(number: int, label: str, following: str) -> Example:
    source = ("line", str(number), ":", "I", "see", "it", following)
    target = ("Zeile", str(number), ":", "ich", "sehe", "REPLACE_5", following)
    gaps = (Gap(5, 5, label, label),)
    return Example(source, target, None, tuple((n, n) for n in range(7)), gaps, "d")


def test_gaps_that_subtitles_have_too_many_of_are_fewer():
    overdone = frozenset({"ihn"})
    kept = [thinned(subtitle(n, "ihn", "."), overdone) for n in range(300)]
    share = sum(bool(line.gaps) for line in kept) / 300
    assert 0.5 / KEPT_OF < share < 2 / KEPT_OF
    assert all(line.target[5] == "ihn" for line in kept if not line.gaps)
    assert all(thinned(subtitle(n, "es", "."), overdone).gaps for n in range(30))
    assert all(thinned(subtitle(n, "ihn", "works"), overdone).gaps for n in range(30))


LINES = """\
\t\tA house .\tUne maison .\t0-0 1-1
elle\tElle\tIt burns .\tREPLACE_0 brûle .\t0-0 1-1 2-2
elle il\telle il\tIt falls if it rains\tREPLACE_0 tombe s' REPLACE_3 pleut\t0-0 1-1 2-2 3-3 4-4
OTHER elle\tNONE elle\tNow it is where it was\tici REPLACE_1 là où REPLACE_4 était\t0-0 3-3 5-5
"""


@pytest.mark.parametrize(("context", "lines_before"), [(1, [1, 1, 1, 1]), (0, [0] * 4)])
def test_each_gap_of_some_documents_is_one_of_development(tmp_path, context, lines_before):
    task, data = load_task("en-fr-2015"), tmp_path / "train.film.data"
    taken, other = (
        next(f"d{n}" for n in range(99) if (crc32(f"d{n}".encode()) % 4 == 0) == chosen)
        for chosen in (True, False)
    )
    data.write_text(LINES + LINES, "utf-8")
    data.with_suffix(".doc-ids").write_text("\n".join([taken] * 4 + [other] * 4) + "\n", "utf-8")
    split_single_gaps(data, task, parts=4, context=context)
    for part, document in (("train", other), ("unseen", taken)):
        assert (tmp_path / f"{part}.film.data").read_text("utf-8") == LINES
        assert set((tmp_path / f"{part}.film.doc-ids").read_text().split()) == {document}
    dev = list(read_examples(tmp_path / "dev.film.data", task, tmp_path / "dev.film.doc-ids"))
    labels = ["elle", "elle", "il", "elle"]
    assert [gap.label for line in dev for gap in line.gaps] == labels
    documents = [line.document for line in dev]
    assert [documents.count(f"{taken}#{n}") - 1 for n in (1, 2, 3, 4)] == lines_before
    assert dev[-1].target == ("ici", "là", "où", "REPLACE_4", "était")


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
    stages = set_stages(work, corpora, "en-de")
    text = {title: stage for title, stage in stages.items() if title == "text.en-de"}
    assert make_stages(work, text), "".join(path.read_text() for path in work.glob("log/*"))
    assert (work / "text/en-de.prior.npz").is_file()
    (log,) = work.glob("log/text.*")
    aligned = [line for line in log.read_text("utf-8").splitlines() if "crosspro align " in line]
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
    contents = []
    for jobs in (1, 3):
        result = runner.invoke(app, ["data", str(work), "en-de", "--jobs", str(jobs)])
        assert result.exit_code == 0, result.output
        contents.append({path.name: path.read_bytes() for path in work.glob("data/en-de/*")})
    assert contents[0] == contents[1]
    made = {path.name for path in (work / "data/en-de").glob("*.data")}
    single = {f"{split}.opensubs_ctxpro_devtest.data" for split in ("train", "dev", "unseen")}
    assert made > single | {"test.dialogue.data", "test.subtitles.data", "test.ted_tst2015.data"}
