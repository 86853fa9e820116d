"""How a new system reads its examples: in words, or in units and with lexicons made for it."""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.prediction.neural.flat_text import Reading
from crosspro.prediction.neural.lexicon_input import Text, lexicons_for, noun_lists
from crosspro.prediction.neural.network import Reads
from crosspro.prediction.neural.subwords import train_joint_units, train_units
from crosspro.prediction.neural.training_settings import Training


def new_reading(
    reads: Reads,
    settings: Training,
    task: Task,
    train: Sequence[Example],
    text: Text,
) -> Reading:
    """What a network reads, in words or units learnt from train; `text` is for its lexicons."""
    units = None
    if settings.units != "words":
        learn = train_joint_units if settings.units == "joint" else train_units
        units = learn(train, settings.unit_vocabulary, settings.lowercase)
    lexicons = lexicons_for(reads.lexicons, text)
    if reads.nouns:
        others = {side: name for side, name in reads.lexicons.items() if side not in lexicons}
        lexicons |= noun_lists(others, task, text)
    return Reading(reads.fields, settings.lowercase, units, lexicons)
