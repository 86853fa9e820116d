"""Say what is installed, and what is missing."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from crosspro.data_prep.annotate.corpus import default_annotator
from crosspro.data_prep.annotate.parsers import DEFAULT_MODELS, INSTALL
from crosspro.data_prep.core.errors import how_to_install
from crosspro.data_prep.core.processes import may_have_gpu, processors
from crosspro.data_prep.lexicon.load import LEXICONS, PACKAGES
from crosspro.evaluation.output.tables import Style, csv_text
from crosspro.prediction.model_archive import box_models
from crosspro.prediction.neural.document_layers import instructions
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import LayoutOption, Output, TableLayout, write_report
from crosspro.version import __version__

app = command_app()

BRINGS = {
    "train": "training: train, pretrain, label-it train; explain; runs that are not packed",
    "annotate": "lemmas, tags and parses: prepare and annotate for lemmatised tasks, subjects",
    "review": "pages in a browser: serve, protest review serve",
    "mt": "BLEU and chrF: mt-metrics, report",
    "lexicon": "gender and number of French and German words from published lexicons",
    "udpipe": "lemmas, tags and parses by models of UDPipe",
    "eflomal": "another aligner of words: --aligner eflomal",
    "kenlm": "language models of KenLM: lm query --engine kenlm",
    "ray": "prepare on several machines: --engine ray",
    "contrastive": "contrastive generate --legacy, as the released tools cut text",
    "joblib": "sweeps of train -m in several processes",
    "submitit": "sweeps of train -m on a cluster with Slurm",
    "ray-launcher": "sweeps of train -m on a cluster with Ray",
    "opusfilter": "a filter by pronouns in OpusFilter",
    "datatrove": "filters by pronouns, and examples, in datatrove",
    "lm-eval": "gaps and contrastive sets as tasks of lm-evaluation-harness",
    "docs": "this documentation as a site: make docs",
    "notebooks": "the notebooks of the documentation, executed: make test-all",
    "browser": "tests of pages, for developers",
    "dev": "tests and linters, for developers",
}
"""What each extra is for, the most wanted first."""

_LANGUAGES = {"en": "English", "fr": "French", "de": "German", "es": "Spanish"}
_REQUIREMENT = re.compile(r"([\w.-]+).*;.*extra == ['\"]([\w-]+)['\"]")
_GPU = (
    "import json, torch; print(json.dumps([torch.cuda.get_device_name(number) "
    "for number in range(torch.cuda.device_count())]))"
)
_PATIENCE = 60
"""Seconds that torch gets to find a GPU."""


@dataclass(frozen=True)
class InstalledPart:
    """A part of the installation: what was found of it, what it is for, and how to get it.

    `install` is empty where nothing is missing, or nothing could be installed.
    """

    kind: str
    name: str
    present: bool
    found: str
    brings: str
    install: str = ""


@app.command()
def doctor(layout: LayoutOption = TableLayout.TABLE, output: Output = None) -> None:
    """Say what is installed, and what is missing.

    The extras with their packages, the models of the box, what there is for each language, and
    whether a GPU can be used; with what each part is for, and how to install what is missing.
    """
    write_report([*_parts()], _as_json, _as_csv, _as_text, output, layout)


def _parts() -> Iterator[InstalledPart]:
    machine = f"{platform.system()} {platform.machine()}, {processors()} processors"
    brings = "scoring, judging, and predicting with the models of the box"
    yield InstalledPart("program", "crosspro", True, __version__, brings)
    yield InstalledPart(
        "program", "Python", True, platform.python_version(), f"3.11 or newer; {machine}"
    )
    yield from _extras()
    for name, path in box_models().items():
        size = f"{path.stat().st_size / 1e6:.1f} MB"
        yield InstalledPart("model", name, True, size, f"predict, proofread and serve for {name}")
    for language in _LANGUAGES:
        yield from _of_language(language)
    yield _compiled()
    yield _gpu()


def _extras() -> Iterator[InstalledPart]:
    """Each extra with its packages; the versions that are there are those of their metadata."""
    packages: dict[str, list[str]] = {}
    try:
        required = requires("crosspro") or []
    except PackageNotFoundError:  # run from its folder, without an installation
        required = []
    for match in filter(None, map(_REQUIREMENT.match, required)):
        packages.setdefault(match[2], []).append(match[1])
    for extra, brings in BRINGS.items():
        versions = {name: _version(name) for name in packages.get(extra, ())}
        missing = [name for name, found in versions.items() if found is None]
        found = ", ".join(f"{name} {found}" for name, found in versions.items() if found)
        lacking = f"no {', '.join(missing)}" if missing else ""
        present = bool(versions) and not missing
        told = "; ".join(filter(None, (found, lacking))) or "not known"
        yield InstalledPart(
            "extra", extra, present, told, brings, "" if present else how_to_install(extra)
        )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _of_language(language: str) -> Iterator[InstalledPart]:
    """What tags a language, and the lexicons of gender and number that there are for it."""
    name = _LANGUAGES[language]
    annotator = default_annotator(language)
    package = DEFAULT_MODELS.get(language, "HanTa")
    there = find_spec(package) is not None
    get = "" if there else INSTALL.get(package, how_to_install("annotate"))
    brings = f"lemmas and tags of {name} text (extra annotate)"
    found = annotator if there else f"no {package}"
    yield InstalledPart("language", f"{language} annotator", there, found, brings, get)
    named = LEXICONS.get(language, ())
    installed = [one for one in named if PACKAGES[one].installed()]
    if named:
        found = ", ".join(installed) or f"none of {', '.join(named)}"
        brings = f"gender and number of {name} words (extra lexicon); else learnt from text"
        get = "" if installed else how_to_install("lexicon")
        yield InstalledPart("language", f"{language} lexicon", bool(installed), found, brings, get)


def _compiled() -> InstalledPart:
    """The library of the package, with the instructions that it uses here for models."""
    fastest = next(filter(None, instructions()), "")
    return InstalledPart(
        "machine",
        "compiled library",
        bool(fastest),
        fastest or "not built",
        "models of the box about twice as fast, links of words in two thirds of the time",
        "" if fastest else "a C compiler (gcc or clang), then the same pip install again",
    )


def _gpu() -> InstalledPart:
    """The GPUs that torch can use; it is asked in a process of its own, and only if there may be
    one, for to import it takes seconds."""
    brings = "training in minutes instead of hours"
    if not may_have_gpu():
        return InstalledPart("machine", "GPU", False, "none", brings)
    if find_spec("torch") is None:
        return InstalledPart(
            "machine", "GPU", False, "torch is missing", brings, how_to_install("train")
        )
    try:
        command = [sys.executable, "-c", _GPU]
        asked = subprocess.run(  # noqa: S603 - our own program
            command, capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
        names = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        found = f"torch could not say ({type(error).__name__})"
        return InstalledPart("machine", "GPU", False, found, brings)
    return InstalledPart(
        "machine", "GPU", bool(names), ", ".join(names) or "none that torch sees", brings
    )


def _as_text(parts: Sequence[InstalledPart], style: Style) -> str:
    shown = []
    for kind in dict.fromkeys(part.kind for part in parts):
        rows = [
            (part.name, "yes" if part.present else "no", part.found, part.brings)
            for part in parts
            if part.kind == kind
        ]
        shown.append(style.table((kind, "there", "found", "for"), rows, 4))
    extras = [how_to_install(extra) for extra in BRINGS]
    others = dict.fromkeys(part.install for part in parts if part.install not in ("", *extras))
    lines = [f"An extra is installed by {how_to_install('NAME')}.", *others]
    return "\n".join(shown) + "\n" + "".join(f"{line}\n" for line in lines)


def _as_json(parts: Sequence[InstalledPart]) -> str:
    return json.dumps([asdict(part) for part in parts], ensure_ascii=False, indent=2) + "\n"


def _as_csv(parts: Sequence[InstalledPart]) -> str:
    names = ("kind", "name", "present", "found", "brings", "install")
    rows = [tuple(asdict(part)[name] for name in names) for part in parts]
    return csv_text([names, *rows])


if __name__ == "__main__":
    run(app)
