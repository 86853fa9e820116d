"""Context sets as generative scoring reads them: each instance with the form that is expected.

- ctxpro (Wicks and Post 2023): a JSON list of objects with `rule` and `expected`; sets of gender
  and of auxiliaries also say `ante distance`, and those of gender `intrasegmental`. Released files
  and the tool itself spell other fields in two ways (`document id`, `document_id`).
- ContraPro, the large en-fr set, and sets that `crosspro contrastive build` made: the expected form
  is `ref pronoun`, its rivals are the words of the errors.
- The TSV of the generative ContraPro (Post and Junczys-Dowmunt 2023): instances and one system's
  output in one file. Six fields: distance of the antecedent, label, pronoun, source, reference,
  output; before them there may be the number of the payload among the parts of the output (0 the
  first). Source, reference and output are whole documents whose parts are joined by a separator.
  Only rows labelled `correct` are instances; the others are the contrastive errors of the set.
- MT-GenEval's contextual sets (Currey et al. 2022): three files of lines, known by the name of the
  first, `NAME-2to1-test.en_de.en`: a sentence of context, `<sep>` and the segment; `original` and
  `flipped` have two references beside it, the second with the other gender. No form is named:
  what stands in one reference only tells the genders apart.

Where a set names no rivals they are the other forms in the same role, from our tables of pronouns;
so is the gender of the expected form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, empty_file, input_error, quoted
from crosspro.data_prep.core.files import read_bytes
from crosspro.evaluation.inputs.plain_text import lines_of, plain_name, unequal_lines
from crosspro.evaluation.inputs.pronoun_forms import gender_of, likely_readings, rivals_of
from crosspro.evaluation.metrics.contrastive.formats import (
    CONTRAPRO,
    MISSING,
    UNKNOWN,
    ContrastiveSet,
    Instance,
    SetFields,
    WrongTranslation,
    content_digest,
    contrastive_set,
    read_json,
    said_of_antecedents,
)
from crosspro.evaluation.metrics.expected_forms.outputs import SEPARATORS, TsvSet, read_tsv_set

CTXPRO = "ctxpro"
MT_GENEVAL = "mt-geneval"
_GENEVAL_NAME = re.compile(r".+-2to1-[^.]+\.en_([a-z]{2})\.en")
_SEP = "<sep>"
_SPELLINGS = {
    "document": ("document id", "document_id"),
    "source": ("src segment", "source"),
    "reference": ("ref segment", "reference"),
}


def read_expected(
    path: Path,
    language: str,
    *,
    allow_unknown: bool = False,
    separators: Sequence[str] = SEPARATORS,
) -> tuple[ContrastiveSet, TsvSet | None]:
    """A set with its expected forms; if it is a TSV, also what that says of each system's output.

    Raises `InputError` with all faults.
    """
    if is_geneval(path):
        return _geneval_set(path, language), None
    if not is_json(path):
        rows = read_tsv_set(path, separators)
        return with_forms(rows.test_set, language), rows
    content = read_json(path)
    if is_ctxpro(content):
        found = _ctxpro_set(path, content)
    else:
        found = contrastive_set(path, content, allow_unknown=allow_unknown)
    if found.kind not in (CTXPRO, CONTRAPRO):
        expected = "a set that names the expected form (ctxpro, ContraPro)"
        raise input_error(path, "file", expected, found.kind)
    return with_forms(found, language), None


def is_json(path: Path) -> bool:
    """Whether a file begins as a list or an object of JSON does."""
    return read_bytes(path)[:4096].lstrip()[:1] in (b"[", b"{", b"")


def is_ctxpro(content: object) -> bool:
    """Whether a list of JSON is one of ctxpro."""
    return isinstance(content, list) and any(
        isinstance(one, dict) and "expected" in one for one in content
    )


def is_geneval(path: Path) -> bool:
    """Whether a file is named as the English side of a contextual set of MT-GenEval is."""
    return bool(_geneval_language(path))


def _geneval_language(path: Path) -> str:
    """The target language in the name of a contextual set of MT-GenEval; nothing in others."""
    found = _GENEVAL_NAME.fullmatch(plain_name(path))
    return found[1] if found else ""


def _geneval_set(path: Path, language: str) -> ContrastiveSet:
    own = _geneval_language(path)
    if language not in ("", own):
        raise input_error(path, "language", f"{own}, by its name", language)
    problems: list[Problem] = []
    paths = [path, *(_geneval_reference(path, own, kind) for kind in ("original", "flipped"))]
    files = [lines_of(one, problems) for one in paths]
    for one, lines in zip(paths[1:], files[1:], strict=True):
        if lines is not None and files[0] is not None:
            problems += unequal_lines(one, len(lines), len(files[0]), path.name)
    if files[0] == []:
        problems.append(empty_file(path))
    for number, line in enumerate(files[0] or (), start=1):
        if _SEP not in line.lower():
            problems.append(Problem(str(path), number, _SEP, "it after the context", quoted(line)))
    if problems:
        raise InputError(problems)
    rows = list(zip(*(lines or () for lines in files), strict=True))
    alike = sum(original.split() == flipped.split() for _, original, flipped in rows)
    warnings = [f"{alike:,} instances have one reference for both genders"] if alike else []
    instances = tuple(_geneval_instance(number, *row) for number, row in enumerate(rows, start=1))
    digest = content_digest(rows)
    return ContrastiveSet(path.name, MT_GENEVAL, instances, digest, tuple(warnings))


def _geneval_reference(path: Path, language: str, kind: str) -> Path:
    stem, _, ending = path.name.partition("-2to1-")
    before, after = ending.rsplit(".en", 1)
    return path.with_name(f"{stem}-{kind}-{before}.{language}{after}")


def _geneval_instance(number: int, source: str, original: str, flipped: str) -> Instance:
    context, segment = re.split(rf"(?i){_SEP}(?!.*{_SEP})", source, maxsplit=1)
    return Instance(
        name=f"line {number}",
        errors=(WrongTranslation(flipped, None),),
        groups={},
        source=segment.strip(),
        reference=original,
        source_context=(context.strip(),) if context.strip() else (),
    )


def _ctxpro_set(path: Path, content: list[Any]) -> ContrastiveSet:
    # The tool never looks at antecedents, so that sets may leave them open.
    reader = SetFields(str(path), allow_unknown=True)
    instances = tuple(_ctxpro_instances(content, reader))
    if reader.problems:
        raise InputError(reader.problems)
    return ContrastiveSet(path.name, CTXPRO, instances, content_digest(content))


def _ctxpro_instances(content: list[Any], reader: SetFields) -> Iterator[Instance]:
    said = said_of_antecedents(content)
    for number, one in enumerate(content, start=1):
        name = f"instance {number}"
        if not isinstance(one, dict):
            reader.problem(name, "an object", one)
            continue
        expected, rule = (
            reader.text(one.get(key, MISSING), f"{name}, {key}") or ""
            for key in ("expected", "rule")
        )
        source = reader.text(one.get("src pronoun", MISSING), f"{name}, src pronoun", False)
        document = _spelled(one, "document")
        if isinstance(document, list | dict):
            reader.problem(f"{name}, document id", "text or a number", document)
        text, reference = (
            reader.text(_spelled(one, key), f"{name}, {_SPELLINGS[key][0]}", False)
            for key in ("source", "reference")
        )
        groups = {"rule": rule}
        if "src verb" not in one:  # sets of auxiliaries expect hundreds of verbs
            groups["pronoun"] = ":".join(filter(None, (source, expected))).lower()
        yield Instance(
            name=name,
            errors=(),
            groups=groups | reader.antecedent(one, name, said),
            source=text,
            reference=reference,
            source_pronoun=source,
            reference_pronoun=expected,
            document=None if document in (None, MISSING) else str(document),
            **reader.neighbours(one, name),
        )


def _spelled(one: dict[str, Any], key: str) -> object:
    return next((one[name] for name in _SPELLINGS[key] if name in one), MISSING)


def with_forms(test_set: ContrastiveSet, language: str) -> ContrastiveSet:
    """The set with the gender of its expected forms, and with rivals where it names none."""
    instances = []
    for one in test_set.instances:
        readings = likely_readings(one.reference_pronoun or "", language, one.source_pronoun)
        errors = one.errors
        if not errors:
            errors = tuple(WrongTranslation(None, form) for form in rivals_of(readings, language))
        groups = {**one.groups, "gender": gender_of(readings) or UNKNOWN}
        instances.append(replace(one, errors=errors, groups=groups))
    if all(instance.groups["gender"] == UNKNOWN for instance in instances):
        for one in instances:
            del one.groups["gender"]
    return replace(test_set, instances=tuple(instances))


def rival_words(instance: Instance) -> list[str]:
    """The words that stand in the errors where the reference has the expected form."""
    own = (instance.reference_pronoun or "").lower()
    found = []
    for error in instance.errors:
        word = error.word or _replacement(instance.reference, error.text)
        if word and word.lower() != own:
            found.append(word)
    return found


def _replacement(reference: str | None, error: str | None) -> str | None:
    """The one word in which an error differs from the reference."""
    one, other = (reference or "").split(), (error or "").split()
    if len(one) != len(other):
        return None
    different = [b for a, b in zip(one, other, strict=True) if a != b]
    return different[0].strip('.,;:!?…"“”«»()') if len(different) == 1 else None
