"""Readers of evaluation: gold and submissions, texts of MT, contrastive sets, suites, verdicts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.formats.links import read_links as read_link_lines
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.disagreement import CaseVerdicts, Disagreement, Judgements
from crosspro.evaluation.correlation.judged import join_cases, read_judgements
from crosspro.evaluation.correlation.report import correlation_figure, correlation_page
from crosspro.evaluation.correlation.score_table import read_score_table
from crosspro.evaluation.correlation.study import correlate
from crosspro.evaluation.folder_report.compute import ReportSettings
from crosspro.evaluation.folder_report.folder import report_on
from crosspro.evaluation.folder_report.page import report_page
from crosspro.evaluation.folder_report.results import report_json
from crosspro.evaluation.human.campaign import Campaign, CampaignSettings, PlanSettings
from crosspro.evaluation.human.exchange import add_history, history, read_history, read_review_file
from crosspro.evaluation.human.gap_filling import evaluate_gaps
from crosspro.evaluation.human.gap_sheets import judged_csv, read_filled_gaps
from crosspro.evaluation.human.progress import overview
from crosspro.evaluation.human.store import CampaignFile
from crosspro.evaluation.human.verdicts import VerdictStore
from crosspro.evaluation.human.work import Response, note_event, read_work, save, undo
from crosspro.evaluation.inputs.case_records import PlacedVerdict, read_case_records
from crosspro.evaluation.inputs.linked_text import read_links, read_text
from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
from crosspro.evaluation.inputs.plain_text import read_doc_starts
from crosspro.evaluation.inputs.pronoun_lists import (
    lists_to_mapping,
    load_lists,
)
from crosspro.evaluation.metrics.apt.equivalents import read_judged
from crosspro.evaluation.metrics.contrastive.build import ContextWindow, sentences_to_translate
from crosspro.evaluation.metrics.contrastive.formats import read_contrastive, read_json
from crosspro.evaluation.metrics.contrastive.metric import decide, read_scores
from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
from crosspro.evaluation.metrics.expected_forms.metric import judge
from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.evaluation.output.records import json_report
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.protest.antecedents import ParsedHeads, read_source_parse
from crosspro.evaluation.protest.candidates import read_decisions
from crosspro.evaluation.protest.language import source_words, target_words
from crosspro.evaluation.protest.match import read_silver, write_silver
from crosspro.evaluation.protest.suite import Place, read_suite, write_suite
from crosspro.evaluation.protest.text import read_system
from crosspro.evaluation.released.apt.config import read_config
from crosspro.evaluation.released.contrastive.ctxpro import released_instances
from crosspro.evaluation.released.contrastive.generative_contrapro import script_rows
from tests.conftest import GOLDEN
from tests.evaluation.human.sets import make_set
from tests.fuzz.reader import Files, Reader, files_of, round_trip
from tests.fuzz.text_readers import EN_FR

LISTS = load_lists("en-fr")


def _some(workshop: Path, *names: str, lines: int | None = None) -> Files:
    """Files of the workshop, or their first lines."""
    contents = {name: (workshop / name).read_bytes() for name in names}
    if lines is None:
        return contents
    return {name: b"".join(one.splitlines(True)[:lines]) for name, one in contents.items()}


def _checked(read: Callable[[list[Problem]], Any]) -> Any:
    """What a reader that collects problems returns, if there are none."""
    problems: list[Problem] = []
    found = read(problems)
    if problems:
        raise InputError(problems)
    return found


def submissions(workshop: Path) -> Iterator[Reader]:
    """Gold and submissions, tables of scores, judgements of people."""
    gold = _some(workshop, "dev.data", lines=5)["dev.data"]
    labels = b"".join(line.split(b"\t")[0] + b"\n" for line in gold.splitlines())
    files = [
        {"gold": gold, "submission": given, "doc-ids": b"a\na\na\nb\nb\n"}
        for given in (gold, labels)
    ]

    def scored(folder: Path) -> Any:
        gold = read_gold(folder / "gold", EN_FR, folder / "doc-ids")
        return read_submissions([folder / "submission"], EN_FR, gold)[0].classes.tolist()

    yield Reader("submissions", scored, *files, words="ce, elle, OTHER, ce elle, REPLACE_0")
    table = _some(workshop, "table.csv")
    other = {"table.csv": table["table.csv"].replace(b",", b"\t").replace(b"\n", b"\r\n")}

    def drawn(folder: Path) -> Any:
        found = read_score_table(folder / "table.csv", "human", negate=["ter"])
        study = correlate(found)
        return found.digest, correlation_figure(study), correlation_page(study)

    yield Reader("score_table", drawn, table, other)

    def judgements(folder: Path) -> Any:
        found = read_judgements(folder / "judgements.csv")
        metrics = (Disagreement(), CaseVerdicts())
        return [text_report(evaluate(metric, Judgements(found))) for metric in metrics]

    words = "same, right, bad translation, unclear, V, kind"
    yield Reader("judgements", judgements, _some(workshop, "judgements.csv"), words=words)


def mt_texts(workshop: Path) -> Iterator[Reader]:
    """Source, reference, candidate, their links and documents."""
    names = ("s.en", "r.fr", "c.fr", "r.links", "c.links")
    files = _some(workshop, *names, lines=3)
    for lenient in (False, True):

        def texts(folder: Path, lenient: bool = lenient) -> Any:
            source, reference, candidate, links, candidate_links = (folder / name for name in names)
            paths = InputPaths(
                source, reference, (candidate,), links, (candidate_links,), lenient=lenient
            )
            found = read_input(paths, LISTS)
            return found.source.lines, found.reference.links.starts.tolist()

        yield Reader(f"mt_text.{'lenient' if lenient else 'strict'}", texts, files)

    def both_ways(folder: Path) -> Any:
        """Links read at once, as arrays, are those that are read line by line."""

        def read(problems: list[Problem]) -> Any:
            source, target = (read_text(folder / name, problems) for name in ("s.en", "r.fr"))
            return source, target, read_links(folder / "r.links", source, target, problems)

        source, target, arrays = _checked(read)
        words = [[text.words(n) for n in range(len(text.lines))] for text in (source, target)]
        singly = [sorted(set(line)) for line in read_link_lines(folder / "r.links", *words)]
        pairs = list(zip(arrays.source.tolist(), arrays.target.tolist(), strict=True))
        together = [sorted(set(pairs[a:b])) for a, b in pairwise(arrays.starts.tolist())]
        assert together[: len(singly)] == singly, "two readers of links disagree"
        return together

    linked = _some(workshop, "s.en", "r.fr", "r.links", lines=3)
    yield Reader("mt_text.links", both_ways, linked, changed=("r.links",))

    def starts(folder: Path) -> Any:
        found = _checked(lambda problems: read_doc_starts(folder / "starts", 5, problems))
        return found and found.names

    yield Reader("doc_starts", starts, _some(workshop, "starts"))


def word_lists(workshop: Path) -> Iterator[Reader]:
    """Pronoun lists and their heirs, judged pairs, the settings of the released APT."""

    def pronouns(folder: Path) -> Any:
        found = load_lists(folder / "lists.yaml")
        again = folder / "again.yaml"
        again.write_text(yaml.safe_dump(lists_to_mapping(found)), "utf-8")
        assert load_lists(again) == found, "pronoun lists are not what their mapping makes of them"
        return found

    small = (
        b"name: x\nsource_language: en\ntarget_language: fr\nsource_pronouns: [it, they]\n"
        b"target_pronouns: [il, elle, ce]\n"
    )
    lists = (_some(workshop, "lists.yaml"), {"lists.yaml": small})
    yield Reader("yaml.pronouns", pronouns, *lists, share=0.3)
    heir = {
        "lists.yaml": b"inherits: middle.yaml\nname: y\nadd:\n  target_pronouns: [lui]\n"
        b"  translations: {it: [lui]}\nidentical: [[il, lui]]\n",
        "middle.yaml": b"inherits: parent.yaml\ntranslations: {it: [ce]}\n",
        "parent.yaml": small,
    }
    words = "inherits, add, lists.yaml, parent.yaml, en-fr, en-fr-undivided"
    yield Reader("yaml.heirs", pronouns, heir, words=words)
    judged = _some(workshop, "judged.tsv")
    yield Reader("judged", lambda folder: read_judged(folder / "judged.tsv", LISTS), judged)
    lists = ("basic/config", "list_src", "list_tgt", "equal", "similar")
    config = _some(workshop / "apt", *lists, "src.en", "ref.fr", "mt.fr", "ref.align", "mt.align")
    yield Reader(
        "apt_config",
        lambda folder: read_config(folder / "basic" / "config"),
        config,
        changed=lists,
        words="[files], [cases], %(x)s, ${a:b}, false, 1,2,3,4,5,6",
    )


def gap_filling(workshop: Path) -> Iterator[Reader]:
    """Gaps that people filled."""
    names = ("filled_gaps.tsv", "key.tsv")

    def scored(folder: Path) -> Any:
        filled = read_filled_gaps([folder / names[0]], folder / names[1], LISTS)
        evaluation = evaluate_gaps(filled, LISTS, None)
        return judged_csv(filled), text_report(evaluation), json_report(evaluation)

    files = (_some(workshop, *names), _some(workshop, *names, lines=6))
    words = "other, bad translation, il/elle, accepted, 1, 7"
    yield Reader("gap_filling", scored, *files, words=words)
    yield Reader(
        "gap_filling.alone",
        lambda folder: read_filled_gaps([folder / "t.csv"], None, LISTS).gaps,
        {"t.csv": b"system,output,accepted,line,position\na,il,il,0,1\nb,,other,0,1\n"},
        words=words,
    )


def contrastive(workshop: Path) -> Iterator[Reader]:
    """Contrastive sets with scores, and sets of expected forms with outputs."""
    for names in (("set.json", "scores"), ("block.json", "block.scores")):

        def decided(folder: Path, names: tuple[str, str] = names) -> Any:
            found = read_contrastive(folder / names[0], allow_unknown=True)
            scores = read_scores([folder / names[1]], found)
            return [one.right for one in decide(found, scores[0])]

        yield Reader(f"contrastive.{names[0]}", decided, _some(workshop, *names))
    case = GOLDEN / "ctxpro" / "fr"
    content = json.loads((case / "set.json").read_text("utf-8"))[:4]
    lines = (case / "out.fr").read_text("utf-8").splitlines()[:4]
    output = "".join(f"A. <eos> {line}\n" for line in lines).encode()
    ctxpro = {"set": json.dumps(content, ensure_ascii=False).encode(), "out": output}
    contrapro = (workshop / "set.json").read_bytes()
    size = len(json.loads(contrapro))
    rows = (
        b"1\t2\tcorrect\telle\tA. <eos> It.\ta. <eos> Elle.\tb <eos> Va-t-elle ?\n"
        b"0\tcorrect\til\tIt.\tIl.\tIl l'a vu.\n0\tincorrect\til\tIt.\tIl.\tx\n"
    )
    tsv = {"set": rows, "out": b"a <eos> b\nc\nd\n"}
    rules = PayloadRules(sentences=True)

    def judged(folder: Path) -> Any:
        found, read = read_expected(folder / "set", "fr", allow_unknown=True)
        both = None if read is None else (folder / "set", read)
        parts = folder / "parts" if read is None else None
        outputs = read_outputs([folder / "out"], found, rules, "fr", tsv=both, parts=parts)
        if both:
            outputs += read_outputs([], found, PayloadRules(share=1.2), "fr", tsv=both)
        return (
            [[own.verdict for own in judge(found, one, "fr")] for one in outputs],
            sentences_to_translate(found, "set", ContextWindow(1, 1))
            if found.instances[0].source
            else None,
        )

    words = "<eos>, expected, rule, correct, \t, -t-elle, src following"
    yield Reader(
        "contrastive.generate",
        judged,
        ctxpro | {"parts": b"-1\n2\n1\n-2\n"},
        {"set": contrapro, "out": b"Er sieht es.\n" * size, "parts": b"1\n" * size},
        tsv | {"parts": b"1\n1\n1\n"},
        words=words,
    )
    yield Reader(
        "contrastive.released_tsv", lambda folder: script_rows(folder / "set"), {"set": rows},
        words=words,
    )  # fmt: skip

    def faults(folder: Path) -> Any:
        return released_instances(folder / "set.json", read_json(folder / "set.json"))

    yield Reader("contrastive.released_ctxpro", faults, {"set.json": ctxpro["set"]})


def campaigns(workshop: Path) -> Iterator[Reader]:
    """The store of a review campaign, as a server starts with it, and what it takes in."""
    items = make_set(3)
    settings = CampaignSettings(plan=PlanSettings(matches=1, overlap=1))
    names = ["Anna", "Ben"]

    @contextmanager
    def opened(folder: Path) -> Iterator[Campaign]:
        file = CampaignFile(folder / "v.sqlite", items.digest)
        try:
            campaign = Campaign(file, items, settings)
            campaign.start(names)
            yield campaign
        finally:
            file.close()

    with tempfile.TemporaryDirectory() as name, opened(Path(name)) as campaign:
        for number, value in enumerate(("right", "wrong", "unclear", "right")):
            with campaign.file.writing() as database:
                work = read_work(database, campaign, names[number % 2])
                response = Response(value, "right", tags=("gender",), words=(1,), remark="é")
                save(database, campaign, work.annotator, work.places[number], response, 0)
                note_event(database, work.annotator, "flag", work.places[number].key, "x")
        with campaign.file.writing() as database:
            work = read_work(database, campaign, names[0])
            undo(database, campaign, work, work.last_save)
            lines = "".join(f"{line}\n" for line in history(database))
        campaign.file.close()
        store = (Path(name) / "v.sqlite").read_bytes()

    def start(folder: Path) -> Any:
        with opened(folder) as campaign, campaign.file.reading() as database:
            return overview(database, campaign), list(history(database))

    def take_in(folder: Path) -> Any:
        records = read_history(folder / "history.jsonl")
        (folder / "v.sqlite").write_bytes(store)  # without what came in before
        with opened(folder) as campaign:
            with campaign.file.writing() as database:
                first = add_history(database, records)
                said = list(history(database))
                assert add_history(database, records).added == 0, "taken in twice"
                assert list(history(database)) == said, "changed by what it knew"
            return first.conflicts, said

    tidy = "v.sqlite-*"
    yield Reader("review.store", start, {"v.sqlite": store}, share=0.5, tidy=tidy)
    files = {"v.sqlite": store, "history.jsonl": lines.encode()}
    words = "kind, withdrawn, decision, time, 2030-01-01T00:00:00, null, -1"
    changed = ("history.jsonl",)
    yield Reader(
        "review.history", take_in, files, changed=changed, words=words, share=0.5, tidy=tidy
    )


def folders(workshop: Path) -> Iterator[Reader]:
    """A whole folder, as `crosspro report` finds and reads it; small, and once without links."""
    whole = files_of(workshop / "folder")
    sets = {"contrastive/ctx.json": 3, "contrastive/pro.json": 2}
    for name, size in sets.items():
        whole[name] = json.dumps(json.loads(whole[name])[:size]).encode()
    lines = {"contrastive/ctx/mt.fr": 3}
    lines["contrastive/pro/mt.scores"] = sum(
        1 + len(one["errors"]) for one in json.loads(whole["contrastive/pro.json"])
    )
    for name, content in whole.items():
        if not name.endswith(".json"):
            whole[name] = b"".join(content.splitlines(keepends=True)[: lines.get(name, 4)])
    plain = {name: content for name, content in whole.items() if not name.endswith(".links")}

    def reported(folder: Path) -> Any:
        found = report_on(folder, settings=ReportSettings(Resampling(3, 1)))
        return report_json(found), len(report_page(found))

    words = "it, il, 0-0, correct, expected, \n, ."
    yield Reader("report.folder", reported, whole, plain, words=words, share=0.3)


def protest(workshop: Path) -> Iterator[Reader]:
    """Suites, decisions, parses, outputs, review files and verdicts of PROTEST."""
    suite = read_suite(workshop / "suite.jsonl")
    token = suite.tokens[0]
    document = suite.documents[token.place.line]
    names = ", ".join(one.name for one in suite.tokens[:3])
    english = [
        tuple(line.split()) for line in (workshop / "text.en").read_text("utf-8").splitlines()
    ]
    decisions = f"document\tword\tcategory\thead\n{document}\tword_1\t{token.category}\tx y\n# x\n"

    def one_file(name: str, read: Callable[[Path], Any], **options: Any) -> Reader:
        files = _some(workshop, name)
        return Reader(f"protest.{name}", lambda folder: read(folder / name), files, **options)

    def output(folder: Path) -> Any:
        files = (folder / name for name in ("wrong.fr", "text.links", "text.en"))
        found = read_system(suite, "x", *files)
        return found.output, found.links

    def parse(path: Path) -> Any:
        places: list[Place | None] = [
            Place(line, (at,)) for line, words in enumerate(english) for at in range(len(words))
        ]
        heads = ParsedHeads(places, read_source_parse(path, "en", english))
        return [heads.heads(range(first, first + 4)) for first in range(len(places) - 4)]

    judged = [
        PlacedVerdict("wrong", token.place.line, token.place.at[0], token.category, "correct")
        for token in suite.tokens
    ]

    def cases(path: Path) -> Any:
        return join_cases(path, read_case_records(path), judged, "fr").text()

    def verdicts(path: Path) -> Any:
        with VerdictStore(path, suite.digest, create=False) as store:
            return store.verdicts(), store.judgements(), store.conflicts()

    def review(path: Path) -> Any:
        return read_review_file(path, suite.anaphoric, "ann")

    suites = round_trip(read_suite, write_suite, "suite.jsonl")
    yield Reader("protest.suite", suites, _some(workshop, "suite.jsonl"), share=0.5)
    silver = round_trip(lambda path: read_silver(path, suite), write_silver, "silver.tsv")
    yield Reader("protest.silver", silver, _some(workshop, "silver.tsv"), words=names)
    yield Reader(
        "protest.decisions",
        lambda folder: read_decisions(folder / "x.tsv"),
        {"x.tsv": decisions.encode()},
        words=f"{token.category}, reject, {document}",
    )
    yield Reader("protest.system", output, _some(workshop, "wrong.fr", "text.links", "text.en"))
    yield one_file("filled.tsv", review)
    yield one_file("review.tsv", review)
    yield one_file("text.conllu", parse)
    words = "case, sentences, positions, null, true, -1, 1e3"
    yield one_file("cases.json", cases, words=words)
    yield one_file("verdicts.sqlite", verdicts, share=0.5)


def protest_words(workshop: Path) -> Iterator[Reader]:
    """YAML of words that PROTEST knows of a language, and an heir."""
    heir = (
        "inherits: fr\nlanguage: frc\nadd:\n  target:\n    dropped: [icitte]\n    pronouns:\n"
        "    - {forms: [yé], person: third, gender: common, number: plural, role: any}\n"
    )
    folder = CONF_DIR / "words" / "protest"
    for name, load, content in (
        ("en", source_words, (folder / "en.yaml").read_bytes()),
        ("fr", target_words, (folder / "fr.yaml").read_bytes()),
        ("heirs", target_words, heir.encode()),
    ):
        yield Reader(
            f"yaml.words_{name}",
            lambda folder, load=load: load(str(folder / "words.yaml")),
            {"words.yaml": content},
            words="inherits, add, words.yaml, fr, en",
            share=0.2,
        )


GROUPS = (
    submissions, mt_texts, word_lists, gap_filling, contrastive, campaigns, folders, protest,
    protest_words,
)  # fmt: skip
