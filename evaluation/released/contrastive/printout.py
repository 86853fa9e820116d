"""What the released evaluation scripts print, line by line, and what in a set stops them.

ContraPro's script, which is also used for the large en-fr set, and DiscEvalMT's. They read as many
scores as they need and ignore the rest; where they stop with an error they have printed nothing, or
what came before the fault. Their errors are those of Python and name no instance;
`Printout.failure` says what the faults are, and where. The scripts read less than our own reader
asks for, and more kinds of values: only what they cannot use is a fault here.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import Problem, choices, quoted
from crosspro.data_prep.core.files import read_bytes
from crosspro.evaluation.metrics.contrastive.formats import FAR

TYPES = ("m.sg", "f.sg", "m.pl", "f.pl")
KINDS = ("correct", "semi-correct")
_MISSING = object()
_Fault = tuple[str, str, object]
"""Its place, what is expected there, and what is found."""
_LEXICAL_TYPES = ("repet", "disambig", "repet, disambig", None)


@dataclass(frozen=True, slots=True)
class Printout:
    """Standard output of a released script, and why it stopped if it did."""

    text: str
    failure: str | None = None


class _Stop(Exception):  # noqa: N818 - the end of a script, not an error of ours
    """A released script stops here."""


class _Scores:
    """Scores as the scripts read them: line by line, as far as they are needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = read_bytes(path).decode("utf-8", errors="replace")
        self.lines: Iterator[str] = iter(io.StringIO(text, newline=None))
        self.number = 0

    def next(self) -> float:
        self.number += 1
        line = next(self.lines, "")
        try:
            return float(line)
        except ValueError:
            found = quoted(line.rstrip("\n")) if line else "the end of the file"
            problem = Problem(str(self.path), self.number, "score", "a number", found)
            raise _Stop(str(problem)) from None


def released_printout(
    set_path: Path, content: object, scores_path: Path, maximise: bool
) -> Printout:
    """What the script that belongs to the set prints."""
    scores = _Scores(scores_path)
    printed: list[str] = []
    failure = None
    try:
        if isinstance(content, list):
            _contrapro(content, scores, maximise, printed)
        elif isinstance(content, dict) and any(
            isinstance(block, dict) and "examples" in block for block in content.values()
        ):
            _lexical_choice(content, scores, maximise, printed)
        elif isinstance(content, dict):
            _anaphora(content, scores, maximise, printed)
        else:
            raise _Stop(f"{set_path}: file: expected a list or an object, found neither")
    except (_Stop, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        faults = released_faults(set_path, content)
        shown = [str(error)] if isinstance(error, _Stop) else []
        if not shown and not faults:
            expected, found = (
                "what the released script can read",
                f"{type(error).__name__}: {error}",
            )
            faults = [Problem(str(set_path), None, "file", expected, found)]
        failure = "\n".join([*shown, *map(str, faults)])
    return Printout("".join(f"{line}\n" for line in printed), failure)


def _better(one: float, other: float, maximise: bool) -> bool:
    return one > other if maximise else one < other


# ContraPro --------------------------------------------------------------------------------------


def _contrapro(content: list[Any], scores: _Scores, maximise: bool, printed: list[str]) -> None:
    pronouns, right_pronouns = Counter[str](), Counter[str]()
    # Keys are the JSON values themselves: null sorts with nothing else, and the script stops.
    segmental, right_segmental = Counter[Any](), Counter[Any]()
    distances, right_distances = Counter[str](), Counter[str]()
    pairs: dict[str, Counter[str]] = {}
    for instance in content:
        reference = scores.next()
        pronoun = f"{instance['src pronoun'].lower()}:{instance['ref pronoun'].lower()}"
        value = instance["ante distance"]
        distance = FAR if value > 3 else str(value)
        inside = instance["intrasegmental"]
        errors = [scores.next() for _ in instance["errors"]]
        right = all(_better(reference, error, maximise) for error in errors)
        pairs.setdefault(distance, Counter())[pronoun] += 1
        for total, correct, key in (
            (pronouns, right_pronouns, pronoun),
            (segmental, right_segmental, inside),
            (distances, right_distances, distance),
        ):
            total[key] += 1
            correct[key] += right
    number, all_right = pronouns.total(), right_pronouns.total()
    printed.append(f"total : {all_right} {number} {all_right / number}")
    printed += ["", "statistics by error category"]
    printed += _counts(pronouns, right_pronouns, "")
    printed += ["", "statistics by intrasegmental"]
    printed += _counts(segmental, right_segmental, " ")
    printed += ["", "statistics by ante distance"]
    printed += _counts(distances, right_distances, " ")
    printed += ["", "ante distance per pronoun pairs"]
    for distance in sorted(pairs):
        printed.append(f"ante distance {distance} :")
        printed += [f"{pronoun} {pairs[distance][pronoun]} " for pronoun in sorted(pairs[distance])]


def _counts(total: Mapping[Any, int], right: Mapping[Any, int], end: str) -> list[str]:
    return [
        f"{key} : {right[key]} {total[key]} {right[key] / total[key]}{end}" for key in sorted(total)
    ]


# DiscEvalMT -------------------------------------------------------------------------------------


def _blocks(content: dict[str, Any]) -> list[str]:
    return [str(number) for number in sorted(int(key) for key in content)]


def _anaphora(content: dict[str, Any], scores: _Scores, maximise: bool, printed: list[str]) -> None:
    total, right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    whole = []
    for key in _blocks(content):
        wrong = 0
        for pair in content[key]["trg"]:
            kind = KINDS[0] if KINDS[0] in pair else KINDS[1]
            place = (pair["type"], kind)
            if place[0] not in TYPES or kind not in pair or "incorrect" not in pair:
                raise KeyError(place[0] if place[0] not in TYPES else kind)
            better = _better(scores.next(), scores.next(), maximise)
            total[place] += 1
            right[place] += better
            wrong += not better
        if not wrong:
            whole.append(key)
    printed.append("Distribution of pronoun types (in examples): ")
    for name in TYPES:
        kinds = [total[name, kind] for kind in KINDS]
        printed.append(f"\t{name}\ttotal: {sum(kinds)}")
        printed.append(f"\t\t\t: correct: {kinds[0]}, semi-correct: {kinds[1]}")
    printed += ["----------------", "Number correct of each type:"]
    for name in TYPES:
        hits = [right[name, kind] for kind in KINDS]
        misses = [total[name, kind] - right[name, kind] for kind in KINDS]
        printed.append(f"\t{name}\tTotal correct: {sum(hits)}")
        printed.append(f"\t\t\t: correct: {hits[0]} correct, {hits[1]} semi-correct")
        printed.append(f"\t\t\t: incorrect: {misses[0]} correct, {misses[1]} semi-correct")
    printed += [
        "----------------",
        "How many example blocks (of 4 contrastive pairs) are systematically right?",
        f"Number of examples where all right: {len(whole)}",
        f"\tCorresponds to examples:{whole}",
        "",
        "-------- Summary ---------",
    ]
    hits_total, pairs = right.total(), total.total()
    printed.append(f"Overall precision = {hits_total}/{pairs} = {hits_total / pairs}")


def _lexical_choice(
    content: dict[str, Any], scores: _Scores, maximise: bool, printed: list[str]
) -> None:
    total, right = Counter[str | None](), Counter[str | None]()
    whole = 0
    for key in _blocks(content):
        block = content[key]
        hits = 0
        for _ in block["examples"]:
            kind = block.get("type")
            if kind not in _LEXICAL_TYPES:
                raise _Stop(f"{kind} is not a real type")
            better = _better(scores.next(), scores.next(), maximise)
            total[kind] += 1
            right[kind] += better
            hits += better
        whole += hits == len(block["examples"])
    pairs, hits_total = total.total(), right.total()
    printed += [
        f"Total correct: {hits_total}",
        f"Total incorrect: {pairs - hits_total}",
        "",
        f"Number of example blocks entirely correct: {whole}",
        # The script takes whole blocks from pairs here, not from blocks.
        f"Number of example blocks not entirely correct: {pairs - whole}",
        "",
        "--------- By type of example -----------",
    ]
    for title, kind in (("Repet", "repet"), ("Disambig", "disambig")):
        printed.append(
            f"{title}: Total: {total[kind]}, #correct: {right[kind]}, "
            f"#incorrect: {total[kind] - right[kind]}"
        )
    printed += ["", "--------- Summary ---------"]
    printed += [f"Total precision = {hits_total}/{pairs} = {hits_total / pairs}", ""]


# What stops the scripts ------------------------------------------------------------------------


def released_faults(path: Path, content: object) -> list[Problem]:
    """Every place of a set that its released script cannot read."""
    if isinstance(content, list):
        found = list(_contrapro_faults(content))
    elif isinstance(content, dict):
        lexical = any(isinstance(block, dict) and "examples" in block for block in content.values())
        found = list(_block_faults(content, "examples" if lexical else "trg"))
    else:
        found = [("file", "a list or an object", content)]
    return [Problem(str(path), None, where, expected, _shown(v)) for where, expected, v in found]


def _shown(value: object) -> str:
    return "nothing" if value is _MISSING else quoted(json.dumps(value, ensure_ascii=False))


def _contrapro_faults(content: Sequence[Any]) -> Iterator[_Fault]:
    if not content:
        yield "file", "at least one instance", content
    inside = [one.get("intrasegmental") for one in content if isinstance(one, dict)]
    mixed = not _sortable(inside)
    for number, one in enumerate(content, start=1):
        name = f"instance {number}"
        if not isinstance(one, dict):
            yield name, "an object", one
            continue
        for key in ("src pronoun", "ref pronoun"):
            if not isinstance(one.get(key), str):
                yield f"{name}, {key}", "text", one.get(key, _MISSING)
        distance = one.get("ante distance", _MISSING)
        if not isinstance(distance, int | float):
            yield f"{name}, ante distance", "a number", distance
        value = one.get("intrasegmental", _MISSING)
        if value is _MISSING or (mixed and not isinstance(value, bool)):
            yield f"{name}, intrasegmental", "true or false", value
        errors = one.get("errors", _MISSING)
        if not isinstance(errors, list | dict | str):
            yield f"{name}, errors", "a list of errors", errors


def _sortable(values: Sequence[Any]) -> bool:
    """Whether the script can sort the values, each once."""
    try:
        sorted(set(values))
    except TypeError:
        return False
    return True


def _block_faults(content: dict[str, Any], part: str) -> Iterator[_Fault]:
    lists = [block.get(part) for block in content.values() if isinstance(block, dict)]
    if not any(isinstance(pairs, list) and pairs for pairs in lists):
        yield "file", "at least one pair", content
    for key, block in content.items():
        name = f"block {key}"
        try:
            numbered = str(int(key)) == key
        except ValueError:
            numbered = False
        if not numbered:
            yield name, "a number as its key", key
        if not isinstance(block, dict):
            yield name, "an object", block
            continue
        pairs = block.get(part, _MISSING)
        if not isinstance(pairs, list):
            yield f"{name}, {part}", "a list", pairs
        elif part == "trg":
            for number, pair in enumerate(pairs, start=1):
                yield from _pair_faults(f"{name}, pair {number}", pair)


def _pair_faults(name: str, pair: object) -> Iterator[_Fault]:
    if not isinstance(pair, dict):
        yield name, "an object", pair
        return
    if pair.get("type") not in TYPES:
        yield f"{name}, type", choices(TYPES), pair.get("type", _MISSING)
    if not any(kind in pair for kind in KINDS):
        yield name, choices(KINDS), list(pair)
    if "incorrect" not in pair:
        yield f"{name}, incorrect", "sentences", _MISSING
