"""YAML files that inherit: their content, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.yaml_files import read_inherited, read_yaml

BASE = "name: base\nwords: [a, b]\nmore: {x: [1], y: [2]}\nkind: old\n"


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

    def resolved(self, content: str) -> object:
        path = self.write("own.yaml", content)
        return read_inherited(path, self.shipped, unshared=("name",))

    def refused(self, content: str) -> tuple[str, str]:
        with pytest.raises(InputError) as caught:
            self.resolved(content)
        (problem,) = caught.value.problems
        return Path(problem.path).name, problem.field


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_what_a_file_says_replaces_what_its_parent_says(place):
    content = place.resolved("inherits: base\nwords: [c]\nmore: {y: [3], z: [4]}\n")
    assert content == {"words": ["c"], "more": {"x": [1], "y": [3], "z": [4]}, "kind": "old"}
    assert list(content["more"]) == ["x", "y", "z"]
    assert place.resolved("inherits: base\nname: own\n")["name"] == "own"


def test_what_is_added_stands_behind_what_the_parent_has(place):
    content = place.resolved("inherits: base\nadd:\n  words: [c]\n  more: {x: [5]}\n  new: [6]\n")
    assert content["words"] == ["a", "b", "c"]
    assert content["more"] == {"x": [1, 5], "y": [2]}
    assert content["new"] == [6]


def test_a_file_that_inherits_nothing_is_what_it_is(place):
    assert place.resolved("words: [z]\n") == {"words": ["z"]}
    assert place.resolved("- z\n") == ["z"]
    assert yaml.safe_load(BASE) == read_yaml(place.shipped["base"])  # and the parent is as it was


def test_parents_by_path_and_over_several_generations(place):
    place.write("inside/middle.yaml", "inherits: ../base.yaml\nadd: {words: [m]}\nkind: middle\n")
    content = place.resolved("inherits: inside/middle.yaml\nadd: {words: [n]}\n")
    assert content["words"] == ["a", "b", "m", "n"]
    assert content["kind"] == "middle"


@pytest.mark.parametrize("parent", ["bas", "[base]", "", "list.yaml"])
def test_a_parent_that_is_none(place, parent):
    place.write("list.yaml", "- a\n")
    assert place.refused(f"words: []\ninherits: {parent}\n") == ("own.yaml", "inherits")


@pytest.mark.parametrize("name", ["x", "a\\0", "\\ud800", "a" * 5000])
def test_a_parent_that_is_no_file(place, name):
    assert place.refused(f'inherits: "{name}.yaml"\n')


def test_a_circle(place):
    assert place.refused("inherits: own.yaml\n") == ("own.yaml", "inherits")
    place.write("other.yaml", "x: 1\ninherits: ./own.yaml\n")
    assert place.refused("inherits: other.yaml\n") == ("other.yaml", "inherits")


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("add: {words: [c]}\n", "add"),
        ("inherits: base\nadd: [c]\n", "add"),
        ("inherits: base\nadd: {words: [c, b]}\n", "add.words"),
        ("inherits: base\nadd: {words: [c, c]}\n", "add.words"),
        ("inherits: base\nadd: {more: {x: 1}}\n", "add.more.x"),
        ("inherits: base\nmore: {y: [7]}\nadd: {more: {y: [2]}}\n", "add.more.y"),
        ("inherits: base\nadd: {kind: [new]}\n", "add.kind"),
        ("inherits: base\nadd: {new: {a: 1}}\n", "add.new"),
    ],
)
def test_faults_of_what_is_added(place, content, field):
    assert place.refused(content) == ("own.yaml", field)


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
    assert read_inherited(folder / "own.yaml", shipped) == {
        key: [*own.get(key, parent.get(key, ())), *more.get(key, ())]
        for key in {**parent, **own, **more}
    }
