"""What speed is compared with does the work that it stands for."""

from __future__ import annotations

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.scripts.bench.files import write_large
from crosspro.scripts.bench.plain_loops import score, words


def test_the_plain_loop_gives_our_accuracy(tmp_path):
    gold, submission, task = tmp_path / "gold", tmp_path / "system", load_task("en-fr")
    write_large(gold, 300)
    write_large(submission, 300, predicted=True)
    labels = read_gold(gold, task)
    ours = evaluate_submissions(task, labels, read_submissions([submission], task, labels))
    assert round(100 * score(gold, submission), 6) == round(
        ours.systems[0].scores["accuracy"].value, 6
    )


def test_words_and_pairs_are_counted(tmp_path):
    (tmp_path / "text").write_text("a b a b\na\n")
    assert words(tmp_path / "text") == 5
