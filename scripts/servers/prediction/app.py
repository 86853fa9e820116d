"""The page of `crosspro serve`, its JSON interface, and its guard.

    GET  /                     the page
    GET  /api/example/MODEL    a sentence pair that the model can predict
    POST /api/predict          {"model": …, "source": …, "target": …, "context": [[…, …], …]}

Wrong requests are answered with `{"problems": [{"message": …}]}`.
"""

from __future__ import annotations

import base64
import hashlib
import re
import socket
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from crosspro.data_prep.core.errors import CrossproError, InputError, choices, input_error, quoted
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.sample import LANGUAGES, read_documents, read_tokens
from crosspro.evaluation.report.page import render_page
from crosspro.prediction.evidence import Evidence, EvidenceTable
from crosspro.prediction.explanation import ROWS, explanation_of
from crosspro.prediction.pair_prediction import Prediction, Predictor
from crosspro.prediction.system import System
from crosspro.scripts.servers.guard import HEADERS, Guard, run_server
from crosspro.version import __version__

MOST_CHARACTERS = 2000
MOST_TOKENS = 200
"""A long sentence has many gaps, and each is explained by filling the whole sentence again."""
MOST_CONTEXT = 20
MOST_BYTES = 256 * 1024
WAITING_SECONDS = 60.0
_EXAMPLE_CONTEXT = 2
_PAGE = Path(__file__).resolve().parent / "page.html"
_INLINE = {"script": re.compile(r"<script>(.*?)</script>", re.DOTALL),
           "style": re.compile(r"<style>(.*?)</style>", re.DOTALL)}  # fmt: skip

Sentence = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class PredictionRequest(BaseModel):
    """A sentence pair to predict; `context` has the pairs before it, the oldest first."""

    model_config = ConfigDict(extra="forbid")

    model: Annotated[str, Field(max_length=200)]
    source: Sentence
    target: Sentence
    context: Annotated[list[tuple[Sentence, Sentence]], Field(max_length=MOST_CONTEXT)] = []


class BusyError(Exception):
    """Other requests are being answered."""


def make_app(predictors: Mapping[str, Predictor]) -> FastAPI:
    """The application for some models by their names; the guard decides who may ask."""
    app = FastAPI(
        title="crosspro serve",
        version=__version__,
        docs_url=None,  # its scripts would come from elsewhere
        redoc_url=None,
    )
    page = render_page(
        _PAGE,
        title="Which pronoun?",
        subtitle="crosspro predicts the pronouns of a translation",
        warnings=[],
        signatures=[],
        models={name: _about(predictor.task) for name, predictor in predictors.items()},
    )
    working = Lock()

    @contextmanager
    def turn(model: str) -> Iterator[Predictor]:
        """A predictor, for one request at a time: models are not made for several threads."""
        if model not in predictors:
            raise input_error("request", "model", choices(predictors), quoted(model))
        if not working.acquire(timeout=WAITING_SECONDS):
            raise BusyError
        try:
            yield predictors[model]
        finally:
            working.release()

    @app.get("/", include_in_schema=False)
    def index() -> Response:
        return Response(
            page, headers={"content-security-policy": _policy(page)}, media_type="text/html"
        )

    @app.get("/api/example/{model}")
    def example(model: str) -> dict[str, Any]:
        """A sentence pair of the sample text, with its context, in which a gap is found."""
        with turn(model) as predictor:
            return sample_pair(predictor)

    @app.post("/api/predict")
    def predict(request: PredictionRequest) -> dict[str, Any]:
        """The gaps of the pair with their classes, antecedents and explanations."""
        for side, text in (("source", request.source), ("target", request.target)):
            if (size := len(text.split())) > MOST_TOKENS:
                raise input_error("request", side, f"at most {MOST_TOKENS} tokens", str(size))
        with turn(request.model) as predictor:
            prediction = predictor.predict(request.source, request.target, request.context)
            return answer(predictor.system, prediction)

    app.add_exception_handler(CrossproError, _wrong)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(Exception, _broken)
    return app


def _about(task: Task) -> dict[str, Any]:
    languages = task.source_language, task.target_language
    return {"languages": languages, "classes": list(task.classes)}


def sample_pair(predictor: Predictor) -> dict[str, Any]:
    """The first sentence pair of the sample text in which the model finds a gap."""
    task = predictor.task
    empty: dict[str, Any] = {"source": "", "target": "", "context": []}
    if not {task.source_language, task.target_language} <= set(LANGUAGES):
        return empty
    source, target = (
        [" ".join(words) for words in read_tokens(language)]
        for language in (task.source_language, task.target_language)
    )
    for document in read_documents():
        first = document.first_line - 1
        for line in range(first + 1, document.last_line):
            before = range(max(first, line - _EXAMPLE_CONTEXT), line)
            context = [(source[number], target[number]) for number in before]
            try:
                predictor.predict(source[line], target[line], context)
            except InputError:
                continue
            return {"source": source[line], "target": target[line], "context": context}
    return empty


def answer(system: System, prediction: Prediction) -> dict[str, Any]:
    """A prediction as JSON, with an explanation for each gap where the system has one."""
    lines = [*prediction.context, prediction.example]
    gaps = []
    for number, (gap, place) in enumerate(
        zip(prediction.gaps, prediction.example.gaps, strict=True)
    ):
        evidence = None
        if type(system).evidence is not System.evidence:  # without it the model would read in vain
            evidence = explanation_of(system, lines, len(lines) - 1, number).evidence
        gaps.append(
            {
                **asdict(gap),
                "position": place.position,
                "evidence": None if evidence is None else asdict(_shown(evidence)),
            }
        )
    return {
        "text": prediction.text,
        "lines": [{"source": line.source, "target": line.target} for line in lines],
        "gaps": gaps,
        "notes": prediction.notes,
    }


def _shown(evidence: Evidence) -> Evidence:
    """Evidence with the first rows of each table, without that of members."""
    return replace(evidence, tables=tuple(map(_finite_rows, evidence.tables)), members=())


def _finite_rows(table: EvidenceTable) -> EvidenceTable:
    """The first rows; JSON has no infinite numbers, which logarithms of 0 are."""
    cut = table.cut(ROWS)
    rows = (
        tuple(cell if isinstance(cell, str) or isfinite(cell) else str(cell) for cell in row)
        for row in cut.rows
    )
    return replace(cut, rows=tuple(rows))


def _policy(page: str) -> str:
    """The content security policy that allows the scripts and styles of this page alone."""
    parts = [HEADERS["content-security-policy"]]
    policy = parts[0]
    for kind, pattern in _INLINE.items():
        digests = (hashlib.sha256(text.encode()).digest() for text in pattern.findall(page))
        sources = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
        policy = policy.replace(f"{kind}-src 'self'", f"{kind}-src {sources}")
    return policy


def _problem(status: int, message: str) -> JSONResponse:
    return JSONResponse({"problems": [{"message": message}]}, status)


def _wrong(_: Request, error: Exception) -> JSONResponse:
    messages = str(error).splitlines()
    return JSONResponse({"problems": [{"message": message} for message in messages]}, 422)


def _invalid(_: Request, error: Exception) -> JSONResponse:
    """The first fault in the form of a request; the input itself is not repeated."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    fault = next(iter(faults), {"loc": (), "msg": "another form"})
    field = ".".join(str(part) for part in fault["loc"] if part != "body")[:200]
    return _problem(422, ascii(f"request: {field}: {fault['msg']}")[1:-1])


def _not_found(_: Request, error: Exception) -> JSONResponse:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return _problem(status, "expected another address or method")


def _busy(_: Request, error: Exception) -> JSONResponse:
    return _problem(503, "others are being answered; ask again in a moment")


def _broken(_: Request, error: Exception) -> JSONResponse:
    return _problem(500, "an error of the server, which its terminal shows")


def guarded(app: FastAPI, names: Collection[str] = ()) -> Guard:
    """The application behind its guard; `index` brings its own content security policy."""
    headers = {k: v for k, v in HEADERS.items() if k != "content-security-policy"}
    return Guard(
        app,
        names,
        largest_body=MOST_BYTES,
        content_type="application/json",
        headers=headers,
    )


def address(listening: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only compared
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def serve(
    predictors: Mapping[str, Predictor], listening: socket.socket, names: Collection[str]
) -> None:
    """Answer until the process is interrupted."""
    run_server(guarded(make_app(predictors), names), listening)
