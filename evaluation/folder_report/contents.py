"""The content of a folder, read and checked as a whole before anything is computed.

Whatever is wrong with any of the files is raised at once. What cannot be computed because it is not
there (no source, no lists for the languages, a package that is not installed) is no fault; it is
kept with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import SAMPLE, looks_tokenised
from crosspro.data_prep.core.errors import InputError, Problem, choices, how_to_install
from crosspro.evaluation.folder_report.files import CONTRASTIVE, OUTPUTS, ReportFiles
from crosspro.evaluation.folder_report.sets import ReadSet, read_set
from crosspro.evaluation.inputs.linked_text import raise_problems
from crosspro.evaluation.inputs.mt_input import ALONE, AlignWith, InputPaths, ReadTexts, read_texts
from crosspro.evaluation.inputs.plain_text import (
    Documents,
    MTText,
    check_lengths,
    lines_of,
    read_documents,
)
from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, lists_names, load_lists

LINKED = ("APT", "AutoPRF")
"""The metrics that need source, links and lists of pronouns."""


@dataclass(frozen=True)
class ReadingRules:
    """How the files are read, where there is a choice.

    `tokenised` is whether there are spaces between words and punctuation; None says to look.
    Without `make_links`, what needs links is left out if they are not given.
    """

    pronouns: str | None = None
    align: AlignWith = ALONE
    make_links: bool = True
    tokenised: bool | None = None
    lenient: bool = False
    maximise: bool = False


@dataclass(frozen=True)
class NotComputed:
    """A metric that the folder is not enough for, and why."""

    metric: str
    reason: str


@dataclass(frozen=True)
class ReportContents:
    """What was read; None where there is nothing of a kind."""

    text: MTText | None
    linked: ReadTexts | None
    lists: PronounLists | None
    documents: Documents | None
    sets: tuple[ReadSet, ...]
    not_computed: tuple[NotComputed, ...]
    warnings: tuple[str, ...]


def read_contents(
    folder: Path,
    files: ReportFiles,
    rules: ReadingRules,
    problems: Sequence[Problem] = (),
) -> ReportContents:
    """Read everything, or raise all that is wrong with it; `problems` were found before."""
    return _Contents(folder, files, rules, list(problems)).read()


class _Contents:
    """Reads the files of a folder one after the other and collects their faults."""

    def __init__(
        self, folder: Path, files: ReportFiles, rules: ReadingRules, problems: list[Problem]
    ) -> None:
        self.folder, self.files, self.rules, self.problems = folder, files, rules, problems
        self.missing: list[NotComputed] = []
        self.warnings: list[str] = []
        self.hint = ""

    def read(self) -> ReportContents:
        """Everything, or an error with all faults."""
        self.enough()
        lines = self.lines()
        size = next((len(one) for one in lines if one is not None), None)
        files = self.files
        documents = read_documents(files.doc_ids, files.doc_starts, size, self.problems)
        lists = self.lists()
        linked = self.linked(lists)
        sets = self.sets()
        raise_problems(list(dict.fromkeys(self.problems)), self.hint)
        return ReportContents(
            self.text(lines, documents),
            linked,
            lists,
            documents,
            sets,
            tuple(self.missing),
            tuple(self.warnings),
        )

    def problem(self, field: str, expected: str) -> None:
        """There must be something in the folder that is not there."""
        self.problems.append(Problem(str(self.folder), None, field, expected, "none"))

    def enough(self) -> None:
        """Whether there is something to score, and what it is scored with."""
        files = self.files
        if not files.outputs and not files.sets:
            expected = f"files in {OUTPUTS} (or --candidate), or sets in {CONTRASTIVE}"
            self.problem("outputs", expected)
        if files.outputs and files.reference is None:
            self.problem("reference", "a file such as reference.fr, or --reference")
        generated = files.outputs or any(one.outputs for one in files.sets)
        if generated and files.languages[1] is None:
            self.problem("language", "names that end in a language (reference.fr), or --pair")

    def lines(self) -> list[list[str] | None]:
        """The lines of source, reference and outputs, those that there are."""
        files = self.files
        texts = [files.source, files.reference, *(one.path for one in files.outputs)]
        paths = [path for path in texts if path is not None]
        read = [lines_of(path, self.problems) for path in paths]
        if self.rules.lenient:
            read = [_without_blank_end(lines, read[0]) for lines in read]
        check_lengths(paths, read, self.problems)
        if read and read[0] == []:
            self.problems.append(Problem(str(paths[0]), None, "file", "at least one line", "none"))
        return read

    def text(self, lines: Sequence[list[str] | None], documents: Documents | None) -> MTText | None:
        """Reference and outputs, which most metrics compare."""
        if not self.files.outputs:
            for metric in ("BLEU", "chrF", "pronoun F1", *LINKED):
                self.missing.append(NotComputed(metric, f"no files in {OUTPUTS}"))
            return None
        self.packages_and_languages()
        texts = [one for one in lines if one is not None]
        reference, *candidates = texts[1 if self.files.source is not None else 0 :]
        if looks_tokenised(reference[:SAMPLE]):
            self.warnings.append(
                "the reference looks tokenised: BLEU is comparable with that of other reports only "
                "if their text was tokenised in the same way"
            )
        numbers = None if documents is None else documents.of_line
        names = tuple(one.name for one in self.files.outputs)
        return MTText(names, tuple(candidates), (reference,), numbers)

    def packages_and_languages(self) -> None:
        """Say what is left out for want of a package or of a table of pronouns."""
        if find_spec("sacrebleu") is None:
            reason = f"sacrebleu is not installed: {how_to_install('mt')}"
            self.missing += [NotComputed(metric, reason) for metric in ("BLEU", "chrF")]
        language = self.files.languages[1]
        if language not in LANGUAGES:
            reason = f"no table of the pronouns of {language}: {choices(LANGUAGES)}"
            self.missing.append(NotComputed("pronoun F1", reason))

    def lists(self) -> PronounLists | None:
        """The lists of pronouns that are named, lie in the folder, or belong to the languages."""
        source, target = self.files.languages
        name: str | Path | None = self.rules.pronouns or self.files.pronouns
        if name is None and f"{source}-{target}" in lists_names():
            name = f"{source}-{target}"
        if name is None:
            return None
        try:
            return load_lists(name)
        except InputError as error:
            self.problems += error.problems
            return None

    def linked(self, lists: PronounLists | None) -> ReadTexts | None:
        """Source, reference and outputs with their links, for what needs them."""
        files, rules = self.files, self.rules
        links = [files.links_reference, *(one.links for one in files.outputs)]
        reason = ""
        if files.source is None:
            reason = "no source: a file such as source.en, or --source"
        elif lists is None:
            pair = "-".join(one or "?" for one in files.languages)
            reason = f"no lists of pronouns for {pair}: pronouns.yaml, or --pronouns"
        elif None in links and not rules.make_links:
            reason = "no word links, and --no-align says to make none"
        if reason or not files.outputs or files.source is None or files.reference is None:
            if reason and files.outputs:
                self.missing += [NotComputed(metric, reason) for metric in LINKED]
            return None
        paths = InputPaths(
            files.source,
            files.reference,
            tuple(one.path for one in files.outputs),
            files.links_reference,
            tuple(one.links for one in files.outputs if one.links is not None),
            files.doc_ids,
            files.doc_starts,
            lenient=rules.lenient,
            tokenised=rules.tokenised,
            languages=files.languages,
        )
        try:
            read = read_texts(paths, lists, rules.align)
        except InputError as error:
            self.problems += error.problems
            self.hint = error.hint
            return None
        return replace(read, names=(read.names[0], *(one.name for one in files.outputs)))

    def sets(self) -> tuple[ReadSet, ...]:
        """The contrastive sets for which there is something to score."""
        found = []
        for one in self.files.sets:
            try:
                read = read_set(one, self.files.languages[1] or "", self.rules.maximise)
            except InputError as error:
                self.problems += error.problems
                continue
            if read.scored is None and read.generated is None:
                reason = f"no scores or outputs in {CONTRASTIVE}/{one.name}"
                self.missing.append(NotComputed(f"set {one.name}", reason))
            else:
                found.append(read)
        return tuple(found)


def _without_blank_end(lines: list[str] | None, others: list[str] | None) -> list[str] | None:
    """The lines without blank ones after the last that the other text has."""
    if lines is None or others is None or any(line.strip() for line in lines[len(others) :]):
        return lines
    return lines[: len(others)]
