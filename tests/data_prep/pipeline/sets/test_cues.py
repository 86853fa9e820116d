"""What a guard says of data whose labels are given away by what is no language."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.gaps.extract import Placement, make_example
from crosspro.data_prep.pipeline.sets.cues import (
    CUES,
    cue_differences,
    cue_report,
    cue_strengths,
    gap_cues,
)
from crosspro.data_prep.pipeline.sets.splits import Splits

TASKS = ("en-fr", "en-de", "de-en", "fr-en", "es-en", "en-fr-2015")
OFFICIAL = {
    "DiscoMT2015.test.en-fr.gold": "DiscoMT2015.test.en-fr",
    "TEDdev.en-fr": "TEDdev.en-fr",
}


def without_links(example):
    """The example as it was made before placeholders for nothing were linked to their pronoun."""
    empty = {gap.position for gap in example.gaps if gap.word == "NONE"}
    return replace(example, links=tuple(link for link in example.links if link[1] not in empty))


def with_links(example):
    """The example with a link from each placeholder that has none to its source word."""
    linked = {target for _, target in example.links}
    own = [(gap.source_index, gap.position) for gap in example.gaps if gap.position not in linked]
    return replace(example, links=(*example.links, *own))


def official(folder, name):
    documents = folder / f"{OFFICIAL[name]}.doc-ids.xz"
    path = folder / f"{name}.data.xz"
    return list(read_examples(path, load_task("en-fr-2015"), documents))


def strengths(examples, task):
    return {one.cue: one for one in cue_strengths(gap_cues(examples, task))}


def differences(examples, train, task):
    found = cue_differences(gap_cues(examples, task), gap_cues(train, task))
    return {one.cue: one for one in found}


def drawn(task, choose, number=600, documents=60, seed=1):
    """Lines of one gap, whose length, place, source word, links and class `choose` draws."""
    random = Random(seed)
    examples = []
    for line in range(number):
        made = {"length": 12, "place": 4, "source": "it", "links": 1, "label": "il"}
        made["document"] = f"talk-{line * documents // number}"
        made |= choose(random, made["document"])
        target = ["x"] * made["length"]
        target[made["place"]] = "REPLACE_0"
        links = tuple((source, made["place"]) for source in range(made["links"]))
        gap = Gap(made["place"], 0, made["label"], made["label"])
        source = (made["source"], "y", "z", "!")
        examples.append(
            Example.of_tokens(source, tuple(target), links, (gap,), made["document"], False)
        )
    return examples


def any_class(random):
    return random.choice(["il", "elle", "ils", "elles", "OTHER"])


@pytest.mark.parametrize("name", OFFICIAL)
def test_official_files_give_nothing_away(discomt2015, en_fr_2015, name):
    found = strengths(official(discomt2015, name), en_fr_2015)
    assert list(found) == list(CUES)
    assert not [one.warning for one in found.values() if one.warning]
    assert found["links"].strength < 0.05
    assert found["source"].strength > found["position"].strength
    assert {one.prior for one in found.values()} == {1 / 9}


@pytest.mark.parametrize(
    ("name", "gaps", "of_other"),
    [("DiscoMT2015.test.en-fr.gold", 159, 0.445), ("TEDdev.en-fr", 127, 0.457)],
)
def test_official_files_whose_empty_gaps_lose_their_link_give_other_away(
    discomt2015, en_fr_2015, name, gaps, of_other
):
    examples = official(discomt2015, name)
    found = strengths(map(without_links, examples), en_fr_2015)
    given = found["links"].given_away
    assert (given.value, given.label) == ("without a link", "OTHER")
    assert (given.gaps, given.right) == (gaps, gaps)
    assert given.of_class == pytest.approx(of_other, abs=0.001)
    assert "a gap without a link is OTHER in 100.0 of 100 cases (4" in found["links"].warning
    assert not [one.cue for one in found.values() if one.warning and one.cue != "links"]


def test_training_data_without_these_links_differs_from_an_official_file(discomt2015, en_fr_2015):
    test, dev = (official(discomt2015, name) for name in OFFICIAL)
    clean = differences(dev, test, en_fr_2015)
    assert not [one.warning for one in clean.values() if one.warning]
    found = differences(dev, map(without_links, test), en_fr_2015)
    assert [one.cue for one in found.values() if one.warning] == ["links"]
    assert "0.0% of gaps are without a link, in train 14.4%" in found["links"].warning


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("documents", [(120, 40), (30, 30)])
def test_the_demo_corpus_gives_nothing_away_where_every_gap_has_a_link(name, documents):
    task = load_task(name)
    sizes = zip(("train", "dev", "test"), (*documents, documents[1]), strict=True)
    train, dev, test = ([*map(with_links, demo_examples(task, *size))] for size in sizes)
    assert cue_report(Splits(train, dev, {"test": test}), task).warnings == []


@pytest.mark.parametrize("name", TASKS)
def test_the_demo_corpus_gives_other_away_where_empty_gaps_have_no_link(name):
    task = load_task(name)
    linked = (map(with_links, demo_examples(task, one, 200)) for one in ("train", "dev"))
    train, dev = ([*map(without_links, examples)] for examples in linked)
    found = cue_report(Splits(train, dev, {}), task).warnings
    assert len(found) == 1, "what train gives away is not said of dev again"
    assert found[0].startswith("train: a gap without a link is OTHER in 100.0 of 100 cases")


def test_a_set_that_gives_labels_away_is_told_where_train_does_not(en_fr):
    train, test = ([*map(with_links, demo_examples(en_fr, one, 200))] for one in ("train", "test"))
    faulty = [*map(without_links, test)]
    found = cue_report(Splits(train, test, {"old": faulty}), en_fr).warnings
    assert [one.partition(":")[0] for one in found] == ["old"]
    assert "a gap without a link is OTHER" in found[0]


def test_placeholders_as_they_are_made_have_their_links_counted(en_fr_2015):
    words = ["elle", "dort", "."]
    replaced = Placement(0, "one_class_word", 0)
    columns, links = (tuple(words), None), [(0, 0), (1, 1)]
    example = make_example(["it", "sleeps", "."], words, columns, links, [replaced], en_fr_2015)
    cues = gap_cues([example], en_fr_2015)
    assert list(cues.values["links"]) == ["with one link"]
    assert list(cues.values["position"]) == ["at the beginning of the line"]
    assert list(cues.values["source"]) == ["it"]
    assert list(cues.values["length"]) == ["in a line of 3 to 3 tokens"]


def test_a_cue_that_tells_nothing_has_chance_exactly(en_fr):
    examples = drawn(en_fr, lambda random, _: {"label": any_class(random)})
    for one in strengths(examples, en_fr).values():
        if one.cue != "document":
            assert (one.told, one.error, one.strength) == pytest.approx((0.2, 0, 0))
        assert one.warning is None


@pytest.mark.parametrize(
    ("cue", "made", "words"),
    [
        ("links", {"links": 0}, "a gap without a link is elle"),
        ("position", {"place": 0}, "a gap at the beginning of the line is elle"),
        ("length", {"length": 40, "place": 13}, "a gap in a line of 32 to 45 tokens is elle"),
    ],
)
def test_a_value_that_gives_a_class_away_is_named(en_fr, cue, made, words):
    def choose(random, _):
        label = any_class(random)
        return {"label": label, **(made if label == "elle" else {})}

    found = strengths(drawn(en_fr, choose), en_fr)
    assert [one.cue for one in found.values() if one.warning] == [cue]
    assert found[cue].warning.startswith(f"{words} in 100.0 of 100 cases (100% of all elle)")
    assert found[cue].told == pytest.approx(2 / 5)  # elle, and a quarter of each other class


def test_a_source_word_is_knowledge_and_shown_without_a_warning(en_fr):
    def choose(random, _):
        label = any_class(random)
        return {"label": label, "source": "They" if label == "ils" else "it"}

    one = strengths(drawn(en_fr, choose), en_fr)["source"]
    assert (one.given_away.value, one.given_away.label) == ("of 'they'", "ils")
    assert one.strength > 0.2
    assert one.warning is None


def test_documents_of_one_class_each_are_told(en_fr):
    labels = ("il", "elle", "ils", "elles", "OTHER")

    def choose(random, document):
        return {"label": labels[int(document.removeprefix("talk-")) % 5]}

    found = strengths(drawn(en_fr, choose), en_fr)
    assert [one.cue for one in found.values() if one.warning] == ["document"]
    assert found["document"].told == pytest.approx(1)
    assert "the document alone tells labels with a balanced accuracy of 100.0% (chance 20.0%)" in (
        found["document"].warning
    )


def test_what_tells_labels_in_one_document_and_not_in_others_tells_nothing(en_fr):
    labels = ("il", "elle", "ils", "elles", "OTHER")

    def choose(random, document):
        label = any_class(random)
        turn = int(document.removeprefix("talk-")) + labels.index(label)
        return {"label": label, "length": (8, 16, 32, 64, 128)[turn % 5]}

    examples = drawn(en_fr, choose, number=600, documents=60)
    assert strengths(examples, en_fr)["length"].strength < 0.05


@pytest.mark.parametrize("documents", [8, 40])
def test_small_sets_of_few_documents_do_not_differ_by_chance(en_fr, documents):
    """Each document has its own lengths and words: few of them are unlike many others."""

    def kind(name):
        def choose(random, document):
            own = Random(f"{name} {document}")
            return {
                "label": any_class(random),
                "length": own.choice([6, 12, 24]) + random.randint(0, 2),
                "source": "they" if random.random() < own.random() else "it",
            }

        return choose

    warned = 0
    for seed in range(10):
        test = drawn(en_fr, kind(f"test {seed}"), 240, documents, seed)
        train = drawn(en_fr, kind(f"train {seed}"), 1500, 150, seed)
        warned += any(one.warning for one in differences(test, train, en_fr).values())
    assert warned <= 1


def test_source_words_that_are_not_those_of_train_are_told(en_fr):
    def choose(share):
        return lambda random, _: {
            "label": any_class(random),
            "source": "they" if random.random() < share else "it",
        }

    test, train = drawn(en_fr, choose(0.2)), drawn(en_fr, choose(0.6), seed=2)
    found = differences(test, train, en_fr)
    assert [one.cue for one in found.values() if one.warning] == ["source"]
    one = found["source"]
    assert one.distance == pytest.approx(0.4, abs=0.06)
    assert one.value in ("of 'they'", "of 'it'")
    assert one.by_chance < 0.15


def test_blind_and_small_sets(en_fr):
    examples = drawn(en_fr, lambda random, _: {"label": any_class(random)})
    blind = [
        replace(one, gaps=tuple(replace(gap, label=None, word=None) for gap in one.gaps))
        for one in examples
    ]
    assert cue_strengths(gap_cues(blind, en_fr)) == ()
    assert len(differences(blind, examples, en_fr)) == 4
    assert cue_strengths(gap_cues(examples[:150], en_fr)) == ()
    assert cue_differences(gap_cues(examples[:150], en_fr), gap_cues(examples, en_fr)) == ()
    assert cue_strengths(gap_cues([], en_fr)) == ()


def test_lines_are_divided_where_there_are_no_documents(en_fr):
    def choose(random, _):
        label = any_class(random)
        return {"label": label, "links": 0 if label == "OTHER" else 1}

    examples = [replace(one, document=None) for one in drawn(en_fr, choose)]
    found = strengths(examples, en_fr)
    assert found["links"].given_away.label == "OTHER"
    one_document = [replace(one, document="talk") for one in examples]
    assert strengths(one_document, en_fr)["links"].told == found["links"].told
    assert found["document"].told == pytest.approx(0.2)
