"""The files of a saved feature system: a vocabulary, arrays, and what features look things up in.

Loading them runs no code; a damaged or foreign file is refused.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import save

from crosspro.baselines.estimators.steps import FittedSteps, steps_from_files, steps_to_files
from crosspro.baselines.features.gaps import Resources
from crosspro.baselines.features.learnt import TellingContexts, filler_of
from crosspro.baselines.features.matrix import FeatureVocabulary
from crosspro.baselines.it_classifier.classifier import ItClassifier
from crosspro.baselines.ngram.files import load_ngram_model
from crosspro.baselines.ngram.files import save_model as save_language_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.files import atomic_output, read_json_object, write_text
from crosspro.data_prep.lexicon.lexicon import read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting
from crosspro.prediction.stored_tensors import load_tensors

_VOCABULARY = "features.json"
_STEPS = "steps.json"
_ARRAYS = "steps.safetensors"
_LM = "model.npz"
_TELLING = "telling_contexts.json"
_LEXICON = "lexicon.tsv.gz"
_SOURCE_LEXICON = "source_lexicon.tsv.gz"
IT_CLASSIFIER = "it_classifier.json"


def save_vocabulary(folder: Path, vocabulary: FeatureVocabulary) -> None:
    """Write the features, by number."""
    write_text(folder / _VOCABULARY, json.dumps(vocabulary.slots, ensure_ascii=False))


def load_vocabulary(folder: Path) -> FeatureVocabulary:
    """Read them."""
    path = folder / _VOCABULARY
    slots = read_json_object(path)
    for slot, values in slots.items():
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise input_error(path, slot, "a list of values", type(values).__name__)
    return FeatureVocabulary({slot: tuple(values) for slot, values in slots.items()})


def save_model(folder: Path, vocabulary: FeatureVocabulary, fitted: FittedSteps) -> None:
    """Write the vocabulary and the models of all steps."""
    save_vocabulary(folder, vocabulary)
    described, arrays = steps_to_files(fitted)
    write_text(folder / _STEPS, json.dumps({"steps": described}, indent=2) + "\n")
    with atomic_output(folder / _ARRAYS) as handle:
        handle.write(save(arrays))


def load_model(folder: Path, classes: int) -> tuple[FeatureVocabulary, FittedSteps]:
    """Read them; the models must be of these features and of so many classes."""
    vocabulary = load_vocabulary(folder)
    described = read_json_object(folder / _STEPS).get("steps")
    try:
        arrays = load_tensors(folder / _ARRAYS).arrays
        fitted = steps_from_files(described or [], arrays, classes, len(vocabulary))
    except (OSError, SafetensorError, KeyError, ValueError, TypeError, AttributeError) as error:
        found = " ".join(str(error).split()[:40])
        expected = f"the models of {len(vocabulary):,} features that {_STEPS} describes"
        raise input_error(folder / _ARRAYS, "arrays", expected, found) from error
    return vocabulary, fitted


def save_learnt(folder: Path, resources: Resources) -> None:
    """Write the models, the telling contexts and the lexicons that there are."""
    if isinstance(resources.pleonastic, ItClassifier):
        resources.pleonastic.save(folder / IT_CLASSIFIER)
    if resources.filler is not None:
        model = resources.filler.model
        if not isinstance(model, NGramModel):
            raise CrossproError("a language model of another engine cannot be saved")
        save_language_model(folder / _LM, model)
    if resources.telling is not None:
        table = dict(resources.telling.table)
        write_text(folder / _TELLING, json.dumps(table, ensure_ascii=False))
    for name, lexicon in (
        (_LEXICON, resources.lexicon),
        (_SOURCE_LEXICON, resources.source_lexicon),
    ):
        if lexicon is not None:
            write_lexicon(folder / name, lexicon)


def load_learnt(
    folder: Path,
    resources: Resources,
    lexicons: tuple[LexiconSetting, LexiconSetting],
    learnt: Collection[str | None],
) -> Resources:
    """Read those that the settings ask for: lexicons that were named, what features learn."""
    if "lm" in learnt:
        filler = filler_of(resources.task, load_ngram_model(folder / _LM))
        resources = replace(resources, filler=filler)
    if "telling" in learnt:
        table = read_json_object(folder / _TELLING)
        for context, label in table.items():
            if label not in resources.task.classes:
                raise input_error(folder / _TELLING, context, "a class of the task", repr(label))
        resources = replace(resources, telling=TellingContexts(table))
    lexicon, source_lexicon = lexicons
    if lexicon is not None:
        resources = replace(resources, lexicon=read_lexicon(folder / _LEXICON))
    if source_lexicon is not None:
        resources = replace(resources, source_lexicon=read_lexicon(folder / _SOURCE_LEXICON))
    return resources
