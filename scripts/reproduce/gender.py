"""How often a trained system chooses the right gender of a pronoun whose number is known.

    python -m crosspro.scripts.reproduce.gender RUN --bitext PREFIX
    python -m crosspro.scripts.reproduce.gender RUN --versions FILE.tsv

Bitext (`opensubs_contrastive`): each document is an instance; the second column of its doc-ids says
`ctx` or `cur`, and the line marked `cur` has the pronoun, which rivals of the same number compete
with. TSV (ContraPro, Müller et al. 2018, as one table): id, context and sentence of the source,
context and sentence of the target, and wrong versions of that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.bitext.read import beside
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines, write_text
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.words.lists import names_of, word_lists
from crosspro.evaluation.evaluation import Evaluation, evaluate
from crosspro.evaluation.metrics.contrastive import Contrastive, ScoredSet
from crosspro.evaluation.metrics.contrastive_sets import (
    ContrastiveSet,
    Instance,
    WrongTranslation,
    content_digest,
)
from crosspro.evaluation.report.records import json_text, record
from crosspro.prediction.contrastive import (
    CandidateGap,
    PreparedSet,
    TokenPair,
    find_gap,
    prepare_set,
    system_scores,
)
from crosspro.prediction.models import summary
from crosspro.prediction.registry import bundled_model
from crosspro.prediction.system import System, load_system
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, tell

app = App()

CONTEXT, CURRENT = "ctx", "cur"
FIELDS = ("id", "source context", "source", "target context", "reference")
WRONG_VERSIONS = (2, 3)
NO_GAP = "in which no pronoun was found that is linked, or that all versions change"
ONE_CLASS = "whose words are of no two classes"


# Sets ---------------------------------------------------------------------------------------------


def read_marked_bitext(prefix: Path, task: Task) -> ContrastiveSet:
    """The documents of PREFIX.en, PREFIX.fr and PREFIX.doc-ids, of a task from en to fr."""
    columns, paths = [], []
    for ending in (task.source_language, task.target_language, "doc-ids"):
        path = beside(prefix, [ending])
        if path is None:
            raise input_error(f"{prefix}.{ending}", "file", "a file (also .gz, .xz)", "none")
        paths.append(path)
        columns.append(list(read_text_lines(path)))
        if len(columns[-1]) != len(columns[0]):
            line = min(len(columns[-1]), len(columns[0])) + 1
            expected, found = f"{len(columns[0])} lines", str(len(columns[-1]))
            raise input_error(path, "lines", expected, found, line)
    rows = list(enumerate(zip(*columns, strict=True), start=1))
    instances = []
    for document, lines in groupby(rows, key=lambda row: row[1][2].partition("\t")[0]):
        context: list[tuple[str, str]] = []
        current: tuple[str, str] | None = None
        for line, (source, target, ids) in lines:
            mark = ids.partition("\t")[2]
            if mark not in (CONTEXT, CURRENT) or (mark == CURRENT and current):
                expected = f"{CONTEXT}, or {CURRENT} for one line of {document}"
                raise input_error(paths[2], "column 2", expected, quoted(mark), line)
            if mark == CURRENT:
                current = source, target
            elif current is None:
                context.append((source, target))
        if current is None:
            raise input_error(paths[2], "document", f"a line marked {CURRENT}", "none", line)
        instances.append(_instance(document, *current, context))
    return _contrastive_set(prefix, "bitext", instances)


def read_versions(path: Path) -> ContrastiveSet:
    """The instances of a TSV file with wrong versions."""
    instances = []
    for number, line in enumerate(read_text_lines(path), start=1):
        fields = line.split("\t")
        errors = fields[len(FIELDS) :]
        if len(errors) not in WRONG_VERSIONS:
            expected = f"{', '.join(FIELDS)}, and two or three wrong versions, by tabs"
            raise input_error(path, "fields", expected, str(len(fields)), number)
        name, source_before, source, target_before, reference = fields[: len(FIELDS)]
        both = source_before.strip() and target_before.strip()
        context = [(source_before, target_before)] if both else []
        instances.append(_instance(name, source, reference, context, errors))
    return _contrastive_set(path, "table", instances)


def _instance(
    name: str,
    source: str,
    reference: str,
    context: Sequence[tuple[str, str]],
    errors: Sequence[str] = (),
) -> Instance:
    return Instance(
        name,
        tuple(WrongTranslation(text, None) for text in errors),
        {},
        source,
        reference,
        source_context=tuple(source for source, _ in context),
        reference_context=tuple(target for _, target in context),
    )


def _contrastive_set(path: Path, kind: str, instances: Sequence[Instance]) -> ContrastiveSet:
    if not instances:
        raise input_error(path, "instances", "at least one", "none")
    digest = content_digest([asdict(instance) for instance in instances])
    return ContrastiveSet(path.name, kind, tuple(instances), digest)


# Questions ----------------------------------------------------------------------------------------


def rivals_in_number(task: Task) -> Mapping[str, tuple[str, ...]]:
    """Target pronouns of both genders with those of the same number: `conf/words/contrastive`."""
    lists = word_lists("contrastive", task.target_language)
    return {
        word: tuple(other for other in lists[pronoun] if other != word)
        for pronoun in task.source_pronouns
        for word in lists.get(pronoun, ())
    }


def find_linked(
    instance: Instance, pair: TokenPair, links: Sequence[Link], task: Task
) -> CandidateGap | None:
    """The first pronoun with rivals that is linked to a source pronoun of the task."""
    rivals = rivals_in_number(task)
    for position, word in enumerate(map(str.lower, pair.target)):
        for source, target in sorted(links) if word in rivals else ():
            if target == position and pair.source[source].lower() in task.source_pronouns:
                return CandidateGap(position, source, (word, *rivals[word]))
    return None


def gender_questions(prepared: PreparedSet) -> tuple[PreparedSet, Counter[str]]:
    """The instances in which words of two classes or more compete; why others are left out.

    A word of the class OTHER says no gender, and does not compete.
    """
    questions = []
    left_out: Counter[str] = Counter()
    for one in prepared.instances:
        words = () if one.gap is None else words_of_classes(one.gap.words, prepared.task)
        if one.gap is None or len(words) < 2:
            left_out[NO_GAP if one.gap is None else ONE_CLASS] += 1
            continue
        errors = tuple(WrongTranslation(None, word) for word in words[1:])
        instance = replace(one.instance, errors=errors, groups={"pronoun": words[0]})
        questions.append(replace(one, instance=instance, gap=replace(one.gap, words=words)))
    if len({len(one.instance.errors) for one in questions}) > 1:
        for number, one in enumerate(questions):
            groups = {**one.instance.groups, "choices": str(1 + len(one.instance.errors))}
            questions[number] = replace(one, instance=replace(one.instance, groups=groups))
    test_set = replace(prepared.test_set, instances=tuple(one.instance for one in questions))
    return replace(prepared, test_set=test_set, instances=tuple(questions)), left_out


def words_of_classes(words: Sequence[str], task: Task) -> tuple[str, ...]:
    """The first word of each class but OTHER; none if the first word has no class."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(task.class_of(word), word)
    if task.class_of(words[0]) == OTHER:
        return ()
    return tuple(word for name, word in first.items() if name != OTHER)


@app.command(epilog="Example: gender en-de --versions contrapro.en-de.tsv.xz")
def gender(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run, the folder of its model, or an archive.")
    ],
    bitext: Annotated[
        Path | None, typer.Option(help="Prefix of bitext whose doc-ids say ctx or cur.")
    ] = None,
    versions: Annotated[
        Path | None, typer.Option(help="TSV: id, contexts, sentences, wrong versions (ContraPro).")
    ] = None,
    annotator: Annotated[str, typer.Option(help="What tags and lemmatises the target.")] = "auto",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Figures and signatures as JSON.")
    ] = None,
) -> None:
    """Print how often the right gender of a pronoun is chosen, with context and without.

    With --bitext the system chooses between il and elle, or between ils and elles; with --versions
    among the classes of the words in which the versions differ. All other classes are ignored. The
    choice is the most probable class; what is not strictly more probable is wrong.
    """
    if (bitext is None) == (versions is None):
        raise typer.BadParameter("give either --bitext or --versions")
    run_dir = bundled_model(run_dir) or run_dir
    system = load_system(run_dir)
    task = system.task
    if versions is not None:
        test_set, find = read_versions(versions), find_gap
    else:
        if not rivals_in_number(task):
            expected = f"for --bitext one into {', '.join(names_of('contrastive'))}"
            raise input_error(run_dir, "task", expected, task.name)
        test_set, find = read_marked_bitext(bitext or Path(), task), find_linked
    prepared, left_out = gender_questions(prepare_set(test_set, task, annotator, tell, find))
    reasons = [f"{number:,} {reason}" for reason, number in sorted(left_out.items())]
    if not prepared.instances:
        expected = f"one with a choice between classes of {task.name}"
        raise input_error(test_set.name, "instances", expected, "; ".join(reasons))
    for note in system.layer_warnings(test_set.name, layers_in(prepared.examples)):
        tell(note)
    evaluation = gender_accuracy(system, prepared, summary(run_dir).digest[:8])
    for warning in evaluation.warnings:
        tell(f"warning: {warning}")
    for reason in reasons:
        print(f"left out: {reason}")
    print(evaluation)
    if output is not None:
        write_text(output, json_text({**record(evaluation), "left_out": dict(left_out)}))


def gender_accuracy(system: System, prepared: PreparedSet, digest: str) -> Evaluation:
    """The accuracy with context, unless the system reads none, and without."""
    alone = tuple(replace(one, context=()) for one in prepared.instances)
    ways = {"with context": prepared} if system.context else {}
    ways["without context"] = replace(prepared, instances=alone)
    scores = []
    for name, questions in ways.items():
        tell(f"{name}: {len(alone):,} instances")
        scored = system_scores(name, system, questions, digest)
        origin = (*scored.origin, "choice:gender", f"context:{name.split()[0]}")
        scores.append(replace(scored, origin=origin))
    return evaluate(Contrastive(None), ScoredSet(prepared.test_set, tuple(scores)))


if __name__ == "__main__":
    run(app)
