"""Documents of the demo corpus as shared-task examples; the same seed gives the same documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Example, Gap, Mention, joined_tag
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.demo.language import PROFILES
from crosspro.data_prep.demo.realise import Clause, SaidPronoun, Word, parsed, realise
from crosspro.data_prep.demo.scenes import Scenes, Sentence
from crosspro.data_prep.formats.shared_task import placeholder
from crosspro.data_prep.gaps.extract import with_gap_links

SPLITS = {"train": 2250, "dev": 150, "test": 150}
"""Documents of each split by default."""

_SCENES_PER_DOCUMENT = (5, 9)
_TAGS = {
    "universal": {"PUNCT": ".", "STOP": "."},
    "treetagger-fr": {
        "NOUN": "NOM", "VERB": "VER", "ADP": "PRP", "CONJ": "KON", "PUNCT": "PUN", "STOP": ".",
    },
    "none": {},
}  # fmt: skip


def demo_examples(
    task: Task, split: str, documents: int | None = None, seed: int = 1, layers: bool = False
) -> list[Example]:
    """The examples of a split; `documents` is its size.

    With `layers` the source is parsed, and antecedents form coreference chains with their pronouns.
    """
    if task.name not in PROFILES:
        expected = f"a demo task ({choices(PROFILES)})"
        advice = f"{task.name}; use files of your own (data=shared_task)"
        raise input_error(f"task {task.name}", "data", expected, advice)
    if split not in SPLITS:
        raise input_error("demo", "split", choices(SPLITS), split)
    # Seeding by text keeps splits and tasks independent of each other.
    text = f"{seed} {task.name} {split}"
    random, separate = Random(text), Random(f"notes {text}")  # noqa: S311 - no secret depends on it
    scenes, notes = (Scenes(task, PROFILES[task.name], each) for each in (random, separate))
    examples: list[Example] = []
    for document in range(SPLITS[split] if documents is None else documents):
        name = f"{split}-{document:05d}"
        drawn = (scenes.draw() for _ in range(random.randint(*_SCENES_PER_DOCUMENT)))
        for number, scene in enumerate(chain([[notes.note()]], drawn)):
            said = [_example(sentence, task, name) for sentence in scene]
            examples += _with_layers(said, scene, task, f"c{number}") if layers else said
    return examples


def _example(sentence: Sentence, task: Task, document: str) -> Example:
    source = [word for word in realise(sentence, task.source_language) if word.form]
    target = realise(sentence, task.target_language)
    pronouns = {
        word.slot: index for index, word in enumerate(source) if word.slot and _counts(word, task)
    }
    target = [word for word in target if word.form or word.slot in pronouns]
    shown: list[tuple[str, str | None]] = []
    gaps = []
    for position, word in enumerate(target):
        if word.slot not in pronouns:
            shown.append(_columns(word, task))
            continue
        index = pronouns[word.slot]
        shown.append((placeholder(index), None))
        label = task.class_of(word.form.lower()) if word.form else OTHER
        hidden = joined_tag(*_columns(word, task)) if word.form else NONE
        gaps.append(Gap(position, index, label, hidden))
    links = (
        (s, t)
        for s, left in enumerate(source)
        for t, right in enumerate(target)
        if right.form and left.key is not None and left.key == right.key
    )
    lemmas, tags = zip(*shown, strict=True)
    return Example(
        tuple(word.form for word in source),
        lemmas,
        tags if task.tagged else None,
        with_gap_links(links, gaps),
        tuple(gaps),
        document,
    )


def _with_layers(
    examples: Sequence[Example], scene: Sequence[Sentence], task: Task, name: str
) -> Iterator[Example]:
    """Parses and a coreference chain of the source: a scene speaks of one antecedent, if any.

    Chains of the target would tell the gaps that hide no word.
    """
    clauses = [[part for part in sentence if isinstance(part, Clause)] for sentence in scene]
    subjects = (clause.subject for sentence in clauses for clause in sentence)
    pronouns = (subject for subject in subjects if isinstance(subject, SaidPronoun))
    referent = next((pronoun.referent for pronoun in pronouns if pronoun.referent), None)
    for example, sentence, parts in zip(examples, clauses, scene, strict=True):
        words = [word for word in realise(parts, task.source_language) if word.form]
        mentions = []
        for clause in sentence if referent else ():
            subject, thing = clause.subject, clause.object
            if subject.referent is referent:
                role = subject.slot if isinstance(subject, SaidPronoun) else "s"
                mentions += _mention(name, words, f"{clause.key}.{role}")
            if thing is not None and thing.referent is referent:
                mentions += _mention(name, words, f"{clause.key}.o")
        yield replace(example, source_parse=parsed(words), chains=tuple(mentions))


def _mention(name: str, words: Sequence[Word], key: str) -> list[Mention]:
    """The words of a phrase as a mention; none of a pronoun that is not said (Spanish)."""
    places = [place for place, word in enumerate(words) if f"{word.key}.".startswith(f"{key}.")]
    return [Mention(name, "source", places[0], places[-1])] if places else []


def _counts(word: Word, task: Task) -> bool:
    """Whether a subject of the source makes an example of the task."""
    if task.null_subjects:
        return word.category == "VERB"
    return word.form.lower() in task.source_pronouns


def _columns(word: Word, task: Task) -> tuple[str, str | None]:
    """The lemma and the tag of a word, or its form and None."""
    if not task.tagged:
        return word.form, None
    category = "STOP" if word.form == "." else word.category
    return word.lemma, _TAGS[task.tagset].get(category, category)
