"""Readers of evaluation: gold and submissions, texts of MT, contrastive sets, suites, verdicts.

Their originals are files of the workshop.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.formats.links import read_links as read_link_lines
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.cases import study_cases
from crosspro.evaluation.correlation.disagreement import study_disagreement
from crosspro.evaluation.correlation.judged import join_cases, read_judgements
from crosspro.evaluation.correlation.report import correlation_figure, correlation_page
from crosspro.evaluation.correlation.study import correlate, read_score_table
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
    lists_from_mapping,
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
from tests.evaluation.human.sets import make_set
from tests.fuzz.subject import Files, Subject, files_of, require, round_trip
from tests.fuzz.text_readers import EN_FR


def mt_readers(workshop: Path) -> Iterator[Subject]:
    """All of them, with originals of the workshop."""

    def some(*names: str) -> Files:
        return {name: (workshop / name).read_bytes() for name in names}

    yield from _submissions(some)
    yield from _mt_texts(some)
    yield from _gap_filling(some)
    yield from _contrastive(some)
    yield from _protest(workshop, some)
    yield from _campaigns()
    yield from _folders(workshop)


def _submissions(some: Any) -> Iterator[Subject]:
    gold_lines = b"".join(some("dev.data")["dev.data"].splitlines(keepends=True)[:5])

    def scored(folder: Path) -> Any:
        gold = read_gold(folder / "gold", EN_FR, folder / "doc-ids")
        return read_submissions([folder / "submission"], EN_FR, gold)[0].classes.tolist()

    labels = b"".join(line.split(b"\t")[0] + b"\n" for line in gold_lines.splitlines())
    ids = b"a\na\na\nb\nb\n"
    originals = tuple(
        {"gold": gold_lines, "submission": given, "doc-ids": ids} for given in (gold_lines, labels)
    )
    words = (b"ce", b"elle", b"OTHER", b"ce elle", b"REPLACE_0")
    yield Subject("submissions", originals, scored, share=3000, words=words)
    table = some("table.csv")
    more = {"table.csv": table["table.csv"].replace(b",", b"\t").replace(b"\n", b"\r\n")}
    yield Subject(
        "score_table",
        (table, more),
        lambda folder: read_score_table(folder / "table.csv", "human", negate=["ter"]).digest,
        share=2000,
    )

    def judgements(folder: Path) -> Any:
        found = read_judgements(folder / "judgements.csv")
        return study_disagreement(found).kinds, study_cases(found).cases

    yield Subject(
        "judgements",
        (some("judgements.csv"),),
        judgements,
        share=2000,
        words=(b"same", b"right", b"bad translation", b"unclear", b"V", b"kind"),
    )
    plain = some("table.csv")

    def drawn(folder: Path) -> Any:
        study = correlate(read_score_table(folder / "table.csv", "human", negate=["ter"]))
        return correlation_figure(study), correlation_page(study)

    yield Subject("score_table.drawn", (plain,), drawn, share=300)


def _mt_texts(some: Any) -> Iterator[Subject]:
    files = some("s.en", "r.fr", "c.fr", "r.links", "c.links")
    files = {name: b"\n".join(content.split(b"\n")[:3]) + b"\n" for name, content in files.items()}
    lists = load_lists("en-fr")

    def texts(folder: Path, lenient: bool = False) -> Any:
        paths = InputPaths(
            folder / "s.en",
            folder / "r.fr",
            (folder / "c.fr",),
            folder / "r.links",
            (folder / "c.links",),
            lenient=lenient,
        )
        found = read_input(paths, lists)
        return found.source.lines, found.reference.links.starts.tolist()

    yield Subject("mt_text", (files,), texts, share=1500)
    yield Subject("mt_text.lenient", (files,), lambda folder: texts(folder, True), share=1000)

    def both_ways(folder: Path) -> Any:
        """Links read at once, as arrays, are those that are read one by one."""
        problems: list[Problem] = []
        source, target = (read_text(folder / name, problems) for name in ("s.en", "r.fr"))
        arrays = read_links(folder / "r.links", source, target, problems)
        if problems:
            raise InputError(problems)
        words = [[text.words(n) for n in range(len(text.lines))] for text in (source, target)]
        singly = [sorted(set(line)) for line in read_link_lines(folder / "r.links", *words)]
        bounds = arrays.starts.tolist()
        pairs = list(zip(arrays.source.tolist(), arrays.target.tolist(), strict=True))
        together = [sorted(set(pairs[a:b])) for a, b in pairwise(bounds)]
        require(together[: len(singly)] == singly, "two readers of links disagree")
        return together

    linked = {name: files[name] for name in ("s.en", "r.fr", "r.links")}
    yield Subject("mt_text.links", (linked,), both_ways, changed=("r.links",), share=3000)

    def starts(folder: Path) -> Any:
        problems: list[Problem] = []
        found = read_doc_starts(folder / "starts", 5, problems)
        if problems:
            raise InputError(problems)
        return found and found.names

    yield Subject("doc_starts", (some("starts"),), starts, share=3000)

    def pronouns(folder: Path) -> Any:
        found = load_lists(folder / "lists.yaml")
        again = lists_from_mapping(lists_to_mapping(found), "again")
        require(again == found, "pronoun lists are not what their mapping makes of them")
        return found

    small = (
        b"name: x\nsource_language: en\ntarget_language: fr\nsource_pronouns: [it, they]\n"
        b"target_pronouns: [il, elle, ce]\n"
    )
    yield Subject("yaml.pronouns", (some("lists.yaml"), {"lists.yaml": small}), pronouns, share=150)
    heir = {
        "lists.yaml": b"inherits: middle.yaml\nname: y\nadd:\n  target_pronouns: [lui]\n"
        b"  translations: {it: [lui]}\nidentical: [[il, lui]]\n",
        "middle.yaml": b"inherits: parent.yaml\ntranslations: {it: [ce]}\n",
        "parent.yaml": small,
    }
    words = (b"inherits", b"add", b"lists.yaml", b"parent.yaml", b"en-fr", b"en-fr-undivided")
    yield Subject("yaml.heirs", (heir,), pronouns, share=1000, words=words)
    yield Subject(
        "judged",
        (some("judged.tsv"),),
        lambda folder: read_judged(folder / "judged.tsv", lists),
        share=3000,
    )
    config = {name: some(f"apt/{name}")[f"apt/{name}"] for name in (
        "basic/config", "src.en", "ref.fr", "mt.fr", "ref.align", "mt.align", "list_src",
        "list_tgt", "equal", "similar",
    )}  # fmt: skip
    yield Subject(
        "apt_config",
        (config,),
        lambda folder: read_config(folder / "basic" / "config"),
        changed=("basic/config", "list_src", "list_tgt", "equal", "similar"),
        share=1000,
        words=(b"[files]", b"[cases]", b"%(x)s", b"${a:b}", b"false", b"1,2,3,4,5,6"),
    )


def _gap_filling(some: Any) -> Iterator[Subject]:
    lists = load_lists("en-fr")
    files = some("filled_gaps.tsv", "key.tsv")
    small = {name: b"\n".join(content.split(b"\n")[:6]) + b"\n" for name, content in files.items()}

    def scored(folder: Path) -> Any:
        filled = read_filled_gaps([folder / "filled_gaps.tsv"], folder / "key.tsv", lists)
        evaluation = evaluate_gaps(filled, lists, None)
        return judged_csv(filled), text_report(evaluation), json_report(evaluation)

    words = (b"other", b"bad translation", b"il/elle", b"accepted", b"1", b"7")
    yield Subject("gap_filling", (files, small), scored, share=1500, words=words)
    alone = {"t.csv": b"system,output,accepted,line,position\na,il,il,0,1\nb,,other,0,1\n"}
    yield Subject(
        "gap_filling.alone",
        (alone,),
        lambda folder: read_filled_gaps([folder / "t.csv"], None, lists).gaps,
        share=2000,
        words=words,
    )


def _contrastive(some: Any) -> Iterator[Subject]:
    sets = (some("set.json", "scores"), some("block.json", "block.scores"))

    def decided(folder: Path, names: tuple[str, str]) -> Any:
        found = read_contrastive(folder / names[0], allow_unknown=True)
        scores = read_scores([folder / names[1]], found)
        return [one.right for one in decide(found, scores[0])]

    for name, original in zip(("contrapro", "discevalmt"), sets, strict=True):
        files = tuple(original)
        yield Subject(
            f"contrastive.{name}",
            (original,),
            lambda folder, files=files: decided(folder, files),
            share=1000,
        )
    yield from _generative(some)


def _generative(some: Any) -> Iterator[Subject]:
    case = Path(__file__).parents[1] / "golden" / "ctxpro" / "fr"
    content = json.loads((case / "set.json").read_text("utf-8"))[:4]
    lines = (case / "out.fr").read_text("utf-8").splitlines()[:4]
    output = "".join(f"A. <eos> {line}\n" for line in lines).encode()
    ctxpro = {"set": json.dumps(content, ensure_ascii=False).encode(), "out": output}
    contrapro = some("set.json")["set.json"]
    size = len(json.loads(contrapro))
    rows = [
        b"1\t2\tcorrect\telle\tA. <eos> It.\ta. <eos> Elle.\tb <eos> Va-t-elle ?",
        b"0\tcorrect\til\tIt.\tIl.\tIl l'a vu.",
        b"0\tincorrect\til\tIt.\tIl.\tx",
    ]
    tsv = {"set": b"\n".join(rows) + b"\n", "out": b"a <eos> b\nc\nd\n"}
    rules = PayloadRules(sentences=True)

    def judged(folder: Path) -> Any:
        found, read = read_expected(folder / "set", "fr", allow_unknown=True)
        both = None if read is None else (folder / "set", read)
        parts = folder / "parts" if read is None else None
        outputs = read_outputs([folder / "out"], found, rules, "fr", tsv=both, parts=parts)
        if both:
            outputs += read_outputs([], found, PayloadRules(share=1.2), "fr", tsv=both)
        window = ContextWindow(1, 1)
        return (
            [[own.verdict for own in judge(found, one, "fr")] for one in outputs],
            sentences_to_translate(found, "set", window) if found.instances[0].source else None,
        )

    originals = (
        ctxpro | {"parts": b"-1\n2\n1\n-2\n"},
        {"set": contrapro, "out": b"Er sieht es.\n" * size, "parts": b"1\n" * size},
        tsv | {"parts": b"1\n1\n1\n"},
    )
    yield Subject(
        "contrastive.generate",
        originals,
        judged,
        share=1500,
        words=(b"<eos>", b"expected", b"rule", b"correct", b"\t", b"-t-elle", b"src following"),
    )
    yield Subject(
        "contrastive.released_tsv",
        (tsv,),
        lambda folder: script_rows(folder / "set"),
        changed=("set",),
        share=1500,
        words=(b"correct", b"\t", b"<eos>"),
    )
    released = ({"set": ctxpro["set"]},)

    def faults(folder: Path) -> Any:
        return released_instances(folder / "set", read_json(folder / "set"))

    yield Subject("contrastive.released_ctxpro", released, faults, share=1500)


def _campaigns() -> Iterator[Subject]:
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
                require(add_history(database, records).added == 0, "taken in twice")
                require(list(history(database)) == said, "changed by what it knew")
            return first.conflicts, said

    def tidy(folder: Path) -> None:
        for path in folder.glob("v.sqlite-*"):
            path.unlink()

    yield Subject("review.store", ({"v.sqlite": store},), start, share=100, tidy=tidy)
    files = {"v.sqlite": store, "history.jsonl": lines.encode()}
    words = (b"kind", b"withdrawn", b"decision", b"time", b"2030-01-01T00:00:00", b"null", b"-1")
    changed = ("history.jsonl",)
    yield Subject("review.history", (files,), take_in, changed, share=100, words=words, tidy=tidy)


def _folders(workshop: Path) -> Iterator[Subject]:
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

    words = (b"it", b"il", b"0-0", b"correct", b"expected", b"\n", b".")
    yield Subject("report.folder", (whole, plain), reported, share=400, words=words)


def _protest(workshop: Path, some: Any) -> Iterator[Subject]:
    suite = read_suite(workshop / "suite.jsonl")
    yield Subject(
        "protest.suite",
        (some("suite.jsonl"),),
        round_trip(read_suite, write_suite, "suite.jsonl"),
        share=700,
    )
    yield Subject(
        "protest.review",
        (some("filled.tsv"), some("review.tsv") | {"filled.tsv": some("review.tsv")["review.tsv"]}),
        lambda folder: read_review_file(folder / "filled.tsv", suite.anaphoric, "ann"),
        changed=("filled.tsv",),
        share=1500,
    )
    names = [token.name for token in suite.tokens]
    token = suite.tokens[0]
    document = suite.documents[token.place.line]
    decisions = f"document\tword\tcategory\thead\n{document}\tword_1\t{token.category}\tx y\n# x\n"
    yield Subject(
        "protest.decisions",
        ({"x.tsv": decisions.encode()},),
        lambda folder: read_decisions(folder / "x.tsv"),
        share=2500,
        words=tuple(one.encode() for one in (token.category, "reject", document)),
    )

    def silver(path: Path) -> Any:
        return read_silver(path, suite)

    yield Subject(
        "protest.silver",
        (some("silver.tsv"),),
        round_trip(silver, write_silver, "silver.tsv"),
        share=2500,
        words=tuple(one.encode() for one in names[:3]),
    )
    system = some("wrong.fr", "text.links", "text.en")

    def output(folder: Path) -> Any:
        files = (folder / name for name in ("wrong.fr", "text.links", "text.en"))
        found = read_system(suite, "x", *files)
        return found.output, found.links

    yield Subject("protest.system", (system,), output, share=800)

    english = [
        tuple(line.split()) for line in (workshop / "text.en").read_text("utf-8").splitlines()
    ]

    def parse(folder: Path) -> Any:
        sentences = read_source_parse(folder / "text.conllu", "en", english)
        places: list[Place | None] = [
            Place(line, (at,)) for line, words in enumerate(english) for at in range(len(words))
        ]
        heads = ParsedHeads(places, sentences)
        return [heads.heads(range(first, first + 4)) for first in range(len(places) - 4)]

    yield Subject("protest.parse", (some("text.conllu"),), parse, share=700)
    judged = [
        PlacedVerdict("wrong", token.place.line, token.place.at[0], token.category, "correct")
        for token in suite.tokens
    ]

    def cases(folder: Path) -> Any:
        path = folder / "cases.json"
        return join_cases(path, read_case_records(path), judged, "fr").text()

    words = (b"case", b"sentences", b"positions", b"null", b"true", b"-1", b"1e3")
    yield Subject("apt_cases", (some("cases.json"),), cases, share=700, words=words)

    def verdicts(folder: Path) -> Any:
        with VerdictStore(folder / "verdicts.sqlite", suite.digest, create=False) as store:
            return store.verdicts(), store.judgements(), store.conflicts()

    yield Subject("protest.verdicts", (some("verdicts.sqlite"),), verdicts, share=300)
    folder = CONF_DIR / "words" / "protest"
    for name, load in (("en", source_words), ("fr", target_words)):
        content = (folder / f"{name}.yaml").read_bytes()
        yield Subject(
            f"yaml.words_{name}",
            ({"words.yaml": content},),
            lambda folder, load=load: load(str(folder / "words.yaml")),
            share=150,
        )
    heir = {
        "words.yaml": b"inherits: fr\nlanguage: frc\nadd:\n  target:\n    dropped: [icitte]\n"
        b"    pronouns:\n    - {forms: [y\xc3\xa9], person: third, gender: common, number: plural, "
        b"role: any}\n",
    }
    yield Subject(
        "yaml.heirs_of_words",
        (heir,),
        lambda folder: target_words(str(folder / "words.yaml")),
        share=150,
        words=(b"inherits", b"add", b"words.yaml", b"fr", b"en"),
    )
