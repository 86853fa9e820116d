"""Which file of a folder is what, by its name.

- `source.en`, `test.src`: the source has `source` or `src` among the parts of its name, the
  reference `reference` or `ref`; parts stand between dots and hyphens.
- `outputs/NAME.fr`: one file for each system, and nothing else but what belongs to one.
- `doc-ids`, `X.doc-ids`: documents; `documents.tsv`, `X.docs`: domains and documents;
  `doc-starts`, `X.doc-starts`: the first line of each instead.
- `X.fr.doc-ids` beside a translation X.fr: its own documents, where its lines are not the source's.
- `X.links` beside a translation X or X.fr: its word links to the source.
- `pronouns.yaml`: lists of pronouns, where those that come with the package are not wanted.
- `contrastive/SET.json`, `SET.tsv`: contrastive sets; what a system made of one is
  `contrastive/SET/NAME.scores`, or its translations, `contrastive/SET/NAME.fr`; `SET.parts` says
  which part of them counts.

A folder of mt-metrics-eval has its own names (`evaluation.inputs.mt_tests`). Every file may be
compressed (.gz, .xz). Two letters at the end of a name are a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import read_bytes
from crosspro.evaluation.inputs.mt_tests import REFERENCE, SOURCES, metrics_eval_files
from crosspro.evaluation.inputs.plain_text import (
    DOMAINS_AND_DOCUMENTS,
    LANGUAGE,
    language_of,
    plain_name,
)

OUTPUTS, CONTRASTIVE = "outputs", "contrastive"
_SOURCE, _REFERENCE = (
    re.compile(rf"(.*[.-])?({words})([.-].*)?", re.IGNORECASE)
    for words in ("source|src", "reference|ref")
)
_DOC_IDS = re.compile(rf"(.*\.)?doc-ids|{DOMAINS_AND_DOCUMENTS.pattern}")
_DOC_STARTS = re.compile(r"(.*\.)?doc-starts")
_LINKS = re.compile(r".*\.links")
_PRONOUNS = re.compile(r"pronouns\.ya?ml")
_SET = re.compile(r".*\.(json|tsv)")
_SCORES = re.compile(r".*\.scores")
_PARTS = re.compile(r".*\.parts")
_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")


@dataclass(frozen=True)
class GivenFiles:
    """Files that the user names, each instead of what would be found."""

    source: Path | None = None
    reference: Path | None = None
    candidates: tuple[Path, ...] = ()
    links_reference: Path | None = None
    links_candidates: tuple[Path, ...] = ()
    doc_ids: Path | None = None
    doc_starts: Path | None = None


@dataclass(frozen=True)
class SystemFile:
    """A file that a system made; of a translation also its word links, where they are known."""

    name: str
    path: Path
    links: Path | None = None


@dataclass(frozen=True)
class SetFiles:
    """A contrastive set with what systems made of it: scores, translations, or both."""

    name: str
    path: Path
    scores: tuple[SystemFile, ...]
    outputs: tuple[SystemFile, ...]
    parts: Path | None = None


@dataclass(frozen=True)
class ReportFiles:
    """The files of a report, and the languages of source and translations where they are known."""

    source: Path | None
    reference: Path | None
    outputs: tuple[SystemFile, ...]
    links_reference: Path | None
    doc_ids: Path | None
    doc_starts: Path | None
    pronouns: Path | None
    sets: tuple[SetFiles, ...]
    languages: tuple[str | None, str | None]
    unused: tuple[Path, ...] = ()
    """Files of the folder that no rule knows."""

    def roles(self) -> list[tuple[str, Path]]:
        """What each file is, and the file."""
        single = {
            "source": self.source,
            "reference": self.reference,
            "links of the reference": self.links_reference,
            "documents": self.doc_ids or self.doc_starts,
            "pronouns": self.pronouns,
        }
        found = [(role, path) for role, path in single.items() if path is not None]
        for one in self.outputs:
            found.append((f"output of {one.name}", one.path))
            found += [(f"links of {one.name}", one.links)] if one.links else []
        for test_set in self.sets:
            found.append((f"set {test_set.name}", test_set.path))
            found += [(f"scores of {score.name}", score.path) for score in test_set.scores]
            found += [(f"output of {output.name}", output.path) for output in test_set.outputs]
            found += [(f"parts of {test_set.name}", test_set.parts)] if test_set.parts else []
        return found


def read_pair(text: str) -> tuple[str, str]:
    """The languages of a pair such as en-fr."""
    found = _PAIR.fullmatch(text)
    if found is None:
        raise input_error("arguments", "pair", "two languages such as en-fr", quoted(text))
    return found[1], found[2]


def find_files(
    folder: Path,
    given: GivenFiles,
    pair: tuple[str, str] | None,
    problems: list[Problem],
) -> ReportFiles:
    """The files of a folder, and those that were named instead; faults are added to the list.

    The reference is left out of the outputs if it is among them, as WMT has it.
    """
    if (folder / SOURCES).is_dir():
        given, pair = _in_metrics_eval(folder, given, pair, problems)
    here = _Folder(folder, problems)
    here.own_doc_ids()
    doc_ids, doc_starts = here.only(_DOC_IDS), here.only(_DOC_STARTS)
    if given.doc_ids is not None or given.doc_starts is not None:
        doc_ids, doc_starts = given.doc_ids, given.doc_starts
    elif doc_ids is not None and doc_starts is not None:
        expected = "doc-ids or doc-starts (the options --doc-ids and --doc-starts name one)"
        problems.append(Problem(str(folder), None, "file", expected, "both"))
    links = here.every(_LINKS)
    pronouns = here.only(_PRONOUNS)
    source = here.only(_SOURCE, given.source)
    reference = here.only(_REFERENCE, given.reference)
    if given.candidates:
        outputs = _given_outputs(given, problems)
    else:
        outputs = _found_outputs(folder / OUTPUTS, problems)
    copies = [one for one in outputs if _is_copy(one, reference)]
    outputs = tuple(one for one in outputs if one not in copies)
    links_reference = given.links_reference or _links_of(reference, links)
    sets = tuple(_sets(folder / CONTRASTIVE, problems))
    made = [*outputs, *(output for test_set in sets for output in test_set.outputs)]
    translations = [path for path in (reference, *(one.path for one in made)) if path is not None]
    left = {*here.left, *links, *_left_of_sets(folder / CONTRASTIVE, sets)} - {links_reference}
    left |= {one.path for one in copies}
    return ReportFiles(
        source,
        reference,
        outputs,
        links_reference,
        doc_ids,
        doc_starts,
        pronouns,
        sets,
        _languages(source, translations, pair, problems),
        tuple(sorted(left)),
    )


def _in_metrics_eval(
    folder: Path, given: GivenFiles, pair: tuple[str, str] | None, problems: list[Problem]
) -> tuple[GivenFiles, tuple[str, str] | None]:
    """The files of a folder of mt-metrics-eval, but those that are given, and their languages.

    Of several references it is the first, as WMT scores with refA.
    """
    test = metrics_eval_files(folder, pair, problems)
    if test is None:
        return given, pair
    found = replace(
        given,
        source=given.source or test.source,
        reference=given.reference or next(iter(test.references.values()), None),
        candidates=given.candidates or tuple(test.outputs.values()),
    )
    if found.doc_ids is None and found.doc_starts is None:
        found = replace(found, doc_ids=test.documents)
    source, target = test.languages
    return found, pair or (source or "", target or "")


def _is_copy(output: SystemFile, reference: Path | None) -> bool:
    """Whether an output is called as references are and has the very text of the reference."""
    if reference is None or not REFERENCE.fullmatch(output.name):
        return False
    try:
        return read_bytes(output.path) == read_bytes(reference)
    except InputError:  # the reader of texts tells what is wrong
        return False


def system_name(path: Path) -> str:
    """The name of a file without its compression, and without its kind or language."""
    stem, dot, suffix = plain_name(path).rpartition(".")
    if dot and (suffix in ("txt", "scores") or LANGUAGE.fullmatch(suffix)):
        return stem
    return plain_name(path)


def is_text(name: str) -> bool:
    """Whether a name can be written; one whose bytes are not UTF-8 cannot."""
    return name.encode("utf-8", "replace").decode() == name


class _Folder:
    """The files of a folder, of which each rule takes its own; `left` are those of none."""

    def __init__(self, folder: Path, problems: list[Problem]) -> None:
        self.problems = problems
        self.left = _files_of(folder)

    def every(self, rule: re.Pattern[str]) -> list[Path]:
        """All files of a kind."""
        found = [path for path in self.left if rule.fullmatch(plain_name(path))]
        self.left = [path for path in self.left if path not in found]
        return found

    def own_doc_ids(self) -> None:
        """Pass over the documents of single texts, which are read with them."""
        texts = {f"{plain_name(path)}.doc-ids" for path in self.left}
        self.left = [path for path in self.left if plain_name(path) not in texts]

    def only(self, rule: re.Pattern[str], given: Path | None = None) -> Path | None:
        """The file of a kind, of which there must not be two; or the one that was given."""
        if given is not None:
            return given
        found = self.every(rule)
        if len(found) > 1:
            shown = ", ".join(path.name for path in found)
            expected = "one such file, or an option that names it"
            self.problems.append(Problem(str(found[0].parent), None, "file", expected, shown))
        return found[0] if found else None


def _files_of(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names, but those that are hidden or explain."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith((".", "README"))
    )


def _found_outputs(folder: Path, problems: list[Problem]) -> tuple[SystemFile, ...]:
    files = _Folder(folder, problems)
    files.own_doc_ids()
    links = files.every(_LINKS)
    outputs = _systems(files.left, links, problems)
    for path in links:
        if path not in [one.links for one in outputs]:
            expected = "an output of the same name beside it"
            problems.append(Problem(str(path), None, "file", expected, "none"))
    missing = [output for output in outputs if output.links is None]
    if links and outputs:
        for one in missing:
            expected = "its links, as other outputs have them, or links of none"
            problems.append(Problem(str(one.path), None, "links", expected, "none"))
    return outputs


def _given_outputs(given: GivenFiles, problems: list[Problem]) -> tuple[SystemFile, ...]:
    links = given.links_candidates
    if links and len(links) != len(given.candidates):
        expected = f"as many link files as candidates, {len(given.candidates)}"
        problems.append(Problem("--candidate-links", None, "links", expected, str(len(links))))
        links = ()
    named = _systems(given.candidates, (), problems)
    return tuple(
        SystemFile(one.name, one.path, links[place] if links else None)
        for place, one in enumerate(named)
    )


def _systems(
    paths: Sequence[Path], links: Sequence[Path], problems: list[Problem]
) -> tuple[SystemFile, ...]:
    found: dict[str, SystemFile] = {}
    for path in paths:
        name = system_name(path)
        if not is_text(name):
            expected = "a name in UTF-8"
            problems.append(Problem(str(path), None, "name", expected, quoted(name)))
        if name in found:
            expected = f"one file of the system {quoted(name)}"
            shown = f"{found[name].path.name} and {path.name}"
            problems.append(Problem(str(path), None, "file", expected, shown))
        found.setdefault(name, SystemFile(name, path, _links_of(path, links)))
    return tuple(found.values())


def _links_of(text: Path | None, links: Iterable[Path]) -> Path | None:
    """X.links or X.fr.links, for the text X.fr."""
    if text is None:
        return None
    wanted = (f"{plain_name(text)}.links", f"{system_name(text)}.links")
    return next((path for path in links if plain_name(path) in wanted), None)


def _sets(folder: Path, problems: list[Problem]) -> Iterable[SetFiles]:
    files = _Folder(folder, problems)
    parts = files.every(_PARTS)
    names: set[str] = set()
    for path in files.every(_SET):
        name = plain_name(path).rpartition(".")[0]
        if name in names:
            expected = "one set of this name"
            problems.append(Problem(str(path), None, "file", expected, "two"))
            continue
        names.add(name)
        made = _Folder(folder / name, problems)
        scores, outputs = (_systems(own, (), problems) for own in (made.every(_SCORES), made.left))
        own = next((part for part in parts if plain_name(part) == f"{name}.parts"), None)
        yield SetFiles(name, path, scores, outputs, own)


def _left_of_sets(folder: Path, sets: Iterable[SetFiles]) -> set[Path]:
    """The files beside sets that belong to none of them: a set of another name was meant."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    found = {path for one in (folder, *inside) for path in _files_of(one)}
    for one in sets:
        found -= {one.path, one.parts, *(own.path for own in (*one.scores, *one.outputs))}
    return found


def check_apart(folder: Path, output: Path) -> None:
    """Raise if what is written to a folder would be read as outputs or sets by the next report."""
    for name in (OUTPUTS, CONTRASTIVE):
        if output.resolve().is_relative_to((folder / name).resolve()):
            expected = f"another folder: all files of {folder / name} are read"
            raise input_error(output, "output", expected, "this one")


def _languages(
    source: Path | None,
    translations: Sequence[Path],
    pair: tuple[str, str] | None,
    problems: list[Problem],
) -> tuple[str | None, str | None]:
    """The languages of source and translations: those of the pair, else those of the names."""
    own = [language_of(path) for path in translations]
    found = pair or (language_of(source), next((one for one in own if one), None))
    texts = [(source, language_of(source), found[0])]
    texts += [(path, one, found[1]) for path, one in zip(translations, own, strict=True)]
    for path, language, wanted in texts:
        if language is not None and language != wanted:
            as_said = "--pair says" if pair else "others are"
            expected = f"a text in {wanted}, as {as_said}"
            problems.append(Problem(str(path), None, "language", expected, language))
    return found
