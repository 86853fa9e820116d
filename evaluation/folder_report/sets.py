"""Contrastive sets of a folder, with what systems made of them: scores, translations or both."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.folder_report.files import SetFiles
from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, read_scores
from crosspro.evaluation.metrics.expected_forms.expected_sets import is_json, read_expected
from crosspro.evaluation.metrics.expected_forms.metric import GeneratedSet
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs


@dataclass(frozen=True)
class ReadSet:
    """A set as it was read; None for what no system has made."""

    name: str
    scored: ScoredSet | None
    generated: GeneratedSet | None


def read_set(files: SetFiles, language: str, maximise: bool = False) -> ReadSet:
    """Read a set and all that belongs to it; raises `InputError` with all faults."""
    problems: list[Problem] = []
    scored = generated = None
    try:
        has_own_output = not is_json(files.path)
        if files.scores:
            scored = _scored(files, maximise)
    except InputError as error:
        problems += error.problems
        has_own_output = False
    try:
        if files.outputs or (has_own_output and language):
            generated = _generated(files, language)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return ReadSet(files.name, scored, generated)


def _scored(files: SetFiles, maximise: bool) -> ScoredSet:
    test_set = read_contrastive(files.path, allow_unknown=True)
    read = read_scores([one.path for one in files.scores], test_set, maximise)
    pairs = zip(read, files.scores, strict=True)
    return ScoredSet(test_set, tuple(replace(one, name=own.name) for one, own in pairs))


def _generated(files: SetFiles, language: str) -> GeneratedSet:
    test_set, rows = read_expected(files.path, language, allow_unknown=True)
    read = read_outputs(
        [one.path for one in files.outputs],
        test_set,
        PayloadRules(),
        language,
        tsv=None if rows is None else (files.path, rows),
        parts=files.parts,
    )
    names = [one.name for one in files.outputs] or [files.name]
    return GeneratedSet(
        test_set, tuple(replace(one, name=name) for one, name in zip(read, names, strict=True))
    )
