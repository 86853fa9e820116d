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
from collections.abc import Collection, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from crosspro.data_prep.core.errors import CrossproError, InputError, choices, input_error, quoted
from crosspro.data_prep.sample import LANGUAGES, read_documents, read_tokens
from crosspro.evaluation.report.page import render_page
from crosspro.prediction.pair_prediction import Prediction, Predictor
from crosspro.scripts.servers.guard import HEADERS, Guard, make_server
from crosspro.version import __version__

MOST_CHARACTERS = 2000
MOST_TOKENS = 200
"""A long sentence has many gaps, and some systems fill a sentence in many ways."""
MOST_CONTEXT = 20
MOST_BYTES = 256 * 1024
_EXAMPLE_CONTEXT = 2
_PAGE = Path(__file__).resolve().parent / "page.html"

Sentence = Annotated[str, Field(max_length=MOST_CHARACTERS)]


class PredictionRequest(BaseModel):
    """A sentence pair to predict; `context` has the pairs before it, the oldest first."""

    model_config = ConfigDict(extra="forbid")

    model: Annotated[str, Field(max_length=200)]
    source: Sentence
    target: Sentence
    context: Annotated[list[tuple[Sentence, Sentence]], Field(max_length=MOST_CONTEXT)] = []


def make_app(predictors: Mapping[str, Predictor]) -> FastAPI:
    """The application for some models by their names; the guard decides who may ask."""
    # The scripts of docs_url and redoc_url would come from elsewhere.
    app = FastAPI(title="crosspro serve", version=__version__, docs_url=None, redoc_url=None)
    models = {
        name: {
            "languages": (predictor.task.source_language, predictor.task.target_language),
            "classes": list(predictor.task.classes),
        }
        for name, predictor in predictors.items()
    }
    page = render_page(
        _PAGE,
        title="Which pronoun?",
        subtitle="crosspro predicts the pronouns of a translation",
        warnings=[],
        signatures=[],
        models=models,
    )
    policy = {"content-security-policy": _policy(page)}
    working = Lock()  # models are not made for several threads

    def predictor_of(model: str) -> Predictor:
        if model not in predictors:
            raise input_error("request", "model", choices(predictors), quoted(model))
        return predictors[model]

    @cache
    def example_of(model: str) -> dict[str, Any]:
        return sample_pair(predictor_of(model))

    @app.get("/", include_in_schema=False)
    def index() -> Response:
        return Response(page, headers=policy, media_type="text/html")

    @app.get("/api/example/{model}")
    def example(model: str) -> dict[str, Any]:
        """A sentence pair of the sample text, with its context, that has a gap."""
        with working:
            return example_of(model)

    @app.post("/api/predict")
    def predict(request: PredictionRequest) -> dict[str, Any]:
        """The gaps of the pair with their classes and antecedents."""
        for side, text in (("source", request.source), ("target", request.target)):
            if (size := len(text.split())) > MOST_TOKENS:
                raise input_error("request", side, f"at most {MOST_TOKENS} tokens", str(size))
        with working:
            predictor = predictor_of(request.model)
            return answer(predictor.predict(request.source, request.target, request.context))

    for kind in (CrossproError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _problems)
    return app


def sample_pair(predictor: Predictor) -> dict[str, Any]:
    """The first sentence pair of the sample text whose pronouns the model finds, else any."""
    languages = predictor.task.source_language, predictor.task.target_language
    example: dict[str, Any] = {"source": "", "target": "", "context": []}
    if not {*languages} <= set(LANGUAGES):
        return example
    texts = ([" ".join(words) for words in read_tokens(language)] for language in languages)
    pairs = list(zip(*texts, strict=True))
    for document in read_documents():
        for line in range(document.first_line, document.last_line):
            source, target = pairs[line]
            context = pairs[max(document.first_line - 1, line - _EXAMPLE_CONTEXT) : line]
            try:
                gaps = predictor.predict(source, target, context).gaps
            except InputError:  # the pair has no pronoun
                continue
            hidden = [predictor.task.class_of((gap.hidden or "").lower()) for gap in gaps]
            example = {"source": source, "target": target, "context": context}
            if [gap.label for gap in gaps] == hidden:
                return example
    return example


def answer(prediction: Prediction) -> dict[str, Any]:
    """A prediction as JSON."""
    places = (gap.position for gap in prediction.example.gaps)
    return {
        "text": prediction.text,
        "lines": [
            {"source": line.source, "target": line.target}
            for line in (*prediction.context, prediction.example)
        ],
        "gaps": [
            {**asdict(gap), "position": position}
            for gap, position in zip(prediction.gaps, places, strict=True)
        ],
        "notes": prediction.notes,
    }


def _policy(page: str) -> str:
    """The content security policy that allows the scripts and styles of this page alone."""
    policy = HEADERS["content-security-policy"]
    for kind in ("script", "style"):
        texts = re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts)
        sources = " ".join(f"'sha256-{digest.decode()}'" for digest in digests)
        policy = policy.replace(f"{kind}-src 'self'", f"{kind}-src {sources}")
    return policy


def _problems(_: Request, error: Exception) -> JSONResponse:
    """The answer to a wrong request; the input itself is not repeated."""
    status, messages = 500, ["an error of the server, which its terminal shows"]
    if isinstance(error, CrossproError):
        status, messages = 422, str(error).splitlines()
    elif isinstance(error, RequestValidationError):
        fault = next(iter(error.errors()), {"loc": (), "msg": "another form"})
        field = ".".join(str(part) for part in fault["loc"] if part != "body")[:200]
        status, messages = 422, [ascii(f"request: {field}: {fault['msg']}")[1:-1]]
    elif isinstance(error, HTTPException):
        status, messages = error.status_code, ["expected another address or method"]
    return JSONResponse({"problems": [{"message": message} for message in messages]}, status)


def guarded(app: FastAPI, names: Collection[str] = ()) -> Guard:
    """The application behind its guard; `index` brings its own content security policy."""
    headers = {k: v for k, v in HEADERS.items() if k != "content-security-policy"}
    json_only = "application/json"
    return Guard(app, names, largest_body=MOST_BYTES, content_type=json_only, headers=headers)


def serve(
    predictors: Mapping[str, Predictor], listening: socket.socket, names: Collection[str]
) -> None:
    """Answer until the process is interrupted; prints the address to open in a browser."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - only compared
    print(f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/", flush=True)
    make_server(guarded(make_app(predictors), names)).run(sockets=[listening])
