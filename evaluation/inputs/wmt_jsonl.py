"""MT tests in the JSONL of WMT: lines that are annotations, segments or documents.

- 2024 (humeval/merge_to_jsonl.py of wmt-conference/wmt24-news-systems): an annotation a line with
  `src`, `tgt` and `system`, or a segment a line with `src_text` and with `tgt_text` by system.
- 2025 (wmt-conference/wmt25-general-mt): segments as before, or a document a line with `src_text`
  and `refs`, paragraphs between blank lines; `systems/SYSTEM.jsonl` beside it has what each system
  wrote, its `hypothesis`. A document is one segment unless all its texts have as many paragraphs.

A file may have several pairs of languages: `langs`, `src_lang` and `tgt_lang`, or the beginning of
`doc_id` tells them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    counted,
    input_error,
    quoted,
)
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.inputs.mt_tests import (
    BREAKS,
    REFERENCE,
    DocumentTexts,
    MTTest,
    Pair,
    assembled_test,
    named_files,
)

SYSTEMS = "systems"
PART = "_#_"
"""What stands between the parts of the id of a document or segment."""
_PAIR = re.compile(r"([a-z]{2,3})(?:_[A-Za-z]+)*-([a-z]{2,3})(?:_[A-Za-z]+)*")


Fields = Mapping[str, type | tuple[type, ...]]
"""The fields that an object must have, and of which types."""


def json_rows(
    path: Path, problems: list[Problem], fields: Fields
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their lines, those whose fields are of the given types."""
    for number, line in enumerate(read_text_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError as error:
            problems.append(Problem(str(path), number, "line", "a JSON object", str(error)))
            continue
        if not isinstance(row, dict):
            expected, found = "a JSON object", quoted(line)
            problems.append(Problem(str(path), number, "line", expected, found))
            continue
        wrong = {
            name: kinds for name, kinds in fields.items() if not isinstance(row.get(name), kinds)
        }
        for name, kinds in wrong.items():
            found = quoted(repr(row[name])) if name in row else "none"
            problems.append(Problem(str(path), number, name, _KINDS[kinds], found))
        if not wrong:
            yield number, row


_KINDS: Mapping[type | tuple[type, ...], str] = {
    str: "a text",
    dict: "an object",
    list: "a list",
    (int, str): "a number or a text",
    (int, float, str): "a number",
}
ANNOTATION: Fields = {"src": str, "tgt": str, "system": str, "doc_id": str, "line_id": (int, str)}
SEGMENT: Fields = {"src_text": str, "tgt_text": dict, "doc_id": str}
DOCUMENT: Fields = {"src_text": str, "doc_id": str}
HYPOTHESIS: Fields = {"doc_id": str, "hypothesis": str}


def form_of(path: Path) -> str:
    """What a JSONL file has on each line: an `annotation`, a `segment` or a `document`."""
    problems: list[Problem] = []
    for _, row in json_rows(path, problems, {}):
        if "src" in row and "tgt" in row:
            return "annotation"
        if "src_text" in row:
            return "segment" if "tgt_text" in row else "document"
        expected = "src and tgt, src_text and tgt_text, or src_text and refs, as WMT has them"
        raise input_error(path, "fields", expected, ", ".join(map(str, row)) or "none", 1)
    if problems:
        raise InputError(problems)
    raise input_error(path, "file", "at least one line", "none")


def row_pair(row: Mapping[str, Any]) -> Pair | None:
    """The languages of a row, if it tells them."""
    written = row.get("langs")
    if not isinstance(written, str):
        languages = row.get("src_lang"), row.get("tgt_lang")
        if all(isinstance(one, str) for one in languages):
            written = f"{languages[0]}-{languages[1]}"
        else:
            written = str(row.get("doc_id", "")).partition(PART)[0]
    found = _PAIR.fullmatch(written)
    return (found[1], found[2]) if found else None


def segment_of(row: Mapping[str, Any]) -> tuple[str, str, int | None]:
    """The document of a row, its domain, and the number of its segment where it has one."""
    name, domain = str(row["doc_id"]), row.get("domain", "")
    rest, _, last = name.rpartition(PART)
    number = None
    if rest and last.isascii() and last.isdigit() and len(last) < 10:
        name, number = rest, int(last)
    if "line_id" in row:
        written = str(row["line_id"])
        whole = written.isascii() and written.isdigit() and len(written) < 10
        number = int(written) if whole else None
    parts = name.split(PART)
    if not domain and len(parts) > 2 and _PAIR.fullmatch(parts[0]):
        domain = parts[1]
    return name, str(domain), number


def rows_of_pair(
    path: Path,
    pair: Pair | None,
    problems: list[Problem],
    fields: Fields,
) -> tuple[list[tuple[int, dict[str, Any]]], tuple[str | None, str | None]]:
    """The rows of the languages that are wanted, or of the only ones, and these languages."""
    rows = [(number, row, row_pair(row)) for number, row in json_rows(path, problems, fields)]
    known = dict.fromkeys(own for _, _, own in rows if own is not None)
    if pair is None and len(known) > 1:
        shown = ", ".join("-".join(one) for one in known)
        problems.append(
            Problem(str(path), None, "pair", "one pair, or --pair that says which", shown)
        )
    elif pair is not None and known and pair not in known:
        expected = choices("-".join(one) for one in known)
        problems.append(Problem(str(path), None, "pair", expected, "-".join(pair)))
    wanted = pair or next(iter(known), None)
    kept = [(number, row) for number, row, own in rows if own in (None, wanted)]
    return kept, wanted or (None, None)


def read_wmt_jsonl(path: Path, pair: Pair | None = None) -> MTTest:
    """A test in one of the JSONL forms of WMT."""
    form = form_of(path)
    problems: list[Problem] = []
    if form == "document":
        return _read_documents(path, pair, problems)
    fields = ANNOTATION if form == "annotation" else SEGMENT
    rows, languages = rows_of_pair(path, pair, problems, fields)
    documents: dict[str, DocumentTexts] = {}
    for number, row in rows:
        name, domain, segment = segment_of(row)
        document = documents.setdefault(name, DocumentTexts(name, number, domain))
        key = str(len(document.source) if segment is None else segment)
        if form == "annotation":
            source, translations = row["src"], {row["system"]: row["tgt"]}
        else:
            source, translations = row["src_text"], row["tgt_text"]
        for text, texts, where in [
            (source, document.source, "source"),
            *(
                (text, _texts(document, system).setdefault(system, {}), system)
                for system, text in translations.items()
            ),
        ]:
            if not isinstance(text, str):
                problems.append(Problem(str(path), number, where, "a text", quoted(repr(text))))
            elif texts.setdefault(key, _line(text)) != _line(text):
                expected = f"the text of segment {name} {key} as before"
                problems.append(Problem(str(path), number, where, expected, quoted(text)))
    if problems:
        raise InputError(problems)
    for document in documents.values():
        order = sorted(document.source, key=int)
        document.source = {key: document.source[key] for key in order}
    return assembled_test(path, list(documents.values()), languages)


def _texts(document: DocumentTexts, system: str) -> dict[str, dict[str, str]]:
    return document.references if REFERENCE.fullmatch(system) else document.outputs


def _line(text: str) -> str:
    """A text on one line, of the same length."""
    return text.translate(BREAKS)


def _read_documents(path: Path, pair: Pair | None, problems: list[Problem]) -> MTTest:
    """A test with a document a line and a file for each system beside it."""
    rows, languages = rows_of_pair(path, pair, problems, DOCUMENT)
    texts = _hypotheses(path.parent / SYSTEMS, problems)
    documents, unequal = [], 0
    for number, row in rows:
        name, domain, _ = segment_of(row)
        name = str(row["doc_id"])
        document = DocumentTexts(name, number, domain)
        parts = {"": row["src_text"]}
        references = row.get("refs") or {}
        if not isinstance(references, dict):
            problems.append(
                Problem(str(path), number, "refs", "an object", quoted(repr(references)))
            )
            references = {}
        for key, found in references.items():
            text = found.get("ref") if isinstance(found, dict) else found
            if isinstance(text, str):
                parts[f"r{key}"] = text
            else:
                where = f"refs.{key}"
                problems.append(Problem(str(path), number, where, "a text", quoted(repr(found))))
        parts |= {f"o{system}": own[name] for system, own in texts.items() if name in own}
        cut = {key: _paragraphs(text) for key, text in parts.items()}
        if len({len(paragraphs) for paragraphs in cut.values()}) > 1:
            unequal += 1
            cut = {key: [" ".join(paragraphs)] for key, paragraphs in cut.items()}
        for key, paragraphs in cut.items():
            numbered = {str(place): text for place, text in enumerate(paragraphs)}
            if not key:
                document.source = numbered
            elif key[0] == "r":
                document.references[key[1:]] = numbered
            else:
                document.outputs[key[1:]] = numbered
        documents.append(document)
    if problems:
        raise InputError(problems)
    test = assembled_test(path, documents, languages)
    if not unequal:
        return test
    where = counted(unequal, "document")
    told = f"breaks of paragraphs in {where}, in which not all texts have as many"
    return replace(test, left_out=(*test.left_out, told))


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which stand between blank lines, each on one line."""
    return [_line(part.strip()) for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n"))]


def _hypotheses(folder: Path, problems: list[Problem]) -> dict[str, dict[str, str]]:
    """What each system wrote, by document."""
    found: dict[str, dict[str, str]] = {}
    for name, path in named_files(folder, (".jsonl",)).items():
        own = found.setdefault(name, {})
        for number, row in json_rows(path, problems, HYPOTHESIS):
            if own.setdefault(row["doc_id"], row["hypothesis"]) != row["hypothesis"]:
                expected, shown = "each document once", quoted(row["doc_id"])
                problems.append(Problem(str(path), number, "doc_id", expected, shown))
    return found
