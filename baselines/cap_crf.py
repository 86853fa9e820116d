"""UU-Cap 2016 (003 §5.9): a CRF that labels every target token with a pronoun class or 0.

Placeholders are tokens among others, and all gaps of a line are labelled together. A gap's
probabilities are its marginals, those of the classes alone. Lines without a gap teach nothing about
classes and are left out of the training.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crosspro.baselines.crf.chain import Ints
from crosspro.baselines.crf.model import (
    ChainModel,
    ChainTraining,
    Penalty,
    averaged_class_weights,
    best_path,
    load_chain,
    train_chain,
)
from crosspro.baselines.crf.windows import (
    Template,
    TokenColumn,
    Windows,
    learn_template,
    load_templates,
    save_templates,
    token_columns,
)
from crosspro.baselines.majority import class_counts, number_of_gaps
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import LexiconSetting, both_lexicons
from crosspro.prediction.adjustment import (
    Adjustment,
    WeightPower,
    load_adjustment,
    save_adjustment,
    tune_tau,
)
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.fit_report import LexiconReport, lexicons_used
from crosspro.prediction.system import Examples, Probabilities, System

_CHAIN, _TEMPLATES = "chain.npz", "templates.json"
_LEXICONS = ("lexicon.tsv", "source_lexicon.tsv")


@settings
class CapSettings(ChainTraining):
    """The windows, and how their weights are learnt."""

    window: Annotated[int, Field(ge=0, le=20)] = 5
    min_count: Annotated[int, Field(ge=1)] = 2
    lexicon: LexiconSetting = None
    source_lexicon: LexiconSetting = None
    l2: Penalty = 10.0
    batch_tokens: Annotated[int, Field(ge=1)] = 4096
    class_weight_power: WeightPower = 0.0
    tune_adjustment: bool = False
    monitor: Monitor = "macro_recall"


class CapCRF(System):
    """Labels target tokens; `window` words on each side of a token are its features.

    `lexicon` and `source_lexicon` (a name or a TSV file) say gender and number where the data has
    no parse. With `class_weight_power` rare classes count for more in training (a line weighs what
    its gaps do on average); `tune_adjustment` favours them by as much as the dev score `monitor`
    says.
    """

    name = "cap_crf"
    settings_class = CapSettings
    settings: CapSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.lexicons: tuple[Lexicon | None, ...] = (None, None)
        self.adjustment = Adjustment(0.0, np.zeros(0))
        self.templates: list[Template] = []
        self.chain: ChainModel

    @property
    def layers_read(self) -> frozenset[str]:
        """Parses say gender and number before any lexicon does."""
        return frozenset({"source_parse", "target_parse"})

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Learn the values of the windows and their weights; the adjustment is chosen on dev."""
        self.task = task
        self.trained_layers = layers_in(train)
        counts = class_counts(task, train)
        score = (
            dev_score(task, dev, self.settings.monitor) if self.settings.tune_adjustment else None
        )
        names = self.settings.lexicon, self.settings.source_lexicon
        target, source = lexicons = both_lexicons(*names, task, train)
        self.settings = replace(self.settings, lexicon=target.name, source_lexicon=source.name)
        self.lexicons = (target.lexicon, source.lexicon)
        self.report = LexiconReport(lexicons_used(lexicons))
        labelled = [e for e in train if e.gaps and all(gap.label for gap in e.gaps)]
        self.templates = [
            learn_template(
                column.name, column.places, map(column.values, labelled), self.settings.min_count
            )
            for column in self._columns()
        ]
        windows, lengths = self._windows(labelled), _lengths(labelled)
        labels, size = self._labels(labelled, lengths), len(task.classes)
        classes = np.where(labels < size, labels, -1)
        self.chain = train_chain(
            windows.rows,
            windows.width,
            lengths,
            labels,
            size + 1,
            self.settings,
            averaged_class_weights(classes, lengths, size, self.settings.class_weight_power),
        )
        self.adjustment = Adjustment(0.0, counts / counts.sum())
        if score is not None:
            tau = tune_tau(self.unadjusted(dev), self.adjustment.frequencies, score)
            self.adjustment = Adjustment(tau, self.adjustment.frequencies)

    def _columns(self) -> list[TokenColumn]:
        return token_columns(self.settings.window, *self.lexicons)

    def _windows(self, examples: Examples) -> Windows:
        """The features of all target tokens."""
        windows = Windows()
        centres = [_source_places(example) for example in examples]
        for column, template in zip(self._columns(), self.templates, strict=True):
            if template.says_nothing:
                continue
            values = [column.values(example) for example in examples]
            windows.add(template, values, centres if column.of_source else None)
        return windows

    def _labels(self, examples: Examples, lengths: Ints) -> Ints:
        """The class of each placeholder; the label after the last class is 0, no pronoun."""
        labels = np.full(int(lengths.sum()), len(self.task.classes), dtype=np.int64)
        gold = [self.task.class_index[gap.label or ""] for e in examples for gap in e.gaps]
        labels[_gap_rows(examples, lengths)] = gold
        return labels

    def predict(self, examples: Examples) -> Probabilities:
        """Marginals of the classes at the placeholders, adjusted if that was tuned."""
        return self.adjustment.of(self.unadjusted(examples))

    def unadjusted(self, examples: Examples) -> Probabilities:
        """Marginals of the classes at the placeholders."""
        shown = [example for example in examples if example.gaps]
        if not shown:
            return np.zeros((0, len(self.task.classes)))
        lengths = _lengths(shown)
        marginals = self.chain.marginals(self._windows(shown).rows, lengths)
        chances = marginals[_gap_rows(shown, lengths), :-1]
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def evidence(self, question: GapQuestion) -> Evidence:
        """The path through the line, and what the features of the gap add to its class."""
        example, gap = question.example, question.gap
        windows, lengths = self._windows([example]), _lengths([example])
        allowed = np.ones((len(example.lemmas), len(self.task.classes) + 1), dtype=bool)
        allowed[[one.position for one in example.gaps], -1] = False
        path = best_path(self.chain, windows.rows, lengths, allowed)
        near = sorted({p + d for p in (g.position for g in example.gaps) for d in (-1, 0, 1)})
        shown = [place for place in near if 0 <= place < len(example.lemmas)]
        names = (*self.task.classes, "0")
        numbers = windows.rows(np.array([gap.position])).indices.tolist()
        features = {number: windows.feature(number) for number in numbers}
        return path.evidence(question, gap.position, features, names, example.target, shown)

    def save_state(self, folder: Path) -> None:
        """Write weights, values, lexicons and the adjustment."""
        self.chain.save(folder / _CHAIN)
        save_templates(folder / _TEMPLATES, self.templates)
        save_adjustment(self.adjustment, folder)
        for file, lexicon in zip(_LEXICONS, self.lexicons, strict=True):
            if lexicon is not None:
                write_lexicon(folder / file, lexicon)

    def load_state(self, folder: Path) -> None:
        """Read them again."""
        self.templates = load_templates(folder / _TEMPLATES, self._columns())
        names = self.settings.lexicon, self.settings.source_lexicon
        self.lexicons = tuple(
            None if name is None else read_lexicon(folder / file)
            for name, file in zip(names, _LEXICONS, strict=True)
        )
        width = sum(template.width for template in self.templates if not template.says_nothing)
        self.chain = load_chain(folder / _CHAIN, width, len(self.task.classes) + 1)
        self.adjustment = load_adjustment(folder, len(self.task.classes))


def _lengths(examples: Examples) -> Ints:
    return np.array([len(example.lemmas) for example in examples], dtype=np.int64)


def _gap_rows(examples: Examples, lengths: Ints) -> NDArray[np.int64]:
    """Where the placeholders stand among all tokens."""
    firsts = np.cumsum(lengths) - lengths
    rows = (
        first + gap.position
        for first, example in zip(firsts.tolist(), examples, strict=True)
        for gap in example.gaps
    )
    return np.fromiter(rows, np.int64, number_of_gaps(examples))


def _source_places(example: Example) -> list[int | None]:
    """The source pronoun of each placeholder; None for other tokens."""
    places: list[int | None] = [None] * len(example.lemmas)
    for gap in example.gaps:
        places[gap.position] = gap.source_index
    return places
