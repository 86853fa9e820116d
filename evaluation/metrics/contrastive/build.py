"""A contrastive set from bitext, and the sentences of a set that an MT system has to process.

A pronoun of the reference stands against its rivals in gender. A line becomes an instance only if
nothing is left to guess: the target has exactly one word of the given forms (il, elle), it is a
subject and not impersonal as far as its neighbours show, and the source has exactly one pronoun,
one that is translated so, and no word (he, she) that the target's may translate instead. The error
has the other form in the same place, and `s'il` becomes `si elle`; agreement elsewhere in the
sentence stays. Neither distance nor segment of the antecedent is known, and the set does not say
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.words import word_lists
from crosspro.data_prep.formats.shared_task import document_columns
from crosspro.evaluation.inputs.plain_text import check_lengths, lines_of
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet

CURRENT = "cur"
"""The mark in the second column of doc-ids of lines that are instances; others are context."""

_FRENCH = word_lists("contrastive", "fr")
FRENCH_IMPERSONAL = (
    r"\s+(?:n['’]|ne\s+)?(?:y\s+(?:a|aura|aurait|avait|eut|eût)|faut|fallait|fallut|faudrait|faudra"
    r"|(?:va|allait)\s+falloir|(?:est|était|sera)\s+(?:temps|trop\s+tard)"
    r"|(?:s['’](?:agi|av[éè]r)|pleu[tv]|neige|para[iî]t|s['’]ensui)\w*)\b"
)
"""What follows `il` where it stands for nothing: il y a, il faut, il s'agit, il pleut."""


@dataclass(frozen=True)
class BuildRules:
    """Which words compete, and what a sentence must and must not have.

    `forms` gives, for each source pronoun, the target pronouns that compete to translate it;
    `rivals` are source words that these may translate instead, and after a word of `not_after` they
    are no subject. Those of English and French are the default: `conf/words/contrastive/fr.tsv`.
    """

    forms: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {word: _FRENCH[word] for word in ("it", "they")}
    )
    rivals: tuple[str, ...] = _FRENCH["rivals"]
    not_after: frozenset[str] = frozenset(_FRENCH["not-after"])
    impersonal: str = rf"il(?={FRENCH_IMPERSONAL})"
    context: int = 3
    following: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of bitext with its document and mark."""

    source: str
    target: str
    document: str | None
    mark: str | None


def read_lines_of(source: Path, target: Path, doc_ids: Path | None = None) -> list[Line]:
    """The lines of a bitext; the documents' second column, if there is one, is the mark."""
    problems: list[Problem] = []
    paths = [source, target, *([doc_ids] if doc_ids else [])]
    read = [lines_of(path, problems) for path in paths]
    check_lengths(paths, read, problems)
    if problems:
        raise InputError(problems)
    texts = [one for one in read[:2] if one is not None]
    ids = (read[2] if doc_ids else None) or []
    lines = []
    for number, (one, other) in enumerate(zip(*texts, strict=True)):
        columns = document_columns(ids[number]) if ids else []
        document = columns[0] if columns else None
        lines.append(Line(one, other, document, columns[1] if len(columns) > 1 else None))
    return lines


_FOLLOWED = re.compile(r"\s*(?:\.\.\.|…|\s)\s*(?!qui\b)[^\W\d_]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’](?!\w))?")


def build_set(
    lines: Sequence[Line], rules: BuildRules, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The instances of a bitext as JSON objects; `counts` says what happened to each line."""
    marked = any(line.mark == CURRENT for line in lines)
    first = 0
    for place, line in enumerate(lines):
        if place and (line.document is None or line.document != lines[place - 1].document):
            first = place
        if marked and line.mark != CURRENT:
            continue
        decision, found = _decide(line, rules)
        counts[decision] += 1
        if found is None:
            continue
        source_pronoun, match, rivals = found
        start = max(first, place - rules.context)
        after = _following(lines, place, rules.following)
        yield {
            "document id": line.document or "",
            "segment id": place - first + 1,
            "src pronoun": source_pronoun,
            "ref pronoun": match.group(),
            "src segment": line.source,
            "ref segment": line.target,
            "src context": [one.source for one in lines[start:place]],
            "ref context": [one.target for one in lines[start:place]],
            **(
                {
                    "src following": [one.source for one in after],
                    "ref following": [one.target for one in after],
                }
                if rules.following
                else {}
            ),
            "errors": [
                {
                    "type": "pronominal coreference",
                    "replacement": rival,
                    "contrastive": _swapped(line.target, match, rival),
                }
                for rival in rivals
            ],
        }


def _following(lines: Sequence[Line], place: int, most: int) -> Sequence[Line]:
    """Later lines of the same document, at most so many."""
    document = lines[place].document
    end = place + 1
    while document is not None and end < len(lines) and end - place <= most:
        if lines[end].document != document:
            break
        end += 1
    return lines[place + 1 : end]


KEPT = "instance"

_Found = tuple[str, "re.Match[str]", tuple[str, ...]]


def _decide(line: Line, rules: BuildRules) -> tuple[str, _Found | None]:
    """What becomes of a line, and for an instance: source pronoun, target word and its rivals."""
    known = {form for forms in rules.forms.values() for form in forms}
    matches = [m for m in _WORD.finditer(line.target) if m.group().lower() in known]
    if len(matches) != 1:
        return ("no target pronoun" if not matches else "several target pronouns"), None
    match = matches[0]
    if not _free(line.target, match, rules):
        return "target pronoun no plain subject", None
    if rules.impersonal and re.compile(rules.impersonal, re.I).match(line.target, match.start()):
        return "target pronoun impersonal", None
    words = [m.group().lower() for m in _WORD.finditer(line.source)]
    pronouns = [word for word in words if word in rules.forms]
    if len(pronouns) != 1:
        return ("no source pronoun" if not pronouns else "several source pronouns"), None
    form, competing = match.group().lower(), rules.forms[pronouns[0]]
    if form not in competing:
        return "source pronoun of another kind", None
    if any(word in rules.rivals for word in words):
        return "another possible source word", None
    return KEPT, (pronouns[0], match, tuple(one for one in competing if one != form))


def _free(text: str, match: re.Match[str], rules: BuildRules) -> bool:
    """Whether a pronoun stands by itself, before a word but `qui`, and after no preposition."""
    before, after = text[: match.start()], text[match.end() :]
    if before.endswith(("-", "‐", "‑")) or not _FOLLOWED.match(after):
        return False
    previous = [m.group().lower().replace("’", "'") for m in _WORD.finditer(before)]
    touching = bool(previous) and re.search(r"[\w'’]\s*$", before) is not None
    return not (touching and previous[-1] in rules.not_after)


def _swapped(text: str, match: re.Match[str], rival: str) -> str:
    """The sentence with another form, which begins with a capital if the old one does."""
    word = match.group()
    if word.isupper() and len(word) > 1:
        rival = rival.upper()
    elif word[0].isupper():
        rival = rival[0].upper() + rival[1:]
    before, after = text[: match.start()], text[match.end() :]
    if rival.lower().startswith("elle"):
        before = re.sub(r"\b([Ss])['’]$", r"\1i ", before)
    elif rival.lower().startswith("il"):
        before = re.sub(r"\b([Ss])i\s+$", r"\1'", before)
    return before + rival + after


def sentences_to_score(test_set: ContrastiveSet, path: str) -> dict[str, list[str]]:
    """Lines by the ending of their file: source and translation, and the sentences before them.

    A reference is followed by its errors, in the order in which scores are read. Raises
    `InputError` for every instance without its texts; `path` is how the set is called there.
    """
    columns: dict[str, list[str]] = {".src": [], ".trg": [], ".context.src": [], ".context.trg": []}
    problems = []
    for instance in test_set.instances:
        for translation in (instance.reference, *(error.text for error in instance.errors)):
            if instance.source is None or translation is None:
                expected = "the text of source, reference and errors"
                problems.append(Problem(path, None, instance.name, expected, "one that is missing"))
                break
            sides = (" ".join(instance.source_context), " ".join(instance.reference_context))
            for suffix, line in zip(columns, (instance.source, translation, *sides), strict=True):
                columns[suffix].append(" ".join(line.split()))
    if problems:
        raise InputError(problems)
    return columns


@dataclass(frozen=True)
class ContextWindow:
    """How many sentences before and after an instance go with it, all if None; what joins them."""

    before: int | None = None
    after: int | None = None
    separator: str = "<eos>"

    def joined(self, before: Sequence[str], text: str, after: Sequence[str]) -> tuple[str, int]:
        """A line of sentences with separators, and which of them, from 1, the instance is."""
        kept = len(before) if self.before is None else min(self.before, len(before))
        first = before[len(before) - kept :]
        last = after if self.after is None else after[: self.after]
        lines = [" ".join(one.split()) for one in (*first, text, *last)]
        return f" {self.separator} ".join(lines), len(first) + 1


def sentences_to_translate(
    test_set: ContrastiveSet, path: str, window: ContextWindow
) -> dict[str, list[str]]:
    """Lines by the ending of their file: source, reference, and which part the instance is.

    A line an instance, with the sentences around it. A set without references has no `.trg`. Raises
    `InputError` for every instance without its source, and for texts that hold the separator.
    """
    columns: dict[str, list[str]] = {".src": [], ".trg": [], ".parts": []}
    problems = []
    referenced = all(instance.reference is not None for instance in test_set.instances)
    for one in test_set.instances:
        if one.source is None:
            problems.append(Problem(path, None, one.name, "the text of the source", "none"))
            continue
        texts = (*one.source_context, one.source, *one.source_following)
        if any(window.separator.lower() in text.lower() for text in texts):
            expected = f"a source without {quoted(window.separator)}"
            problems.append(Problem(path, None, one.name, expected, "one with it"))
        line, part = window.joined(one.source_context, one.source, one.source_following)
        columns[".src"].append(line)
        columns[".parts"].append(str(part))
        if referenced:
            reference = one.reference or ""
            sides = (one.reference_context, reference, one.reference_following)
            columns[".trg"].append(window.joined(*sides)[0])
    if problems:
        raise InputError(problems)
    return {ending: lines for ending, lines in columns.items() if lines}
