"""The content of a folder, read and checked as a whole before anything is computed.

Whatever is wrong with any of the files is raised at once. What cannot be computed because it is not
there (no source, no lists for the languages, a package that is not installed) is no fault; it is
kept with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.data_prep.core.errors import CrossproError, InputError, Problem
from crosspro.evaluation.folder_report.columns import Column, columns_of
from crosspro.evaluation.folder_report.files import CONTRASTIVE, OUTPUTS, ReportFiles, SetFiles
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
from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, read_scores
from crosspro.evaluation.metrics.expected_forms.expected_sets import is_json, read_expected
from crosspro.evaluation.metrics.expected_forms.metric import GeneratedSet
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs
from crosspro.evaluation.metrics.pronoun_doubt.metric import JudgedText

if TYPE_CHECKING:
    from crosspro.evaluation.inputs.sentence_segments import PriorOf, SentenceSegments, Tell


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
    tokenise: str = "13a"
    """sacrebleu's tokeniser for BLEU."""
    proofread: bool | None = None
    """Whether pronouns are judged without a reference; None: where outputs are not too long."""
    sentences: PriorOf | None = None
    """What helps to align sentences; None: texts are line by line."""


PROOFREAD_LINES = 20_000
"""So many lines of all outputs together are judged in some minutes, unless that is not wanted."""
NO_REFERENCE = "no reference: a file such as reference.fr, or --reference"
NO_SOURCE = "no source: a file such as source.en, or --source"


@dataclass(frozen=True)
class NotComputed:
    """A metric that the folder is not enough for, and why."""

    metric: str
    reason: str


@dataclass(frozen=True)
class ReadSet:
    """A set as it was read; None for what no system has made."""

    name: str
    scored: ScoredSet | None
    generated: GeneratedSet | None


@dataclass(frozen=True)
class ReportContents:
    """What was read; None where there is nothing of a kind."""

    text: MTText | None
    linked: ReadTexts | None
    documents: Documents | None
    sets: tuple[ReadSet, ...]
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
    tell: Tell = lambda text: None,
) -> ReportContents:
    """Read everything, or raise all that is wrong with it; `problems` were found before.

    `has_judge` says that something can judge pronouns of these languages without a reference.
    """
    return _Contents(folder, files, rules, list(problems), has_judge, tell).read()


class _Contents:
    """Reads the files of a folder one after the other and collects their faults."""

    def __init__(
        self,
        folder: Path,
        files: ReportFiles,
        rules: ReadingRules,
        problems: list[Problem],
        has_judge: bool,
        tell: Tell,
    ) -> None:
        self.folder, self.files, self.rules, self.problems = folder, files, rules, problems
        self.has_judge, self.tell = has_judge, tell
        self.segments: SentenceSegments | None = None
        self.columns: list[Column] = []
        self.missing: list[NotComputed] = []
        self.hint = ""

    def read(self) -> ReportContents:
        """Everything, or an error with all faults."""
        self.enough()
        files = self.files
        if self.rules.sentences is not None and files.outputs:
            self.segments = self.aligned(self.rules.sentences)
        lines = self.lines()
        size = next((len(line) for line in lines if line is not None), None)
        if self.segments is not None:
            documents = self.segments.documents
        else:
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
        sets = self.sets()
        raise_problems(list(dict.fromkeys(self.problems)), self.hint)
        return ReportContents(
            self.text(lines, documents) if files.outputs else None,
            linked,
            documents,
            sets,
            tuple(self.columns),
            tuple(self.missing),
            tuple((lines[0] or ()) if files.source is not None and files.outputs else ()),
        )

    def offer(self, needs: str, without: str = "", of: str = "") -> None:
        """Note the metrics that score such data, or why they cannot."""
        offered = {"language": self.files.languages[1] or "", "tokenise": self.rules.tokenise}
        for column in columns_of(needs, offered, of):
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
        if not files.outputs and not files.sets:
            expected = f"files in {OUTPUTS} (or --candidate), or sets in {CONTRASTIVE}"
            self.problem("outputs", expected)
        judged = self.has_judge and self.rules.proofread is not False
        if files.outputs and files.reference is None and not (judged and files.source):
            self.problem("reference", "a file such as reference.fr, or --reference")
        generated = files.outputs or any(one.outputs for one in files.sets)
        if generated and files.languages[1] is None:
            self.problem("language", "names that end in a language (reference.fr), or --pair")

    def aligned(self, prior_of: PriorOf) -> SentenceSegments:
        """The texts in segments; faults are raised at once: there is nothing to compute without."""
        from crosspro.evaluation.inputs.sentence_segments import SegmentedFiles, align_files

        files = self.files
        outputs = tuple(output.path for output in files.outputs)
        translations = outputs if files.reference is None else (files.reference, *outputs)
        documents = files.doc_ids, files.doc_starts
        given = [output.path for output in files.outputs if output.links is not None]
        for path in given if files.links_reference is None else [files.reference, *given]:
            expected = "no links beside texts whose sentences are to be aligned"
            self.problems.append(Problem(str(path), None, "links", expected, "some"))
        raise_problems(self.problems)
        to_segment = SegmentedFiles(files.source, translations, *documents, files.languages)
        return align_files(to_segment, prior_of, self.tell)

    def lines(self) -> list[list[str] | None]:
        """The lines of source, reference and outputs, those that there are."""
        files = self.files
        texts = [files.source, files.reference, *(output.path for output in files.outputs)]
        paths = [path for path in texts if path is not None]
        if self.segments is not None:
            return [self.segments.lines[path] for path in paths]
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
        text = MTText(names, tuple(texts[outputs:]), tuple(references), numbers)
        done = self.segments
        return text if done is None else replace(text, warnings=done.told, prepared=done.signature)

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
            segments=self.segments,
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
            for needs, data in (("scored", read.scored), ("generated", read.generated)):
                if data is not None:
                    self.offer(needs, of=one.name)
        return tuple(found)


def _without_blank_end(lines: list[str] | None, others: list[str] | None) -> list[str] | None:
    """The lines without blank ones after the last that the other text has."""
    if lines is None or others is None or any(line.strip() for line in lines[len(others) :]):
        return lines
    return lines[: len(others)]


# Contrastive sets, with what systems made of them: scores, translations or both -----------------


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
    read = read_scores([score.path for score in files.scores], test_set, maximise)
    pairs = zip(read, files.scores, strict=True)
    return ScoredSet(test_set, tuple(replace(one, name=own.name) for one, own in pairs))


def _generated(files: SetFiles, language: str) -> GeneratedSet:
    test_set, rows = read_expected(files.path, language, allow_unknown=True)
    read = read_outputs(
        [output.path for output in files.outputs],
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
