"""YAML files that inherit: what comes of them, what is refused, and where faults are said to be."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.yaml_files import Origins, YamlLines, read_inherited, read_yaml

BASE = "name: base\nwords: [a, b]\nmore: {x: [1], y: [2]}\nkind: old\n"


def read(path: Path) -> tuple[object, YamlLines]:
    content, text = read_yaml(path)
    return content, YamlLines(text)


class Place:
    """A folder with files, one of which goes by a name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shipped = {"base": self.write("base.yaml", BASE)}

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        return path

    def resolved(self, content: str) -> tuple[object, Origins]:
        path = self.write("own.yaml", content)
        return read_inherited(path, self.shipped, read, unshared=("name",))

    def refused(self, content: str) -> list[tuple[int | None, str, str, str]]:
        with pytest.raises(InputError) as caught:
            self.resolved(content)
        return [(one.line, one.field, one.expected, one.found) for one in caught.value.problems]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_what_a_file_says_replaces_what_its_parent_says(place):
    found, _ = place.resolved("inherits: base\nwords: [c]\nmore: {y: [3], z: [4]}\n")
    assert found == {"words": ["c"], "more": {"x": [1], "y": [3], "z": [4]}, "kind": "old"}
    assert list(found["more"]) == ["x", "y", "z"]
    assert place.resolved("inherits: base\nname: own\n")[0]["name"] == "own"


def test_what_is_added_stands_behind_what_the_parent_has(place):
    found, _ = place.resolved("inherits: base\nadd:\n  words: [c]\n  more: {x: [5]}\n  new: [6]\n")
    assert found["words"] == ["a", "b", "c"]
    assert found["more"] == {"x": [1, 5], "y": [2]}
    assert found["new"] == [6]


def test_a_file_that_inherits_nothing_is_what_it_is(place):
    assert place.resolved("words: [z]\n")[0] == {"words": ["z"]}
    assert place.resolved("- z\n")[0] == ["z"]
    assert (
        yaml.safe_load(BASE) == read_yaml(place.shipped["base"])[0]
    )  # and the parent is as it was


def test_parents_by_path_and_over_several_generations(place):
    place.write("inside/middle.yaml", "inherits: ../base.yaml\nadd: {words: [m]}\nkind: middle\n")
    found, _ = place.resolved("inherits: inside/middle.yaml\nadd: {words: [n]}\n")
    assert found["words"] == ["a", "b", "m", "n"]
    assert found["kind"] == "middle"


def test_a_parent_that_is_not_there(place):
    known = "one of base, or the path of a .yaml file"
    assert place.refused("words: []\ninherits: bas\n") == [(2, "inherits", known, "'bas'")]
    assert place.refused("inherits: x.yaml\n") == [
        (1, "inherits", known, "'x.yaml', which is no file")
    ]
    assert place.refused("inherits: [base]\n") == [(1, "inherits", known, "\"['base']\"")]
    assert place.refused("inherits:\n") == [(1, "inherits", known, "'None'")]
    for odd in ("a\\0", "\\ud800", "a" * 5000):
        (problem,) = place.refused(f'inherits: "{odd}.yaml"\n')
        assert problem[3].endswith(", which is no file")
    place.write("list.yaml", "- a\n")
    (problem,) = place.refused("inherits: list.yaml\n")
    assert problem[2] == "a file with keys and their values"


def test_a_circle(place):
    expected = "a file that does not lead back to this one"
    assert place.refused("inherits: own.yaml\n") == [
        (1, "inherits", expected, "a circle: own.yaml inherits own.yaml")
    ]
    place.write("other.yaml", "x: 1\ninherits: ./own.yaml\n")
    with pytest.raises(InputError) as caught:
        place.resolved("inherits: other.yaml\n")
    (problem,) = caught.value.problems
    assert problem.path.endswith("other.yaml")
    assert problem.line == 2
    assert problem.found == "a circle: own.yaml inherits other.yaml inherits own.yaml"


def test_every_fault_of_what_is_added(place):
    assert place.refused("add: {words: [c]}\n") == [
        (1, "add", "inherits, which names the file that is added to", "nothing")
    ]
    content = """\
inherits: base
more: {y: [7]}
add:
  words:
    - c
    - b
    - c
  more:
    x: 1
    y: [2]
  kind: [new]
  new: {a: 1}
"""
    assert place.refused(content) == [
        (6, "add.words", "entries that are not there yet", "'b'"),
        (7, "add.words", "entries that are not there yet", "'c'"),
        (9, "add.more.x", "a list that is added to a list", "'1'"),
        (10, "add.more.y", "a list that this file does not replace", "one that it does"),
        (11, "add.kind", "a list that is added to a list", "\"['new']\""),
        (12, "add.new", "a list that is added to a list", "\"{'a': 1}\""),
    ]
    assert place.refused("inherits: base\nadd: [c]\n") == [
        (2, "add", "lists by their keys", "\"['c']\"")
    ]


def test_items_are_said_to_be_where_they_stand(place):
    _, origins = place.resolved(
        "inherits: base\nkind: new\nadd:\n  words:\n    - c\n    - d\n  more:\n    x: [5]\n"
    )
    own, base = str(place.folder / "own.yaml"), str(place.folder / "base.yaml")
    assert origins.of("kind") == (own, 2)
    assert origins.of("words", 0) == (base, 2)
    assert origins.of("words", 2) == (own, 5)
    assert origins.of("words", 3) == (own, 6)
    assert origins.of("more", "x", 1) == (own, 8)
    assert origins.of("more", "y", 0) == (base, 3)
    assert origins.of("nowhere") == (own, None)
    assert origins.of_word("words", "d") == (own, 6)
    assert origins.of_word("words", "a") == (base, 2)
    assert Origins("x").of("words") == ("x", None)


items = st.lists(st.text("abc", min_size=1, max_size=2), max_size=4, unique=True)
mappings = st.dictionaries(st.sampled_from("pqr"), items, max_size=3)


@given(parent=mappings, own=mappings, more=mappings)
def test_any_heir_has_its_own_its_parents_and_what_it_adds(parent, own, more, tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    more = {
        key: [word for word in words if word not in parent.get(key, ())]
        for key, words in more.items()
        if key not in own
    }
    files = {"base": parent, "own": {"inherits": "base", **own, "add": more}}
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content), "utf-8")
    shipped = {"base": folder / "base.yaml"}
    found, origins = read_inherited(folder / "own.yaml", shipped, read)
    assert found == {
        key: [*own.get(key, parent.get(key, ())), *more.get(key, ())]
        for key in {**parent, **own, **more}
    }
    for key, words in found.items():
        for number, _ in enumerate(words):
            path, line = origins.of(key, number)
            theirs = key not in own and number < len(parent.get(key, ()))
            assert Path(path).stem == ("base" if theirs else "own")
            assert line is not None
