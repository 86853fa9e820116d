"""Commands that read five-column files find what lies beside them."""

from __future__ import annotations

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.scripts.run import crosspro


@pytest.fixture(scope="module")
def examples(en_fr):
    return demo_examples(en_fr, "dev", 3)


@pytest.fixture
def data(tmp_path, examples):
    write_examples(tmp_path / "dev.data", examples)
    return tmp_path / "dev.data"


def evaluated(data, *options):
    return crosspro("evaluate", data, data, "--task", "en-fr", "--resamples", 20, *options)


def test_evaluate_finds_documents_and_says_so(data, examples):
    without = evaluated(data)
    assert b"by:gap" in without.stdout
    assert without.stderr == b""
    write_doc_ids(data.with_name("elsewhere"), examples)
    given_ids = evaluated(data, "--doc-ids", data.with_name("elsewhere"))
    assert b"by:document" in given_ids.stdout
    assert b"documents from" not in given_ids.stderr
    write_doc_ids(data.with_name("dev.doc-ids"), examples)
    found = evaluated(data)
    assert found.stdout == given_ids.stdout
    assert f"{data}: documents from {data.with_name('dev.doc-ids')}" in found.stderr.decode()


def test_check_looks_at_the_layers(data, examples):
    assert crosspro("check", data, "--task", "en-fr").code == 0
    for name, fault in (
        ("dev.source.conllu", b"source.conllu:1: columns"),
        ("dev.chains.tsv", b"chains.tsv:1: header"),
    ):
        data.with_name(name).write_text("no header\n", encoding="utf-8")
        result = crosspro("check", data, "--task", "en-fr")
        assert result.code == 1
        assert fault in result.stdout
        data.with_name(name).unlink()
    data.with_name("dev.doc-ids").write_text("a\n", encoding="utf-8")
    result = crosspro("check", data, "--task", "en-fr")
    assert b"dev.doc-ids: doc-ids" in result.stdout
