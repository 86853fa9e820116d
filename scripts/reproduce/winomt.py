"""The WinoMT example of docs/guides/contrastive.md: four systems, into French, German, Spanish.

Run: python -m crosspro.scripts.reproduce.winomt WINOMT -o OUT [-l fr -l de -l es] [--released]

WINOMT has `winomt.en.tsv` (gender, position, sentence, occupation) and `SYSTEM.en-LL.tsv` (`source
||| translation`), all perhaps compressed. Sentences with one *he* or *she* become a set in ctxpro's
form, the occupation their document; OUT/LL gets the set and the outputs as `crosspro report` reads
them, and the tables are printed. --released prints what ctxpro makes of them, too.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import make_folder, read_text_lines, write_text
from crosspro.evaluation.core.evaluation import Evaluation, evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.folder_report.contents import read_set
from crosspro.evaluation.folder_report.files import SetFiles, SystemFile
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.released.contrastive.ctxpro import ctxpro_printout

SYSTEMS = ("google", "bing", "aws", "systran")
FORMS = {"fr": ("il", "elle"), "de": ("er", "sie"), "es": ("él", "ella")}
GENDERS = ("male", "female")
_PRONOUN = re.compile(r"\b(he|she)\b")
_BETWEEN = " ||| "


def main() -> None:
    """Write the folders and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("winomt", type=Path)
    parser.add_argument("-l", "--language", action="append", choices=FORMS)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--released", action="store_true")
    options = parser.parse_args()
    for language in options.language or FORMS:
        files = write_language(options.winomt, language, options.output / language)
        print(f"{language}\n\n{text_report(scored(files, language))}")
        if options.released:
            content = json.loads(files.path.read_text("utf-8"))
            for output in files.outputs:
                lines = list(read_text_lines(output.path))
                print(output.name, ctxpro_printout(files.path, content, lines, language, "default"))


def write_language(winomt: Path, language: str, folder: Path) -> SetFiles:
    """The set of a language and the outputs of all systems on it."""
    instances = list(make_instances(_lines(winomt, "winomt.en.tsv"), FORMS[language]))
    made = folder / "contrastive" / "wino"
    make_folder(made)
    test_set = made.with_suffix(".json")
    write_text(test_set, json.dumps(instances, ensure_ascii=False, indent=1) + "\n")
    outputs = []
    for system in SYSTEMS:
        translations = _translations(_lines(winomt, f"{system}.en-{language}.tsv"))
        found = (translations.get(_key(instance["src segment"]), "") for instance in instances)
        path = made / f"{system}.{language}"
        write_text(path, "".join(f"{line}\n" for line in found))
        outputs.append(SystemFile(system, path))
    return SetFiles("wino", test_set, (), tuple(outputs))


def scored(files: SetFiles, language: str, resamples: int = 1000) -> Evaluation:
    """The scores of all systems, with intervals by occupation."""
    read = read_set(files, language).generated
    assert read is not None  # noqa: S101 - there are outputs
    return evaluate(make_metric("expected_forms", language=language), read, Resampling(resamples))


def make_instances(lines: Iterable[str], forms: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """The sentences with one *he* or *she* about a man or a woman, and what is expected of it."""
    for line in lines:
        gender, _, sentence, occupation = line.split("\t")
        pronouns = _PRONOUN.findall(sentence)
        if len(pronouns) == 1 and gender in GENDERS:
            yield {
                "src pronoun": pronouns[0],
                "expected": forms[pronouns[0] == "she"],
                "rule": gender,
                "document id": occupation,
                "src segment": sentence,
            }


def _lines(folder: Path, name: str) -> Sequence[str]:
    for suffix in ("", ".xz", ".gz"):
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return list(read_text_lines(path))
    raise input_error(folder / name, "file", "a file, perhaps with .xz or .gz", "none")


def _translations(lines: Iterable[str]) -> dict[str, str]:
    """What each sentence became; systems got it in lower case, or with other spaces."""
    pairs = (line.partition(_BETWEEN) for line in lines)
    return {_key(source): translation.strip() for source, _, translation in pairs}


def _key(sentence: str) -> str:
    return " ".join(sentence.lower().split())


if __name__ == "__main__":
    main()
