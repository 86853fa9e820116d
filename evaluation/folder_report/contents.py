"""The content of a folder, read and checked as a whole before anything is computed.

Whatever is wrong with any of the files is raised at once. What cannot be computed because it is not
there (no source, no lists for the languages, a package that is not installed) is no fault; it is
kept with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, InputError, Problem
from crosspro.evaluation.folder_report.columns import Column, columns_of
from crosspro.evaluation.folder_report.files import OUTPUTS, ReportFiles
from crosspro.evaluation.inputs.linked_text import raise_problems
from crosspro.evaluation.inputs.mt_input import ALONE, AlignWith, InputPaths, ReadTexts, read_texts
from crosspro.evaluation.inputs.plain_text import (
    Documents,
    MTText,
    check_language,
    check_lengths,
    lines_of,
    read_documents,
)
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, lists_names, load_lists
from crosspro.evaluation.metrics.pronoun_doubt.metric import JudgedText


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
    tokenise: str = "13a"
    """sacrebleu's tokeniser for BLEU."""
    proofread: bool | None = None
    """Whether pronouns are judged without a reference; None: where outputs are not too long."""


PROOFREAD_LINES = 20_000
"""So many lines of all outputs together are judged in some minutes, unless that is not wanted."""
NO_REFERENCE = "no reference: a file such as reference.fr"
NO_SOURCE = "no source: a file such as source.en"


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
    documents: Documents | None
    columns: tuple[Column, ...]
    """The metrics for which there are data, in the order of a report."""
    not_computed: tuple[NotComputed, ...]
    source: tuple[str, ...] = ()
    """The lines of the source, where outputs are to be judged by them."""
    judged: JudgedText | None = None
    """The pronouns of the outputs, once they are judged."""

    @property
    def to_judge(self) -> bool:
        """Whether there are outputs whose pronouns are to be judged."""
        return any(column.kind.needs == "judged" for column in self.columns)


def read_contents(
    folder: Path,
    files: ReportFiles,
    rules: ReadingRules,
    problems: Sequence[Problem] = (),
    has_judge: bool = False,
) -> ReportContents:
    """Read everything, or raise all that is wrong with it; `problems` were found before.

    `has_judge` says that something can judge pronouns of these languages without a reference.
    """
    return _Contents(folder, files, rules, list(problems), has_judge).read()


class _Contents:
    """Reads the files of a folder one after the other and collects their faults."""

    def __init__(
        self,
        folder: Path,
        files: ReportFiles,
        rules: ReadingRules,
        problems: list[Problem],
        has_judge: bool,
    ) -> None:
        self.folder, self.files, self.rules, self.problems = folder, files, rules, problems
        self.has_judge = has_judge
        self.columns: list[Column] = []
        self.missing: list[NotComputed] = []
        self.hint = ""

    def read(self) -> ReportContents:
        """Everything, or an error with all faults."""
        self.enough()
        files = self.files
        lines = self.lines()
        size = next((len(line) for line in lines if line is not None), None)
        documents = read_documents(files.doc_ids, files.doc_starts, size, self.problems)
        no_outputs = "" if files.outputs else f"no files in {OUTPUTS}"
        without = no_outputs or ("" if files.reference else NO_REFERENCE)
        self.offer("text", without)
        lists = self.lists()
        without = without or self.why_not_linked(lists)
        self.offer("linked", without)
        linked = None if without else self.linked(lists)
        if self.has_judge:
            self.offer("judged", no_outputs or self.why_not_judged(size or 0))
        raise_problems(list(dict.fromkeys(self.problems)), self.hint)
        return ReportContents(
            self.text(lines, documents) if files.outputs else None,
            linked,
            documents,
            tuple(self.columns),
            tuple(self.missing),
            tuple((lines[0] or ()) if files.source is not None and files.outputs else ()),
        )

    def offer(self, needs: str, without: str = "") -> None:
        """Note the metrics that score such data, or why they cannot."""
        offered = {"language": self.files.languages[1] or "", "tokenise": self.rules.tokenise}
        for column in columns_of(needs, offered):
            reason = without or column.kind.lacks(column.settings)
            if reason:
                self.missing.append(NotComputed(column.called, reason))
            else:
                self.columns.append(column)
            try:
                column.make()
            except InputError as error:
                self.problems += error.problems
            except CrossproError:  # a package is missing, which was said
                continue

    def problem(self, field: str, expected: str) -> None:
        """There must be something in the folder that is not there."""
        self.problems.append(Problem(str(self.folder), None, field, expected, "none"))

    def enough(self) -> None:
        """Whether there is something to score, and what it is scored with."""
        files = self.files
        if not files.outputs:
            self.problem("outputs", f"files in {OUTPUTS}")
        judged = self.has_judge and self.rules.proofread is not False
        if files.outputs and files.reference is None and not (judged and files.source):
            self.problem("reference", "a file such as reference.fr")
        if files.outputs and files.languages[1] is None:
            self.problem("language", "names that end in a language (reference.fr), or --pair")

    def lines(self) -> list[list[str] | None]:
        """The lines of source, reference and outputs, those that there are."""
        files = self.files
        texts = [files.source, files.reference, *(output.path for output in files.outputs)]
        paths = [path for path in texts if path is not None]
        read = [lines_of(path, self.problems) for path in paths]
        if self.rules.lenient:
            read = [_without_blank_end(lines, read[0]) for lines in read]
        check_lengths(paths, read, self.problems)
        for path, lines in zip(paths, read, strict=True):
            language = files.languages[path != files.source]
            check_language(path, lines or (), language, self.problems)
        if read and read[0] == []:
            self.problems.append(Problem(str(paths[0]), None, "file", "at least one line", "none"))
        return read

    def text(self, lines: Sequence[list[str] | None], documents: Documents | None) -> MTText:
        """Reference and outputs, which most metrics compare; there may be no reference."""
        texts = [line for line in lines if line is not None]
        outputs = len(texts) - len(self.files.outputs)
        references = texts[:outputs] if self.files.source is None else texts[1:outputs]
        numbers = None if documents is None else documents.of_line
        names = tuple(output.name for output in self.files.outputs)
        return MTText(names, tuple(texts[outputs:]), tuple(references), numbers)

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

    def why_not_linked(self, lists: PronounLists | None) -> str:
        """What is missing for metrics that follow links from the source."""
        files = self.files
        if files.source is None:
            return NO_SOURCE
        if lists is None:
            pair = "-".join(language or "?" for language in files.languages)
            return f"no lists of pronouns for {pair}: pronouns.yaml, or --pronouns"
        given = all((files.links_reference, *(output.links for output in files.outputs)))
        if not given and not self.rules.make_links:
            return "no word links, and --no-align says to make none"
        return ""

    def why_not_judged(self, lines: int) -> str:
        """What is missing for a judgement without a reference, or speaks against it."""
        total = lines * len(self.files.outputs)
        if self.files.source is None:
            return NO_SOURCE
        if self.rules.proofread is False:
            return "--no-proofread says so"
        if self.rules.proofread is None and total > PROOFREAD_LINES and self.files.reference:
            return f"{total:,} lines of outputs, which take long: --proofread"
        return ""

    def linked(self, lists: PronounLists | None) -> ReadTexts | None:
        """Source, reference and outputs with their links."""
        files, rules = self.files, self.rules
        if files.source is None or files.reference is None:
            return None
        paths = InputPaths(
            files.source,
            files.reference,
            tuple(output.path for output in files.outputs),
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


def _without_blank_end(lines: list[str] | None, others: list[str] | None) -> list[str] | None:
    """The lines without blank ones after the last that the other text has."""
    if lines is None or others is None or any(line.strip() for line in lines[len(others) :]):
        return lines
    return lines[: len(others)]
