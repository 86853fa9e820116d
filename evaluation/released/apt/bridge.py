"""Between the released tool's settings and ours: an INI file read as lists, and the reverse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crosspro.evaluation.inputs.case_records import CASES
from crosspro.evaluation.inputs.mt_input import InputPaths
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, PronounLists, normal_form
from crosspro.evaluation.metrics.apt.settings import AptSettings
from crosspro.evaluation.released.apt.config import ReleasedConfig


def lists_of_config(config: ReleasedConfig) -> PronounLists:
    """The lists of an INI file; words that are not in the target list are left out of groups."""
    target_list = _normal(config.target_list)
    known = set(target_list)

    def restricted(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        kept = (tuple(word for word in _normal(group) if word in known) for group in groups)
        return tuple(group for group in kept if len(group) > 1)

    source_list = _normal(config.source_list)
    translations = dict.fromkeys(source_list, _normal(config.target_pronouns))
    return PronounLists(
        name=Path(config.path).name,
        source_language="",
        target_language="",
        source_pronouns=source_list,
        target_pronouns=target_list,
        translations=translations if config.target_pronouns else {},
        identical=restricted(config.equal),
        equivalent=tuple(map(Equivalent, restricted(config.similar))),
        source_separator=config.source_separator or "",
        target_separator=config.target_separator or "",
    )


def _normal(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(normal_form, words))


def settings_of_config(config: ReleasedConfig, settings: AptSettings) -> AptSettings:
    """Weights, cases and repair of an INI file; its dictionaries switch the repair on."""
    weights = dict(zip(config.cases, config.weights, strict=False))
    if len(config.weights) == 1:
        weights = dict.fromkeys(config.cases, config.weights[0])
    return replace(
        settings,
        weights=tuple(weights.get(case, 0.0) for case in CASES),
        discard=frozenset(CASES) - frozenset(config.cases),
        others="equal" if config.other_is_equal else "different",
        repair=bool(config.target_pronouns),
    )


def paths_of_config(
    config: ReleasedConfig, lenient: bool, doc_ids: Path | None, doc_starts: Path | None
) -> InputPaths:
    """The files of an INI file, and those that it has no place for."""
    return InputPaths(
        config.source,
        config.reference,
        (config.candidate,),
        config.links_reference,
        (config.links_candidate,),
        doc_ids,
        doc_starts,
        tokens=config.positions,
        lenient=lenient,
    )


def config_of_settings(
    paths: InputPaths, lists: PronounLists, settings: AptSettings, output: str
) -> ReleasedConfig:
    """The released tool's settings for the same files; they must have one candidate and links."""
    if paths.links_reference is None or not paths.links_candidates:
        raise ValueError("the released tool does not align")
    used = settings.used
    words = lists.source_pronouns if settings.repair else ()
    return ReleasedConfig(
        path="settings",
        source_separator=lists.source_separator or None,
        target_separator=lists.target_separator or None,
        source=paths.source,
        reference=paths.reference,
        candidate=paths.candidates[0],
        links_reference=paths.links_reference,
        links_candidate=paths.links_candidates[0],
        by_position=paths.tokens is not None,
        source_list=lists.source_pronouns,
        positions=paths.tokens,
        target_list=lists.target_pronouns,
        equal=lists.identical,
        similar=tuple(group.pronouns for group in lists.equivalent),
        source_pronouns=words,
        target_pronouns=lists.target_pronouns if settings.repair else (),
        cases=used,
        weights=tuple(settings.weights[case - 1] for case in used),
        other_is_equal=settings.others == "equal",
        output=output,
        count_all_words=False,
        matrix_length=len(lists.target_pronouns) + 2,
        absent=(),
    )
