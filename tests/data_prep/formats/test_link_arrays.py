"""Links parsed all at once are those that are parsed one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.formats.link_arrays import parse_good_links, parse_links
from crosspro.data_prep.formats.links import parse_link

LINKS = st.lists(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5), max_size=5
)


@given(LINKS, st.sampled_from([" ", "  ", "\t"]))
def test_links_survive_writing_and_reading(lines, gap):
    content = "".join(gap.join(f"{s}-{t}" for s, t in line) + "\n" for line in lines)
    parsed = parse_links(content.encode())
    assert parsed is not None
    found = [[] for _ in lines]
    for line, source, target in zip(*(part.tolist() for part in parsed), strict=True):
        found[line].append((source, target))
    assert found == lines


@given(st.text(alphabet="01-x \n\r", max_size=20))
def test_parsing_never_fails_on_its_own(content):
    parsed = parse_links(content.encode())
    tokens = content.split()
    good = all(
        token.count("-") == 1 and all(part.isdigit() for part in token.split("-"))
        for token in tokens
    )
    assert (parsed is not None) == good
    if parsed is not None:
        assert len(parsed[0]) == len(tokens)


@given(st.lists(st.from_regex(r"[0-9]{0,10}[-x１]?-?[0-9]{0,10}", fullmatch=True), max_size=4))
def test_both_ways_agree_on_what_a_link_is(written):
    data = " ".join(written).encode()
    one_by_one = [parse_link(word) for word in written if word]
    parsed = parse_links(data)
    assert (parsed is None) == (None in one_by_one)
    problems = []
    *_, source, target = parse_good_links("x", data, problems)
    good = [link for link in one_by_one if link is not None]
    assert [*zip(source.tolist(), target.tolist(), strict=True)] == good
    assert len(problems) == one_by_one.count(None)
    if parsed is not None:
        assert [*zip(parsed[1].tolist(), parsed[2].tolist(), strict=True)] == good
