"""What the tasks of this folder are made of: gaps and contrastive sets as lm_eval reads them.

A gap is a document: the lines before, the source, and the translation with `___` for the pronoun.
A model ranks the classes of the task or writes a word, which is of the class that it has; of all
answers together our scorer makes macro recall (the official score) and accuracy. An instance of a
contrastive set is right where the reference scores strictly better than every error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import datasets

import crosspro
from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.metrics.contrastive_sets import Instance, read_contrastive

BLANK, HIDDEN = "___", "…"
Doc = Mapping[str, Any]


def gaps(
    data: str | None = None, task: str = "en-fr", context: int = 3, **_: Any
) -> dict[str, datasets.Dataset]:
    """The gaps of a five-column file, or of the generated demo corpus."""
    if data is None:
        examples = crosspro.demo(task, "test", 10)
    else:
        examples = crosspro.read_examples(data, task)
    rules = crosspro.load_task(task)
    return {"test": datasets.Dataset.from_list(list(_gaps(examples, rules, context)))}


def _gaps(
    examples: Sequence[crosspro.Example], rules: crosspro.Task, context: int
) -> Iterator[dict[str, Any]]:
    for _, lines in groupby(examples, key=lambda example: example.document):
        before: list[dict[str, str]] = []
        for line in lines:
            source = " ".join(line.source)
            for gap in line.gaps:
                yield {
                    "task": rules.name,
                    "context": before[-context:] if context else [],
                    "source": source,
                    "word": line.source[gap.source_index],
                    "target": _target(line, gap),
                    "classes": list(rules.classes),
                    "label": gap.label,
                }
            before.append({"source": source, "target": _target(line, None)})


def _target(line: crosspro.Example, question: crosspro.Gap | None) -> str:
    words = list(line.lemmas)
    for gap in line.gaps:
        words[gap.position] = BLANK if gap is question else HIDDEN
    return " ".join(words)


def gap_text(doc: Doc) -> str:
    """The question that a gap is."""
    before = "".join(f"{pair['source']}\n{pair['target']}\n" for pair in doc["context"])
    answers = ", ".join(doc["classes"])
    return (
        f"{before}{doc['source']}\n{doc['target']}\n\n"
        f"{BLANK} translates “{doc['word']}”. Which of these is it ({OTHER} is anything else or "
        f"nothing): {answers}?\nAnswer:"
    )


def gap_answer(doc: Doc) -> int:
    """The place of the right class."""
    return int(doc["classes"].index(doc["label"]))


def ranked_gap(doc: Doc, results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """The class whose answer is the likeliest."""
    likelihoods = [result[0] for result in results]
    return _answered(doc, doc["classes"][likelihoods.index(max(likelihoods))])


def written_gap(doc: Doc, results: Sequence[str]) -> dict[str, Any]:
    """The class of the first word that the model has written."""
    words = results[0].replace(BLANK, " ").split()
    word = words[0].strip("\"'“”«».,:;!?*") if words else ""
    label = next((name for name in doc["classes"] if name.lower() == word.lower()), None)
    return _answered(doc, label or crosspro.load_task(doc["task"]).class_of(word.lower()))


def _answered(doc: Doc, answer: str) -> dict[str, Any]:
    item = (doc["task"], doc["label"], answer)
    return {"macro_recall": item, "accuracy": item}


def macro_recall(items: Sequence[tuple[str, str, str]]) -> float:
    """Macro-averaged recall of all answers, from 0 to 1."""
    return _scored(items, "macro_recall")


def accuracy(items: Sequence[tuple[str, str, str]]) -> float:
    """Accuracy of all answers, from 0 to 1."""
    return _scored(items, "accuracy")


def _scored(items: Sequence[tuple[str, str, str]], measure: str) -> float:
    tasks, gold, answers = zip(*items, strict=True)
    result = crosspro.evaluate(gold, {"answers": answers}, tasks[0], resamples=0)
    return result.scores["answers"][measure].value / 100


def contrastive(data: str | None = None, **_: Any) -> dict[str, datasets.Dataset]:
    """The instances of a contrastive set of any format that `crosspro contrastive` reads."""
    if data is None:
        raise ValueError("""name the set: --metadata '{"data": "contrapro.json"}'""")
    read = read_contrastive(Path(data))
    rows = [_instance(instance) for instance in read.instances]
    return {"test": datasets.Dataset.from_list(rows)}


def _instance(instance: Instance) -> dict[str, Any]:
    before = [*instance.source_context, instance.source or ""], list(instance.reference_context)
    return {
        "source": "\n".join(before[0]),
        "before": "\n".join(before[1]),
        "versions": [instance.reference or "", *(error.text or "" for error in instance.errors)],
    }


def right_instance(doc: Doc, results: Sequence[tuple[float, bool]]) -> dict[str, float]:
    """Whether the reference is strictly better than every error."""
    first, *errors = (result[0] for result in results)
    return {"accuracy": float(first > max(errors))}
