"""The binary form: the same model, opened without reading, and no damage goes unnoticed."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.ngram.binary import TYPES, read_binary, write_binary
from crosspro.baselines.ngram.load import load_model, load_own, save_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.data_prep.core.errors import CrossproError, InputError
from tests.baselines.ngram.models import golden_a, train


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("binary") / "model"
    write_binary(path, train("il mange\nelle dort\nil dort\n", 3))
    return path


def test_the_binary_form_is_the_same_model(tmp_path):
    save_model(tmp_path / "a", golden_a())
    opened = load_own(tmp_path / "a")
    for name in ("log_probs", "back_offs", "fails", "extends"):
        assert np.array_equal(getattr(opened, name), getattr(golden_a(), name))
    assert opened.vocabulary.words == golden_a().vocabulary.words
    sentences = [["w0", "w1", "nobody"], ["w4", "w6", "w2"], []]
    assert np.array_equal(opened.log10(sentences), golden_a().log10(sentences))


def test_arrays_are_mapped_and_not_writable(saved):
    model = read_binary(saved)
    assert not model.log_probs.flags.owndata
    with pytest.raises(ValueError):
        model.log_probs[0] = 1


def test_models_of_one_order_and_with_empty_orders_survive(tmp_path):
    for order in (1, 6):
        model = train("a b\nb\n", order)
        write_binary(tmp_path / "x", model)
        again = read_binary(tmp_path / "x")
        assert again.counts == model.counts
        assert np.array_equal(again.log10([["a", "b"]]), model.log10([["a", "b"]]))


def test_the_same_model_gives_the_same_bytes(tmp_path, saved):
    write_binary(tmp_path / "again", read_binary(saved))
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_names_say_the_form(tmp_path):
    model = train("a b", 2)
    save_model(tmp_path / "x.arpa", model)
    assert (tmp_path / "x.arpa").read_bytes().startswith(b"\\data\\")
    with pytest.raises(InputError):
        save_model(tmp_path / "x.gz", model)


@given(st.data())
def test_truncated_files_are_refused(tmp_path_factory, saved, data):
    raw = saved.read_bytes()
    path = tmp_path_factory.mktemp("cut") / "x"
    path.write_bytes(raw[: data.draw(st.integers(30, len(raw) - 1))])
    with pytest.raises(InputError):
        read_binary(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: raw[:-1], "the file is truncated"),
        (lambda raw: raw + b"\n", "something after its end"),
        (lambda raw: raw.replace(b"model 1\n", b"model 2\n", 1), "version 1"),
        (lambda raw: raw.replace(b"<unk><s></s>", b"x" * 12, 1), "header"),
        (lambda raw: raw.replace(b"counts", b"x" * 6, 1), "header"),
    ],
)
def test_what_is_damaged_is_told(tmp_path, saved, change, message):
    (tmp_path / "x").write_bytes(change(saved.read_bytes()))
    with pytest.raises(InputError, match=message):
        load_own(tmp_path / "x")


@pytest.mark.parametrize(
    "change",
    [
        {"counts": [3]},
        {"counts": []},
        {"counts": ["7", 8, 7]},
        {"counts": None},
        {"arrays": {}},
        {"arrays": 5},
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path, saved, change):
    first, header, rest = saved.read_bytes().split(b"\n", 2)
    changed = json.dumps(json.loads(header) | change).encode()
    (tmp_path / "x").write_bytes(b"\n".join((first, changed, rest)))
    with pytest.raises(InputError, match="header"):
        load_own(tmp_path / "x")


@given(st.data())
def test_a_flipped_bit_is_noticed(tmp_path_factory, saved, data):
    raw = bytearray(saved.read_bytes())
    at = data.draw(st.sampled_from(content_bytes(saved)))
    raw[at] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.mktemp("flipped") / "x"
    path.write_bytes(raw)
    with pytest.raises(InputError):
        read_binary(path)


def content_bytes(path):
    """The places of all bytes but those between the arrays, which nobody reads."""
    raw = path.read_bytes()
    lengths = json.loads(raw.split(b"\n", 2)[1])["arrays"]
    at = raw.index(b"\n", raw.index(b"\n") + 1) + 1
    places = [*range(at)]
    for name, form in TYPES.items():
        at += -at % 64
        end = at + lengths[name] * np.dtype(form).itemsize
        places += range(at, end)
        at = end
    return places


def without_checksums(path):
    """A file as it was written before there were checksums, and where each array starts."""
    first, header, rest = path.read_bytes().split(b"\n", 2)
    about = json.loads(header)
    old = json.dumps({key: about[key] for key in ("counts", "arrays")}).encode()
    before = len(first) + len(header) + 2
    gap = -before % 64
    head = first + b"\n" + old + b"\n"
    raw = bytearray(head + bytes(-len(head) % 64) + rest[gap:])
    at, places = len(head), {}
    for name, form in TYPES.items():
        at += -at % 64
        places[name] = at
        at += about["arrays"][name] * np.dtype(form).itemsize
    assert at == len(raw)
    return raw, places


def test_files_without_checksums_are_opened_and_their_numbers_checked(tmp_path, saved):
    raw, places = without_checksums(saved)
    (tmp_path / "x").write_bytes(raw)
    sentences = [["il", "mange"], ["elle", "mange", "nobody"]]
    assert (load_own(tmp_path / "x").log10(sentences) == load_own(saved).log10(sentences)).all()
    changes = {
        "fails": (12, "back-off that goes to no shorter"),  # a circle: the endless loop
        "index_starts": (4, "ends before it starts"),
        "index_nodes": (0, "does not have|another length"),
        "index_keys": (4, "does not have|another length"),
    }
    for name, (offset, message) in changes.items():
        changed = raw.copy()
        changed[places[name] + offset : places[name] + offset + 4] = b"\xff\xff\xff\x7f"
        (tmp_path / "x").write_bytes(changed)
        with pytest.raises(InputError, match=message):
            load_own(tmp_path / "x")
    for name, number, message in (
        ("log_probs", np.nan, "a probability that is no number"),
        ("log_probs", np.inf, "a probability that is infinite"),
        ("log_probs", 0.5, "a probability above 1"),
        ("back_offs", np.nan, "a back-off that is no number"),
        ("back_offs", np.inf, "a back-off that is infinite"),
    ):
        changed = raw.copy()
        changed[places[name] + 8 : places[name] + 12] = np.array([number], "<f4").tobytes()
        (tmp_path / "x").write_bytes(changed)
        with pytest.raises(InputError, match=message):
            load_own(tmp_path / "x")


def test_what_is_no_model_is_refused(tmp_path):
    for content in (b"", b"text\n", b"\x80\x04pickle", b"mmap lm http://kheafield.com/code format"):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(InputError):
            load_own(tmp_path / "x")
    with pytest.raises(InputError):
        load_own(tmp_path / "x")
    with pytest.raises(InputError):
        load_own(tmp_path)
    with pytest.raises(InputError):
        load_own(tmp_path / "none")


def test_binary_files_of_kenlm_need_its_package(tmp_path, saved, monkeypatch):
    assert isinstance(load_model(saved), NGramModel)
    (tmp_path / "x.kenlm").write_bytes(b"mmap lm http://kheafield.com/code format version 5")
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(CrossproError, match="kenlm"):
        load_model(tmp_path / "x.kenlm")
