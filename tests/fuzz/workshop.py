"""A folder with a small valid file of every kind, made by the commands themselves.

`LINES` are command lines that work there, as a user would write them. Those of `MAKES` are run in
order when the folder is made, because later lines read what they write.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from crosspro.conf import CONF_DIR
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.lexicon.lexicon import HEADER as LEXICON_HEADER
from crosspro.prediction.system import load_system
from tests.conftest import GOLDEN
from tests.data_prep.bitext.compiled import compile_catalogue
from tests.evaluation.folder_report.folders import make_folder
from tests.evaluation.metrics.contrastive.instances import BLOCK
from tests.scripts.run import crosspro

MAKES = (
    "align --source s.en --target r.fr -o made.links --save-prior prior.npz",
    "align --source s.en --target r.fr -o more.links --prior prior.npz --iterations 0",
    "lm train text.fr -o model.lm -n 3 --discount-fallback --arpa model.arpa",
    "protest build --annotation project --source text.en --reference text.fr"
    " --doc-ids text.doc-ids --links text.links -o suite.jsonl",
    "protest score suite.jsonl --candidate wrong.fr --candidate-links text.links"
    " --review review.tsv --resamples 5",
    "protest review import suite.jsonl filled.tsv --verdicts verdicts.sqlite --judge ann",
    "protest review silver suite.jsonl --verdicts verdicts.sqlite -o silver.tsv",
    "protest tokens suite.jsonl --pronouns en-fr -o tokens",
    "apt --source text.en --reference text.fr --candidate wrong.fr --links text.links"
    " --candidate-links text.links --tokens tokens --detail cases.json --resamples 0 -o cases.txt",
    "gap-filling draw --source s.en --reference r.fr --candidate c.fr --links r.links"
    " --candidate-links c.links -o gaps.tsv --key key.tsv",
    "ensemble majority ngram -o ensemble",
)
LINES = (
    *MAKES[:-1],
    "align --source s.en --target r.fr --evaluate r.links --all-symmetrisations",
    "align --source s.en --target r.fr --evaluate r.links --links c.links --lenient",
    "apt --source s.en --reference r.fr --candidate c.fr --pronouns en-fr --resamples 5"
    " --links r.links --candidate-links c.links --html out/x.html -o out/x",
    "apt --source s.en --reference r.fr --candidate c.fr --pronouns lists.yaml --layout json"
    " --resamples 0 --detail out/detail.tsv --weights 1,0.5,0,0,0,0 --tokens places",
    "apt --config apt/basic/config --legacy -o out/apt",
    "apt-equivalents draw --source s.en --reference r.fr --candidate c.fr --pronouns en-fr"
    " --links r.links --candidate-links c.links -o out/judged.tsv",
    "apt-equivalents estimate judged.tsv --pronouns en-fr -o out/lists.yaml",
    "autoprf --source s.en --reference r.fr --candidate c.fr --pronouns en-fr --resamples 5"
    " --links r.links --candidate-links c.links --doc-starts starts --layout csv",
    "autoprf --legacy autoprf/ref autoprf/cand autoprf/docs -v 2",
    "check dev.data --task en-fr",
    "check dev.data --task task.yaml --doc-ids dev.doc-ids --lenient",
    "classes --source s.en --target r.fr --source-language en --target-language fr"
    " --source-pronouns it --links r.links --annotator tokens:r.tokens -o out/task.yaml",
    "contrastive set.json scores --layout json --resamples 5",
    "contrastive set.json scores --legacy",
    "contrastive block.json block.scores --html out/x.html --detail out/detail.tsv -o out/x",
    "pronoun-f1 --candidate c.fr r.fr --reference r.fr -l fr --resamples 5 --ambiguous"
    " --layout json",
    "contrastive build --source s.en --target r.fr --forms it:il,elle -o out/set.json",
    "contrastive text set.json -o out/text",
    "contrastive text context.json --translate --context 1 -o out/text",
    "contrastive generate context.json --candidate out.fr -l fr --payload sentence"
    " --detail out/detail.tsv",
    "contrastive generate context.json --candidate out.fr out.fr -l fr --html out/x.html"
    " --resamples 5",
    "contrastive generate context.tsv -l fr --share 1.2 --layout json --only elle",
    "correlate table.csv --human human --resamples 5",
    "correlate table.csv --human human --negate ter --layout json -o out/x",
    "correlate table.csv --human human --resamples 5 --plot out/x.svg --html out/x.html",
    "correlate disagreement judgements.csv",
    "correlate cases judgements.csv --resamples 5 --layout csv",
    "demo --task en-fr -o out/demo --train 1 --dev 1 --test 1",
    "evaluate dev.data dev.data --task en-fr --resamples 5 --html out/x.html -o out/x",
    "evaluate dev.data dev.data guess.data --task en-fr --resamples 5 --layout json",
    "evaluate dev.data dev.data --task en-fr --layout official --resamples 0",
    "evaluate dev.data majority dev.data --task en-fr --with-published 2017 --resamples 5",
    "ensemble majority ngram -o out/ensemble --tune dev.data",
    "fetch-official --dry-run --table urls.tsv",
    "fill blind.data --task en-fr --lm model.lm --none-penalty -1.5 -o out/x",
    "fill dev.data --task en-fr --lm model.arpa --layout scores --legacy --other-fillers fillers",
    "gap-filling score filled_gaps.tsv --key key.tsv --resamples 5 --judged out/judged.csv",
    "lexicon convert lexicon.tsv -o out/lexicon.tsv",
    "lm query model.lm text.fr --per-word",
    "lm query model.arpa text.fr --summary -o out/x",
    "lm train dev.data --task en-fr -n 2 --discount-fallback --prune 0,1 -o out/x.arpa.gz",
    "overlap dev.data other.data --task en-fr",
    "predict majority blind.data -o out/x --probabilities out/p.tsv",
    "predict turku blind.data -o out/x --lenient",
    "predict ensemble blind.data -o out/x --doc-ids dev.doc-ids",
    "prepare --task en-fr --source s.en --target r.fr --links r.links --annotator tokens:r.tokens"
    " --rule filter_subjects=false --blind --tokenised -o out/train",
    "prepare --task en-fr --source game.fr.po --annotator tokens:po.tokens --tokenised"
    " --rule filter_subjects=false -o out/train",
    "protest score suite.jsonl --candidate wrong.fr text.fr --candidate-links text.links"
    " --candidate-links text.links --resamples 5"
    " --verdicts verdicts.sqlite --silver silver.tsv --html out/x.html --detail out/x.tsv",
    "protest build --annotation project --source text.en --reference text.fr --doc-ids text.doc-ids"
    " --links text.links --source-parse text.conllu -o out/suite.jsonl",
    "protest judged suite.jsonl --candidate wrong.fr --candidate-links text.links"
    " --verdicts verdicts.sqlite --cases cases.json -o out/judged.csv",
    "protest stats project --layout json",
    "protest review export suite.jsonl --candidate wrong.fr --candidate-links text.links"
    " -o out/review.tsv --matches",
    "protest review conflicts suite.jsonl --verdicts verdicts.sqlite",
    "published --task en-fr --year 2017 --layout csv",
    "published wmt-2016-5 --layout json",
    "report folder --resamples 5 -o out --jobs 1 --name x",
    "report folder --source s.en --reference r.fr --candidate c.fr c.fr --resamples 0 -o out/report"
    " --links r.links --pair en-fr --pronouns lists.yaml --doc-starts starts",
    "select-test dev.data --task en-fr -o out/t --documents 1 --min-segments 1",
    "stats dev.data --task en-fr --by-document -o out/x",
    "tokenise raw.en -l en -o out/x",
    "annotate r.fr -l fr --annotator tokens:r.tokens --layout conllu -o out/x",
    "annotate s.en -l en --annotator conllu:s.conllu",
)


def make_workshop(folder: Path) -> None:
    """Fill an empty folder."""
    _texts(folder)
    _data(folder)
    _protest(folder)
    _tables(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        for line in MAKES:
            if line.startswith("protest review import"):
                fill_review(folder / "review.tsv", folder / "filled.tsv")
            result = crosspro(*line.split())
            if result.code:
                raise RuntimeError(f"{line}: {result.stderr.decode()}")
    finally:
        os.chdir(before)
    _fill_gaps(folder)
    (folder / "out").mkdir()


def _texts(folder: Path) -> None:
    apt, autoprf = GOLDEN / "apt", GOLDEN / "autoprf" / "case_and_clipping"
    names = {"src.en": "s.en", "ref.fr": "r.fr", "mt.fr": "c.fr"}
    for name, ours in {**names, "ref.align": "r.links", "mt.align": "c.links"}.items():
        shutil.copy(apt / name, folder / ours)
    shutil.copytree(apt, folder / "apt")
    make_folder(folder / "folder")
    shutil.copytree(autoprf, folder / "autoprf")
    shutil.copy(GOLDEN / "bitext" / "game.fr.po", folder)
    game = read_bitext(folder / "game.fr.po", source_language="en", target_language="fr")
    french = (folder / "r.fr").read_text("utf-8").splitlines()
    for name, text in (("r.tokens", french), ("po.tokens", [one.target for one in game])):
        tokens = (" ".join(f"{word}|{word}|X" for word in line.split()) for line in text)
        (folder / name).write_text("".join(f"{line}\n" for line in tokens), "utf-8")
    _write_parse(folder / "s.en", folder / "s.conllu")
    (folder / "starts").write_text("0 a\n2 b\n")
    (folder / "places").write_text("0 0\n")
    (folder / "raw.en").write_text('It doesn\'t rain. "Yes" (he said).\n')
    (folder / "x.mo").write_bytes(compile_catalogue({"": "Language: fr\n", "Yes": "Oui"}))


def _write_parse(text: Path, path: Path) -> None:
    """A parse of a text in which each word hangs on the one before it."""
    parse = "".join(
        "".join(
            f"{at}\t{word}\t_\tX\t_\t_\t{at - 1}\tdep\t_\t_\n"
            for at, word in enumerate(line.split(), start=1)
        )
        + "\n"
        for line in text.read_text("utf-8").splitlines()
    )
    path.write_text(parse, "utf-8")


def _data(folder: Path) -> None:
    task = load_task("en-fr")
    examples = demo_examples(task, "dev", 2)[:12]
    write_examples(folder / "dev.data", examples)
    write_doc_ids(folder / "dev.doc-ids", examples)
    guesses = (one.with_labels("ce" for _ in one.gaps) for one in examples)
    write_examples(folder / "guess.data", guesses)
    write_examples(folder / "other.data", demo_examples(task, "test", 2)[:12])
    blind = (
        line.split("\t", 2)[2] for line in (folder / "dev.data").read_text("utf-8").splitlines()
    )
    (folder / "blind.data").write_text("".join(f"\t\t{line}\n" for line in blind), "utf-8")
    shutil.copy(CONF_DIR / "task" / "en-fr.yaml", folder / "task.yaml")
    shutil.copy(CONF_DIR / "words" / "pairs" / "en-fr.yaml", folder / "lists.yaml")
    (folder / "fillers").write_text("le\nla\n")
    models = GOLDEN / "models"
    for ours, name in {"majority": "majority", "ngram": "ngram", "turku": "turku_gru"}.items():
        load_system(models / name).save(folder / ours)  # in today's form, with checksums


def _protest(folder: Path) -> None:
    golden = GOLDEN / "protest"
    shutil.copytree(golden / "en", folder / "project")
    for name in ("text.en", "text.fr", "text.links", "text.doc-ids"):
        shutil.copy(golden / name, folder)
    _write_parse(folder / "text.en", folder / "text.conllu")
    text = (folder / "text.fr").read_text("utf-8")
    text = text.replace("Il pleut", "Ça pleut").replace("maison", "manoir")
    (folder / "wrong.fr").write_text(text, "utf-8")


def _filled(path: Path, filled: Path, fill: Callable[[int, dict[str, str]], None]) -> None:
    """Write a sheet with columns as a person leaves it."""
    heading, *rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    lines = [heading]
    for number, cells in enumerate(rows):
        row = dict(zip(heading, cells, strict=True))
        fill(number, row)
        lines.append(list(row.values()))
    filled.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")


def fill_review(path: Path, filled: Path) -> None:
    """The review file as a person leaves it: every verdict is right."""

    def fill(_: int, row: dict[str, str]) -> None:
        row["pronoun"] = "right"
        row["antecedent"] = "right" if "anaphoric" in row["category"] else ""

    _filled(path, filled, fill)


def _fill_gaps(folder: Path) -> None:
    answers = ("il elle", "ce", "other", "bad translation", "")

    def fill(number: int, row: dict[str, str]) -> None:
        row["accepted"] = answers[number % len(answers)]

    _filled(folder / "gaps.tsv", folder / "filled_gaps.tsv", fill)


def _tables(folder: Path) -> None:
    small = GOLDEN / "contrastive" / "small_set"
    shutil.copy(small / "test.json", folder / "set.json")
    shutil.copy(small / "scores", folder / "scores")
    (folder / "block.json").write_text(json.dumps({"1": BLOCK}))
    (folder / "block.scores").write_text("1\n2\n3\n4\n")
    context = json.loads((GOLDEN / "ctxpro" / "fr" / "set.json").read_text("utf-8"))[:5]
    (folder / "context.json").write_text(json.dumps(context))
    outputs = (GOLDEN / "ctxpro" / "fr" / "out.fr").read_text("utf-8").splitlines(keepends=True)
    (folder / "out.fr").write_text("".join(outputs[:5]))
    (folder / "context.tsv").write_text(
        "1\t2\tcorrect\telle\tA. <eos> It.\ta. <eos> Elle.\tb. <eos> Va-t-elle ?\n"
    )
    rows = ("system,human,apt,ter", "a,1,2,3", "b,2,2.5,2", "c,3,1,1", "d,4,4,0")
    (folder / "table.csv").write_text("\n".join(rows) + "\n")
    judged = (
        "category,case,human,kind\nit,1,correct,\nit,2,incorrect,E\nthey,3,,\nthey,same,right,\n"
        "they,6,bad translation,\n"
    )
    (folder / "judgements.csv").write_text(judged)
    (folder / "judged.tsv").write_text("reference\tcandidate\tcorrect\nil\telle\t1\nce\til\t0\n")
    (folder / "lexicon.tsv").write_text(f"{LEXICON_HEADER}\nmaison\tNOUN\tFem\tSing\t12\n")
    table = (CONF_DIR.parent / "data_prep" / "official" / "urls.tsv").read_text("utf-8")
    kept = [line for line in table.splitlines() if not line.startswith("#")][:4]
    (folder / "urls.tsv").write_text("\n".join(kept) + "\n", "utf-8")
