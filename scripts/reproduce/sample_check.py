"""How many gold gaps of the sample the pipeline finds, with its own links and with gold ones.

Run: python -m crosspro.scripts.reproduce.sample_check [--errors]

A gold gap is found if a gap with the same source word and the same class is extracted. German
expletives are no gaps by the rules of the tasks but are in the gold: tasks from German are shown
with and without them. Gold links are those of pronouns only, so they cannot be used for es-en,
where links of verbs lead to the gaps. The annotators are the defaults (`auto`).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.align.backends import default_settings
from crosspro.data_prep.annotate.tokenise import TokenisedBitext
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.stored import Cache
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.pipeline.prepare import PrepareSettings, prepare
from crosspro.data_prep.sample import PAIRS, TASKS, read_gold, read_pronoun_links, read_tokens
from crosspro.evaluation.output.tables import text_table

Found = dict[tuple[int, int], str]
"""The class of each gap by line (from 1) and source index."""


@dataclass(frozen=True)
class Comparison:
    """Gold gaps, extracted gaps, and how many agree in the source word, and in the class too."""

    gold: int
    extracted: int
    same_source: int
    same_class: int

    def cells(self) -> tuple[str, ...]:
        """The numbers as a row of a table shows them."""
        shares = (f"{n} ({100 * n / self.gold:.1f}%)" for n in (self.same_source, self.same_class))
        return str(self.gold), str(self.extracted), *shares


def main() -> None:
    """Print a row for each task and way of running it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--errors", action="store_true", help="list the gold gaps not found")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for task_name in TASKS:
            task = load_task(task_name)
            gold = {(gap.line, gap.source_index): gap.label for gap in read_gold(task_name)}
            for way, settings in _ways(task, Path(name)):
                found = _extract(task, settings, Cache(Path(name) / "cache"))
                rows.append((task_name, way, *compare(gold, found).cells()))
                if options.errors:
                    print(f"\n{task_name}, {way}\n")
                    print("\n".join(_errors(task, gold, found)))
    heading = ("task", "links and rules", "gold", "extracted", "same source", "same class")
    print(text_table(heading, rows), end="")


def compare(gold: Found, found: Found) -> Comparison:
    """How far two sets of gaps agree."""
    same = [key for key in gold if key in found]
    right = sum(gold[key] == found[key] for key in same)
    return Comparison(len(gold), len(found), len(same), right)


def _ways(task: Task, folder: Path) -> Iterator[tuple[str, PrepareSettings]]:
    """The settings to try: own links, expletives kept where the tasks lost them, gold links."""
    settings = PrepareSettings(GapRules(), default_settings(task))
    yield "own links", settings
    if task.source_language == "de":
        settings = replace(settings, rules=GapRules(keep_expletives=True))
        yield "own links, expletives kept", settings
    if not task.null_subjects:
        path = folder / f"{task.name}.links"
        write_links(path, _gold_links(task))
        kept = ", expletives kept" if settings.rules.keep_expletives else ""
        yield f"gold links{kept}", replace(settings, links=path)


def _gold_links(task: Task) -> Iterable[list[tuple[int, int]]]:
    pair = f"{task.source_language}-{task.target_language}"
    if pair in PAIRS:
        return [list(links) for links in read_pronoun_links(pair)]
    reverse = f"{task.target_language}-{task.source_language}"
    return [sorted((t, s) for s, t in links) for links in read_pronoun_links(reverse)]


def _extract(task: Task, settings: PrepareSettings, cache: Cache) -> Found:
    sides = read_tokens(task.source_language), read_tokens(task.target_language)
    bitext = TokenisedBitext(*sides, [None] * len(sides[0]))
    examples, _ = prepare(task, bitext, settings, cache)
    return _gaps(examples)


def _gaps(examples: Iterable[Example]) -> Found:
    return {
        (line, gap.source_index): str(gap.label)
        for line, example in enumerate(examples, start=1)
        for gap in example.gaps
    }


def _errors(task: Task, gold: Found, found: Found) -> Iterator[str]:
    source, target = read_tokens(task.source_language), read_tokens(task.target_language)
    for (line, index), label in gold.items():
        got = found.get((line, index), "nothing")
        if got != label:
            words = list(source[line - 1])
            words[index] = f"[{words[index]}]"
            yield f"{line}: {label}, found {got}: {' '.join(words)} / {' '.join(target[line - 1])}"


if __name__ == "__main__":
    main()
