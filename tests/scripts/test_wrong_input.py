"""Files of the right format that are not what the user thinks: an error or a clear warning."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crosspro.data_prep.bitext.segment import exchanged
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import OTHER, load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import Splits, file_splits, leaks
from crosspro.data_prep.sample import TASKS, sample_path
from tests.conftest import GOLDEN
from tests.evaluation.folder_report.folders import make_folder
from tests.scripts.apt_files import APT, options
from tests.scripts.run import crosspro

GOLD = GOLDEN / "scorer" / "en-fr_random" / "gold.tsv"
SUBMISSION = GOLDEN / "scorer" / "en-fr_random" / "pred.tsv"
MODEL = GOLDEN / "lm_baseline" / "toy.fr.arpa"


@pytest.fixture
def inflected(tmp_path):
    path = tmp_path / "inflected.data"
    line = "elle\telle\tThe car is red and it runs .\tla voiture est rouge et REPLACE_5 .\t0-0\n"
    path.write_text(line * 10, "utf-8")
    return path


@pytest.fixture
def lemmatised(tmp_path, en_fr):
    path = tmp_path / "lemmatised.data"
    write_examples(path, demo_examples(en_fr, "train", 3))
    return path


WORDS = b"target: expected lemma|TAG as in en-fr, found inflected words as in en-fr-2015"
LEMMAS = b"target: expected inflected words as in en-fr-2015, found lemma|TAG as in en-fr"


def test_the_form_of_the_target_is_that_of_the_task(inflected, lemmatised):
    for path, right, wrong, problem in (
        (inflected, "en-fr-2015", "en-fr", WORDS),
        (lemmatised, "en-fr", "en-fr-2015", LEMMAS),
    ):
        assert crosspro("check", path, "--task", right).code == 0
        refused = crosspro("check", path, "--task", wrong)
        assert refused.code == 1
        assert problem in refused.stdout
        lenient = crosspro("check", path, "--task", wrong, "--lenient")
        assert lenient.code == 0
        assert b"warning: " in lenient.stderr
        for command in (("evaluate", path, path), ("fill", path, "--lm", MODEL)):
            assert problem not in crosspro(*command, "--task", right).stderr
            warned = crosspro(*command, "--task", wrong)
            assert warned.code == 0
            assert problem in warned.stderr


def test_training_refuses_the_other_form(inflected, en_fr):
    names = (inflected.name,) * 3
    with pytest.raises(InputError, match="found inflected words"):
        file_splits(en_fr, inflected.parent, *names)
    assert file_splits(en_fr, inflected.parent, *names, lenient=True).train


def forms(task):
    return {form for name, words in task.forms.items() if name != OTHER for form in words}


@pytest.mark.parametrize("name", TASKS)
def test_exchanged_sides_are_told_by_their_pronouns(name):
    task = load_task(name)
    source, target = (
        [line.split() for line in sample_path(f"sample.{language}").read_text("utf-8").splitlines()]
        for language in name.split("-")
    )
    assert not exchanged(source, target, task.source_pronouns, forms(task))
    assert exchanged(target, source, task.source_pronouns, forms(task))
    assert not exchanged([], [], task.source_pronouns, forms(task))


@pytest.mark.parametrize("name", TASKS)
def test_prepare_refuses_exchanged_sides_before_it_works(name, tmp_path):
    source, target = name.split("-")
    result = crosspro("prepare", "--task", name, "-o", tmp_path / "out",
                      "--source", sample_path(f"sample.{target}"),
                      "--target", sample_path(f"sample.{source}"),
                      "--annotator", f"tokens:{sample_path('sample.en')}",
                      "--source-annotator", f"tokens:{sample_path('sample.en')}")  # fmt: skip
    assert result.code == 2
    told = f"expected text in {source}, as {name} is {source} to {target}, found pronouns of "
    assert f"{told}{target}: source and target look exchanged" in result.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_exchanged_sides_are_told_without_the_pronouns_of_the_task(tmp_path):
    sides = {"s": "je vous ai dit la vérité\n", "t": "I told you the truth myself\n"}
    for name, line in sides.items():
        (tmp_path / name).write_text(line * 3, "utf-8")
    result = crosspro("prepare", "--task", "en-fr-2015", "--source", tmp_path / "s",
                      "--target", tmp_path / "t", "-o", tmp_path / "out")  # fmt: skip
    assert result.code == 2
    assert b"source and target look exchanged" in result.stderr


def test_apt_says_that_source_and_reference_are_exchanged(tmp_path):
    """Of languages without frequent words, or that nobody says, pronouns tell it."""
    lists = "source_pronouns: [it, they, he]\ntarget_pronouns: [il, ils, elle, elles]\n"
    (tmp_path / "own.yaml").write_text(lists, "utf-8")
    own = ("--resamples", 0, "--pronouns", tmp_path / "own.yaml")
    ours = {"links": None, "candidate_links": None}
    right = crosspro("apt", *options(**ours), *own)
    assert b"exchanged" not in right.stderr
    files = {"source": APT / "ref.fr", "reference": APT / "src.en", "candidate": APT / "src.en"}
    wrong = crosspro("apt", *options(**files, **ours), *own)
    assert b"source and reference look exchanged" in wrong.stderr


NO_LINKS = {"links": None, "candidate_links": None}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("apt", *options(pronouns="en-de")), "ref.fr: language: expected text in de, found a n"),
        (("autoprf", *options(pronouns="en-de")), "mt.fr: language: expected text in de, found a"),
        (
            ("apt", *options(source=APT / "ref.fr", reference=APT / "src.en", **NO_LINKS)),
            "mt.fr: language: expected text in en, found a name that ends in fr",
        ),
        (
            ("pronoun-f1", "-l", "en", "--reference", APT / "ref.fr", "--candidate", APT / "mt.fr"),
            "mt.fr: language: expected text in en, found a name that ends in fr",
        ),
    ],
)
def test_names_that_say_another_language_are_refused(arguments, told):
    result = crosspro(*arguments)
    assert (result.code, result.stdout) == (2, b"")
    assert told in result.stderr.decode()


@pytest.mark.parametrize("command", ["apt", "autoprf", "pronoun-f1", "mt-metrics"])
@pytest.mark.parametrize("place", ["reference", "candidate"])
def test_translations_in_another_language_are_refused(command, place, tmp_path):
    shutil.copy(APT / "src.en", tmp_path / "english.fr")
    if command == "mt-metrics":
        pytest.importorskip("sacrebleu")
    files = {"reference": APT / "ref.fr", "candidate": APT / "mt.fr"}
    files |= {place: tmp_path / "english.fr"}
    options = [one for name, path in files.items() for one in (f"--{name}", path)]
    options += ["--source", APT / "src.en"] if command in ("apt", "autoprf") else []
    options += ["-l", "fr"] if command == "pronoun-f1" else []
    result = crosspro(command, *options, "--resamples", 0)
    assert (result.code, result.stdout) == (2, b"")
    told = f"{tmp_path}/english.fr: language: expected text in fr, found what looks like en\n"
    assert result.stderr.decode() == told


@pytest.mark.parametrize("name", ["outputs/mt.fr", "reference.fr", "source.en"])
def test_a_report_on_texts_in_another_language_is_refused(name, tmp_path):
    folder = make_folder(tmp_path / "folder")
    for path in [*folder.glob("*.links"), *folder.glob("*/*.links")]:
        path.unlink()
    right = ("fr", "en") if name.endswith("fr") else ("en", "fr")
    shutil.copy(APT / ("ref.fr" if right[1] == "fr" else "src.en"), folder / name)
    result = crosspro("report", folder)
    told = f"{folder}/{name}: language: expected text in {right[0]}, found what looks like "
    assert (result.code, result.stdout) == (2, b"")
    assert result.stderr.decode().splitlines()[1:] == [f"{told}{right[1]}"]
    assert not (folder / "report").exists()


def submission(tmp_path, form):
    """The predictions in one column, or in five: without words, with their own, or with gold's."""
    predicted = [line.split("\t")[0] for line in SUBMISSION.read_text("utf-8").splitlines()]
    lines = []
    for number, line in enumerate(GOLD.read_text("utf-8").splitlines()):
        label, words, rest = line.split("\t", 2)
        if form != "mostly right" or number < 20:
            label = predicted[number]
        if form == "no words" or (form == "few words" and number % 3):
            words = ""
        words = label if form == "labels again" else words
        lines.append(label if form == "labels" else f"{label}\t{words}\t{rest}")
    path = tmp_path / "submission"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def assert_gold_comes_first(gold, path, task):
    right = crosspro("evaluate", gold, path, "--task", task, "--resamples", 0)
    assert right.code == 0
    assert b"gold comes first" not in right.stderr
    wrong = crosspro("evaluate", path, gold, "--task", task, "--resamples", 0)
    expected = f"{gold} looks like the gold file and {path} like a submission"
    assert expected in wrong.stderr.decode()


FORMS = ["labels", "labels again", "no words", "few words", "words of gold", "mostly right"]


@pytest.mark.parametrize("form", FORMS)
def test_gold_comes_first(tmp_path, form):
    assert_gold_comes_first(GOLD, submission(tmp_path, form), "en-fr")


@pytest.mark.parametrize("task", ["en-fr", "en-fr-2015"])
@pytest.mark.parametrize("others", ["", "celui-ci\nqui\n"])
def test_gold_comes_before_what_a_language_model_fills(tmp_path, task, others):
    gold, filled, words = (tmp_path / name for name in ("test.data", "filled.data", "others"))
    words.write_text(others, "utf-8")
    write_examples(gold, demo_examples(load_task(task), "test", 20))
    options = ["--other-fillers", words] if others else []
    made = crosspro("fill", gold, "--task", task, "--lm", MODEL, "-o", filled, *options)
    assert made.code == 0, made.stderr
    assert_gold_comes_first(gold, filled, task)


def test_gold_whose_words_have_no_tags_is_gold_still(tmp_path):
    tagged, bare = tmp_path / "tagged.data", tmp_path / "bare.data"
    examples = demo_examples(load_task("en-fr"), "test", 20)
    write_examples(tagged, examples)
    lines = [line.split("\t") for line in tagged.read_text("utf-8").splitlines()]
    for line in lines:
        line[1] = " ".join(word.split("|")[0] for word in line[1].split())
    bare.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    for gold, other in ((bare, tagged), (tagged, bare)):
        result = crosspro("evaluate", gold, other, "--task", "en-fr", "--resamples", 0)
        assert result.code == 0
        assert b"gold comes first" not in result.stderr


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for pipes")
def test_gold_may_come_through_a_pipe():
    inside, outside = os.pipe()
    with os.fdopen(outside, "wb") as handle:
        handle.write(b"ce\tce\tIt is .\tREPLACE_0 est .\t0-0\n")
    command = [sys.executable, "-m", "crosspro.scripts.main", "evaluate", f"/dev/fd/{inside}", GOLD]
    options = ["--task", "en-fr", "--resamples", "0", "--lenient"]
    made = subprocess.run([*command, *options], pass_fds=[inside], capture_output=True, check=False)
    os.close(inside)
    assert made.returncode == 0
    assert b"the last 399 lines are ignored" in made.stderr


def test_a_data_file_is_no_list_of_documents():
    for command in (("check", GOLD), ("evaluate", GOLD, GOLD)):
        result = crosspro(*command, "--task", "en-fr", "--doc-ids", GOLD)
        assert result.code
        assert b"expected the id of a document, found a line of a data file" in (
            result.stdout + result.stderr
        )


def test_a_blind_file_is_no_gold(tmp_path):
    path = tmp_path / "x.blind.data"
    lines = GOLD.read_text("utf-8").splitlines()
    path.write_text("".join("\t\t" + line.split("\t", 2)[2] + "\n" for line in lines), "utf-8")
    result = crosspro("evaluate", path, GOLD, "--task", "en-fr")
    assert result.code == 2
    problems = [line for line in result.stderr.decode().splitlines() if "expected" in line]
    assert len(problems) == 1
    assert re.search("expected gold labels, found none .* this is a blind file", problems[0])


def test_noise_is_one_problem_for_every_command(tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(256)) * 50)
    for command in (
        ("check", path),
        ("evaluate", path, GOLD),
        ("evaluate", GOLD, path),
        ("stats", path),
        ("fill", path, "--lm", MODEL),
    ):
        result = crosspro(*command, "--task", "en-fr")
        assert result.code
        shown = (result.stdout + result.stderr).decode()
        assert shown.count("expected") == 1
        assert "expected text, found binary data" in shown
    shown = crosspro("apt", *options(reference=path)).stderr.decode()
    assert shown.count("noise: file: expected text, found binary data") == 1


def test_an_empty_file_has_no_statistics(tmp_path):
    (tmp_path / "x.data").touch()
    result = crosspro("stats", tmp_path / "x.data", "--task", "en-fr")
    assert result.code == 2
    assert b"expected at least one line" in result.stderr


def test_text_that_is_learnt_from_is_no_test(en_fr):
    train, dev, test = (demo_examples(en_fr, name, 10) for name in ("train", "dev", "test"))
    assert leaks(Splits(train, dev, {"test": test})) == []
    all_same = leaks(Splits(train, train, {"a": test, "b": train}))
    assert [re.split(": .* in (train|dev) too", one)[:2] for one in all_same] == [
        ["dev", "train"],
        ["b", "train"],
        ["b", "dev"],
    ]
    assert f"{len(train)} of its {len(train)} lines (100%)" in all_same[0]


@pytest.mark.parametrize("task", ["en-fr", "de-en", "es-en", "en-fr-2015"])
def test_the_demo_corpus_leaks_nothing(task):
    rules = load_task(task)
    train, dev, test = (demo_examples(rules, name, 60) for name in ("train", "dev", "test"))
    assert leaks(Splits(train, dev, {"test": test})) == []
