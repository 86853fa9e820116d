"""The patterns of pleonastic and event `it`, and the tags that they stand on."""

from __future__ import annotations

import pytest

from crosspro.baselines.it_classifier.patterns import pattern_of
from crosspro.data_prep.annotate.light_tagger import light_annotation


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("It rained all day .", "weather"),
        ("It was cold outside .", "weather"),
        ("It seems that nobody came .", "seeming"),
        ("It turns out we were wrong .", "seeming"),
        ("It is said that he left .", "reported"),
        ("It should be noted that he left .", "reported"),
        ("It 's hard to say .", "extraposed_adjective"),
        ("It is not clear whether he left .", "extraposed_adjective"),
        ("Is it possible to leave ?", "extraposed_adjective"),
        ("It is worth highlighting this .", "extraposed_adjective"),
        ("It is a pity that he left .", "extraposed_noun"),
        ("It 's up to you to decide .", "extraposed_noun"),
        ("It took years to build .", "taking"),
        ("It makes sense to wait .", "taking"),
        ("We agree when it comes to fish .", "set_phrase"),
        ("It may be that he left .", "set_phrase"),
        ("It was the summer of love .", "time"),
        ("I find it hard to believe .", "object"),
        ("They made it clear that he left .", "object"),
        ("It was John who left .", "cleft"),
        ("It happened again .", "happening"),
        ("We did it , and left .", "doing"),
        ("It is a tool that helps .", "none"),
        ("I bought a car , but it broke down .", "none"),
        ("The car is red , and it is fast .", "none"),
        ("I saw it .", "none"),
    ],
)
def test_pattern_of_a_sentence(sentence, name):
    words = sentence.split()
    position = [word.lower() for word in words].index("it")
    assert pattern_of(light_annotation(words).tokens, position).name == name
