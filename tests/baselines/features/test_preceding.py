"""What stands before gaps: read for all gaps at once, it is what one gap alone is told."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.baselines.features.gaps import Resources, batches
from crosspro.baselines.features.preceding import NAMES, NOUNS, noun_columns, nouns_before
from crosspro.baselines.features.reference import antecedent, antecedent_places
from crosspro.baselines.features.source import pronoun_numbers
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.lexicon.antecedents import antecedent_candidates
from tests.baselines.features.document import LEXICON
from tests.baselines.features.layered import texts

LEXICONS = st.sampled_from([None, LEXICON])


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.booleans(), st.integers(0, 3), LEXICONS, LEXICONS, st.integers(1, 5))
def test_nouns_are_the_candidates_of_each_gap(examples, tagged, context, target, source, at_once):
    task = load_task("en-fr" if tagged else "de-en")
    examples = [replace(example, tagged=tagged) for example in examples]
    resources = Resources(task, context, target, source)
    for batch in batches(examples, resources, at_once):
        for side in ("target", "source"):
            for tags in (NOUNS, NAMES, NOUNS - NAMES):
                nouns = nouns_before(batch, side, tags)
                columns = [noun_columns(batch, side, nouns.nearest(rank)) for rank in range(4)]
                found = [list(zip(*each, strict=True)) for each in columns]
                for gap, ranked in enumerate(zip(*found, strict=True)):
                    candidates = antecedent_candidates(
                        examples, batch.indices[gap], batch.gaps[gap], context, target, source
                    )
                    wanted = [
                        (one.lemma, one.gender, one.number)
                        for one in candidates
                        if one.side == side and one.tag in tags
                    ]
                    assert [*ranked] == [*wanted, *[(None, None, None)] * 4][:4]


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3), LEXICONS, LEXICONS)
def test_antecedents_are_those_of_each_gap(examples, context, target, source):
    for batch in batches(examples, Resources(load_task("en-fr"), context, target, source)):
        places, of_chain = antecedent_places(batch)
        numbers = pronoun_numbers(batch)
        located = zip(*batch.target.line_and_place(places), strict=True)
        for gap, (line, place) in enumerate(located):
            noun = antecedent(batch, gap, numbers[gap])
            if noun is None:
                assert places[gap] == -1
            else:
                assert (line, place) == (batch.indices[gap] - noun.sentences, noun.index)
                assert of_chain[gap] == noun.in_chain


def test_nouns_that_links_tell_have_no_tag_and_are_no_names():
    gap = Gap(1, 1)
    line = Example(("Paris", "it"), ("Paris|NAM", "REPLACE_1"), ((0, 0),), (gap,))
    (batch,) = batches([line], Resources(load_task("en-fr")))
    assert nouns_before(batch, "source").nearest(0).tolist() == [0]
    assert nouns_before(batch, "source", NAMES).nearest(0).tolist() == [-1]
