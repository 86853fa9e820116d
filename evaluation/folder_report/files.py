"""Which file of a folder is what, by its name.

- `source.en`, `test.src`: the source has `source` or `src` among the parts of its name, the
  reference `reference` or `ref`; parts stand between dots and hyphens.
- `outputs/NAME.fr`: one file for each system, and nothing else but what belongs to one.
- `doc-ids`, `X.doc-ids`: documents; `doc-starts`, `X.doc-starts`: the first line of each instead.
- `X.links` beside a translation X or X.fr: its word links to the source.
- `pronouns.yaml`: lists of pronouns, where those that come with the package are not wanted.

Every file may be compressed (.gz, .xz). Two letters at the end of a name are a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, input_error, quoted
from crosspro.evaluation.inputs.plain_text import (
    LANGUAGE,
    language_of,
    plain_name,
)

OUTPUTS = "outputs"
_SOURCE, _REFERENCE = (
    re.compile(rf"(.*[.-])?({words})([.-].*)?", re.IGNORECASE)
    for words in ("source|src", "reference|ref")
)
_DOC_IDS = re.compile(r"(.*\.)?doc-ids")
_DOC_STARTS = re.compile(r"(.*\.)?doc-starts")
_LINKS = re.compile(r".*\.links")
_PRONOUNS = re.compile(r"pronouns\.ya?ml")
_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")


@dataclass(frozen=True)
class SystemFile:
    """A file that a system made; of a translation also its word links, where they are known."""

    name: str
    path: Path
    links: Path | None = None


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
        return found


def read_pair(text: str) -> tuple[str, str]:
    """The languages of a pair such as en-fr."""
    found = _PAIR.fullmatch(text)
    if found is None:
        raise input_error("arguments", "pair", "two languages such as en-fr", quoted(text))
    return found[1], found[2]


def find_files(folder: Path, pair: tuple[str, str] | None, problems: list[Problem]) -> ReportFiles:
    """The files of a folder; faults are added to the list."""
    here = _Folder(folder, problems)
    doc_ids, doc_starts = here.only(_DOC_IDS), here.only(_DOC_STARTS)
    if doc_ids is not None and doc_starts is not None:
        problems.append(Problem(str(folder), None, "file", "doc-ids or doc-starts", "both"))
    links = here.every(_LINKS)
    pronouns = here.only(_PRONOUNS)
    source, reference = here.only(_SOURCE), here.only(_REFERENCE)
    outputs = _found_outputs(folder / OUTPUTS, problems)
    links_reference = _links_of(reference, links)
    texts = (reference, *(output.path for output in outputs))
    translations = [path for path in texts if path is not None]
    return ReportFiles(
        source,
        reference,
        outputs,
        links_reference,
        doc_ids,
        doc_starts,
        pronouns,
        _languages(source, translations, pair, problems),
        tuple(sorted({*here.left, *links} - {links_reference})),
    )


def system_name(path: Path) -> str:
    """The name of a file without its compression, and without its kind or language."""
    stem, dot, suffix = plain_name(path).rpartition(".")
    if dot and (suffix == "txt" or LANGUAGE.fullmatch(suffix)):
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

    def only(self, rule: re.Pattern[str]) -> Path | None:
        """The file of a kind, of which there must not be two."""
        found = self.every(rule)
        if len(found) > 1:
            shown = ", ".join(path.name for path in found)
            expected = "one such file"
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


def check_apart(folder: Path, output: Path) -> None:
    """Raise if what is written to a folder would be read as outputs by the next report."""
    outputs = folder / OUTPUTS
    if output.resolve().is_relative_to(outputs.resolve()):
        expected = f"another folder: all files of {outputs} are read"
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
