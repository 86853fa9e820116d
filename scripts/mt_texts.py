"""MT output as the commands that judge it read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crosspro.evaluation.inputs.mt_input import (
    AlignWith,
    InputPaths,
    MtInput,
    read_input,
    told_languages,
)
from crosspro.evaluation.inputs.plain_text import MTText, read_mt_text
from crosspro.evaluation.inputs.pronoun_lists import lists_of_languages, lists_or_problems
from crosspro.scripts.common import NamedFile, names_of, tell


def read_linked(
    paths: InputPaths, candidates: Sequence[NamedFile], pronouns: str | None, prior: Path | None
) -> MtInput:
    """Texts with their word links, which are made where they are missing.

    Without a name the pronoun lists are those of the languages that the names of the files end in.
    """
    if pronouns is not None:
        lists, problems = lists_or_problems(pronouns)
    else:
        lists, problems = lists_of_languages(told_languages(paths), "--pronouns")
    data = read_input(paths, lists, AlignWith(prior=prior), tell, problems)
    names = names_of(candidates, [candidate.name for candidate in data.candidates])
    renamed = (
        replace(candidate, name=name)
        for candidate, name in zip(data.candidates, names, strict=True)
    )
    return replace(data, candidates=tuple(renamed))


def read_plain(
    candidates: Sequence[NamedFile],
    references: Sequence[Path],
    doc_ids: Path | None,
    language: str | None = None,
) -> MTText:
    """Candidates and references line by line; the language is that of their names if not stated."""
    paths = [candidate.path for candidate in candidates]
    text = read_mt_text(paths, references, doc_ids, language)
    return replace(text, names=tuple(names_of(candidates, text.names)))
