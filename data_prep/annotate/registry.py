"""Annotators by name: what a user writes after `--annotator`.

auto                          the default of the language: spaCy for fr and es, HanTa for de and en
spacy:MODEL                   an installed spaCy model, or the folder of one
hanta                         HanTa (de, en)
simplemma+ANNOTATOR           lemmas of simplemma, tags of another one: simplemma+hanta
treetagger:FOLDER             TreeTagger's folder, or its command with all arguments
treetagger-output:FILE        what TreeTagger wrote for this text
udpipe:MODEL                  the file of a UDPipe model
conllu:FILE                   a CoNLL-U file of this text
tokens:FILE                   a file of this text with token|lemma|tag for each word
"""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile, TokensFile
from crosspro.data_prep.annotate.hanta_backend import MODELS as HANTA_MODELS
from crosspro.data_prep.annotate.hanta_backend import HantaAnnotator
from crosspro.data_prep.annotate.simplemma_backend import SimplemmaAnnotator
from crosspro.data_prep.annotate.spacy_backend import DEFAULT_MODELS, SpacyAnnotator
from crosspro.data_prep.annotate.treetagger import TreeTaggerOutput, TreeTaggerProgram
from crosspro.data_prep.annotate.udpipe_backend import UdpipeAnnotator
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files.textfile import open_bytes
from crosspro.data_prep.core.token import Annotator

FORMS = (
    "auto",
    "spacy:MODEL",
    "hanta",
    "simplemma+ANNOTATOR",
    "treetagger:FOLDER",
    "treetagger-output:FILE",
    "udpipe:MODEL",
    "conllu:FILE",
    "tokens:FILE",
)
"""What an annotator may be called."""

SIMPLEMMA = "simplemma"


def make_annotator(spec: str, language: str, tagset: str, *, parse: bool = True) -> Annotator:
    """The annotator of this name, ready to use; its model is loaded with the first sentence.

    What is missing (a package, a model, a file) is told at once. Without `parse`, backends that
    parse leave it out and are faster.
    """
    name, colon, argument = spec.partition(":")
    if name.startswith(f"{SIMPLEMMA}+"):
        inner = make_annotator(spec.removeprefix(f"{SIMPLEMMA}+"), language, tagset, parse=parse)
        return SimplemmaAnnotator(inner, language)
    if spec == "auto":
        return make_annotator(default_annotator(language), language, tagset, parse=parse)
    if spec == "hanta":
        return HantaAnnotator(language, tagset)
    if not colon or not argument:
        raise input_error("settings", "annotator", choices(FORMS), quoted(spec))
    match name:
        case "spacy":
            return SpacyAnnotator(argument, language, tagset, parse)
        case "udpipe":
            return UdpipeAnnotator(argument, language, tagset, parse)
        case "treetagger":
            return TreeTaggerProgram(argument, language, tagset)
        case "treetagger-output":
            return TreeTaggerOutput(_readable(argument), language, tagset)
        case "conllu":
            return ConlluFile(_readable(argument), language, tagset)
        case "tokens":
            return TokensFile(_readable(argument), language, tagset)
    raise input_error("settings", "annotator", choices(FORMS), quoted(spec))


def annotation_file(spec: str) -> Path | None:
    """The user's file that an annotator of this name reads its annotation from, if it does."""
    name, _, argument = spec.rpartition("+")[2].partition(":")
    return Path(argument) if name in ("conllu", "tokens", "treetagger-output") else None


def default_annotator(language: str) -> str:
    """What `auto` stands for."""
    if language in DEFAULT_MODELS:
        return f"spacy:{DEFAULT_MODELS[language]}"
    if language in HANTA_MODELS:
        return "hanta"
    known = choices(sorted([*DEFAULT_MODELS, *HANTA_MODELS]))
    raise input_error(
        "settings",
        "annotator auto",
        f"a language that is {known}, or another annotator",
        quoted(language),
    )


def default_tagset(language: str) -> str:
    """The tagset that the tasks use for a target language."""
    return "treetagger-fr" if language == "fr" else "universal"


def _readable(path: str) -> str:
    """The path, once it is known that the file can be opened."""
    open_bytes(Path(path)).close()
    return path
