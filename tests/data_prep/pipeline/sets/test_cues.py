"""Data whose labels are given away by the number of links of a gap."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.pipeline.sets.cues import label_leak, label_leaks
from crosspro.data_prep.pipeline.sets.splits import Splits

TASKS = ("en-fr", "en-de", "de-en", "fr-en", "es-en", "en-fr-2015")
OFFICIAL = {
    "DiscoMT2015.test.en-fr.gold": ("DiscoMT2015.test.en-fr", 159, 0.445),
    "TEDdev.en-fr": ("TEDdev.en-fr", 127, 0.457),
}


def without_links(example):
    """The example as it was made before placeholders for nothing were linked to their pronoun."""
    empty = {gap.position for gap in example.gaps if gap.word == "NONE"}
    return replace(example, links=tuple(link for link in example.links if link[1] not in empty))


def with_links(example):
    """The example with a link from each placeholder that has none to its source word."""
    linked = {target for _, target in example.links}
    added = [(gap.source_index, gap.position) for gap in example.gaps if gap.position not in linked]
    return replace(example, links=(*example.links, *added))


def official(folder, name):
    documents = folder / f"{OFFICIAL[name][0]}.doc-ids.xz"
    return [*read_examples(folder / f"{name}.data.xz", load_task("en-fr-2015"), documents)]


@pytest.mark.parametrize("name", OFFICIAL)
def test_official_files_give_nothing_away_until_empty_gaps_lose_their_link(
    discomt2015, en_fr_2015, name
):
    _, gaps, recall = OFFICIAL[name]
    examples = official(discomt2015, name)
    assert label_leak(examples, en_fr_2015) is None
    leak = label_leak(map(without_links, examples), en_fr_2015)
    assert (leak.links, leak.label) == ("without a link", "OTHER")
    assert (leak.gaps, leak.right) == (gaps, gaps)
    assert leak.recall == pytest.approx(recall, abs=0.001)


@pytest.mark.parametrize("name", TASKS)
def test_the_demo_corpus_gives_other_away_where_empty_gaps_have_no_link(name):
    task = load_task(name)
    train, dev = ([*map(with_links, demo_examples(task, part, 200))] for part in ("train", "dev"))
    assert label_leaks(Splits(train, dev, {"test": dev}), task) == {}
    leaks = label_leaks(Splits([*map(without_links, train)], dev, {}), task)
    assert list(leaks) == ["train"]
    assert leaks["train"].label == "OTHER"


def test_blind_and_small_sets_are_not_judged(en_fr):
    examples = [without_links(example) for example in demo_examples(en_fr, "train", 200)]
    blind = [
        replace(line, gaps=tuple(Gap(gap.position, gap.source_index) for gap in line.gaps))
        for line in examples
    ]
    assert label_leak(blind, en_fr) is None
    assert label_leak(examples[:50], en_fr) is None
    assert label_leak([], en_fr) is None
