"""What strangers and annotators may try: nothing of it works, and nothing of it is stored."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.human.items import ReviewCandidate
from crosspro.evaluation.human.verdicts import Item
from tests.evaluation.human.sets import make_set
from tests.scripts.servers.review.conftest import HOST, SETTINGS

EVIL = "\"'></p><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}"


class Scripts(HTMLParser):
    """What in a page could run: scripts that are not ours, handlers, addresses elsewhere."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "script" and given.get("src") != "/static/review.js":
            self.found.append((tag, given))
        if tag in ("img", "iframe", "object", "embed", "style"):
            self.found.append((tag, given))
        for name, value in given.items():
            elsewhere = name in ("src", "action", "formaction") and not value.startswith("/")
            elsewhere = elsewhere or re.match(r"\s*(javascript|data|vbscript):", value or "")
            if name.startswith("on") or name == "style" or elsewhere:
                self.found.append((tag, name, value))


def harmless(page):
    parser = Scripts()
    parser.feed(page)
    assert parser.found == []
    assert "49" not in re.findall(r">\s*(49)\s*<", page)


def evil_set():
    """Items in which every text is an attack."""
    items = make_set(3)
    token = EVIL.replace(" ", "")
    lines, some = [], []
    for line in items.lines:
        candidates = {
            token: ReviewCandidate(tuple(token + word for word in line.candidates["bad"].words))
        }
        words = tuple(token + word for word in line.source)
        document = token + line.document
        lines.append(replace(line, document=document, source=words, candidates=candidates))
    for one in items.items:
        if one.item.system == "bad":
            item = Item(token + one.item.token, token, one.item.digest, token, token, True)
            some.append(replace(one, item=item, group=EVIL, why=EVIL))
    return replace(items, title=EVIL, lines=tuple(lines), items=tuple(some), languages=(EVIL, EVIL))


def test_script_in_every_text(serve):
    settings = replace(
        SETTINGS,
        title=EVIL,
        tags=(EVIL.replace(" ", ""),),
        instructions=f"{EVIL}\n\n[x](javascript:alert(1)) ![y](http://evil.example/y.png) <b>z</b>",
        show_reference=True,
    )
    name = EVIL[:59]
    served = serve(evil_set(), settings, (name, "Ben"), tutorial=False)
    for person in (name, "Ben"):
        served.begin(person)
        for address in ("/", "/work", "/list"):
            harmless(served.get(address, person).text)
        fields = {"remark": EVIL, "alternative": EVIL, "tag": settings.tags[0], "word": "1"}
        value = "right" if person == name else "wrong"
        while 'id="answer"' in served.get("/work", person).text:
            address, hidden = served.next(person)
            served.post(address, person, **hidden, pronoun=value, antecedent="right", **fields)
            harmless(served.get(address, person).text)
            refused = served.post(address, person, **hidden, **fields, pronoun=EVIL)
            assert refused.status_code == 422
            harmless(refused.text)
    for address in ("/", "/conflicts", "/browse", "/corrections", "/data"):
        page = served.get(address, params={"text": EVIL, "system": EVIL, "say": EVIL})
        assert page.status_code == 200
        harmless(page.text)
        harmless(served.get(address).text)
    code = re.search(r'href="/m/[^/]+(/q/\w+)"', served.get("/browse").text)[1]
    served.post(code, pronoun="wrong", antecedent="right", remark=EVIL)
    harmless(served.get(code).text)
    upload = {"file": (f"{EVIL}.tsv", EVIL.encode(), "text/html")}
    fields = {"form": served.site.links.form(served.site.links.management), "annotator": EVIL}
    refused = served.client.post(served.base() + "/import", data=fields, files=upload)
    assert refused.status_code == 422
    harmless(refused.text)


def test_no_text_steers_a_terminal(served):
    remark = "a\x1b[31m\x00b\tc\nd"
    served.begin("Anna")
    address, hidden = served.next("Anna")
    served.post(address, "Anna", **hidden, action="flag", remark=remark)
    served.answer("Anna", remark=remark)
    served.post(address, pronoun="wrong", antecedent="right", remark=remark)
    for page in ("/browse?status=flagged", "/verdicts.tsv", "/verdicts.tsv?annotator=Anna"):
        text = served.get(page).text
        assert "a [31m b c d" in text
        assert "\x1b" not in text
        assert "\0" not in text


def test_headers_of_every_answer(served):
    served.begin("Anna")
    for answer in (
        served.get("/", "Anna"), served.get("/work", "Anna"), served.get("/"),
        served.client.get("/static/review.js"), served.client.get("/nothing"),
        served.client.post(served.base() + "/annotators", headers={"origin": "http://evil.example"}),
    ):  # fmt: skip
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers


def test_links_are_long_and_guesses_are_slowed_down(served, serve):
    links = {served.base(), served.base("Anna"), served.base("Ben")}
    assert len(links) == 3
    assert all(len(link.rpartition("/")[2]) == 22 for link in links)  # of 6 bits each
    real = served.base("Anna").rpartition("/")[2]
    guesses = [
        "",
        "x",
        real[:-1],
        real + "A",
        real.swapcase(),
        "é" * 22,
        "%00",
        "..%2f",
        "a" * 5000,
    ]
    for guess in guesses:
        for kind in ("a", "m"):
            assert served.client.get(f"/{kind}/{guess}/work").status_code in (404, 429), guess
    assert served.client.get(f"/m/{real}/").status_code in (404, 429)  # another kind of link
    statuses = [served.client.get(f"/a/{number:022}/").status_code for number in range(40)]
    assert 429 in statuses
    assert served.get("/", "Anna").status_code == 200  # who has a link is not kept out
    forms = [served.client.post(f"/a/{number}/undo", data={"form": "x"}) for number in range(3)]
    assert {one.status_code for one in forms} == {429}  # guesses are no better as forms
    assert served.post("/begin", "Anna").status_code == 303


def test_one_link_cannot_flood_the_server(served):
    statuses = [served.get("/", "Anna").status_code for _ in range(300)]
    assert 429 in statuses
    assert served.get("/", "Ben").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": f"http://{HOST}:81"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_forms_from_elsewhere_are_refused(served, headers):
    base = served.base()
    fields = {"form": served.site.links.form(base.rpartition("/")[2]), "name": "Eve"}
    answer = served.client.post(f"{base}/annotators", data=fields, headers=headers)
    assert answer.status_code == 403
    assert [one.name for one in served.site.people] == ["Anna", "Ben"]


def test_forms_without_what_the_page_put_in_are_refused(served):
    served.begin("Anna")
    address, hidden = served.next("Anna")
    said = {"pronoun": "right", "antecedent": "right", **hidden}
    others = served.site.links.form(served.base("Ben").rpartition("/")[2])
    for form in ("", "x", others, served.base("Anna").rpartition("/")[2]):
        assert served.post(address, "Anna", form=form, **said).status_code == 403
    form = served.site.links.form(served.base("Anna").rpartition("/")[2])
    plain = served.client.post(served.base("Anna") + address, json={"form": form, **said})
    assert plain.status_code == 415
    query = f"?form={form}&pronoun=right&antecedent=right"
    assert served.client.get(served.base("Anna") + address + query).status_code == 200
    with served.site.campaign.file.reading() as database:
        assert database.execute("SELECT COUNT(*) FROM verdict").fetchone() == (0,)


def test_an_allowed_origin_is_the_server_s_own_and_with_a_url_only_that(serve):
    served = serve(url=f"https://{HOST}")
    base = served.base()
    fields = {"form": served.site.links.form(base.rpartition("/")[2]), "name": "Eve"}
    for origin, status in ((f"http://{HOST}", 403), (f"https://{HOST}", 303)):
        answer = served.client.post(
            f"{base}/annotators", data=fields, headers={"origin": origin}, follow_redirects=False
        )
        assert answer.status_code == status


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1]evil"])
def test_other_names_of_the_server_are_refused(served, host):
    answer = served.client.get(served.base() + "/", headers={"host": host})
    assert answer.status_code == 421
    assert "Anna" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(served, method):
    answer = served.client.request(method, served.base() + "/annotators")
    assert answer.status_code == 405
    assert "access-control-allow-origin" not in answer.headers


def test_asking_for_headers_alone_writes_nothing(served):
    def everything():
        with served.site.campaign.file.reading() as database:
            return list(database.iterdump())

    before = everything()
    own = ("/", "/work", "/list", "/begin", "/undo", "/q/x")
    for address in (*(served.base("Anna") + one for one in own), served.base() + "/annotators"):
        status = served.client.head(address, follow_redirects=False).status_code
        assert status in (200, 303, 404, 405)
    assert served.client.head("/a/wrong/").status_code == 404
    assert everything() == before


@pytest.mark.parametrize(
    "address",
    [
        "/static/../site.py",
        "/static/..%2fsite.py",
        "/static/%2e%2e/links.py",
        "/static/....//review.css",
        "/static/%00",
        "/static//etc/passwd",
        "/v.sqlite",
        "/v.sqlite.key",
        "/docs",
        "/openapi.json",
    ],
)
def test_no_way_leads_to_other_files(served, address):
    answer = served.client.get(address)
    assert answer.status_code == 404
    assert "import" not in answer.text
    assert served.client.get(f"{served.base()}/q/..%2f..%2fbackup.sqlite").status_code == 404


def test_bodies_that_are_too_large_are_refused_whatever_they_say(served):
    base = served.base("Anna")
    form = served.site.links.form(base.rpartition("/")[2])
    kind = {"content-type": "application/x-www-form-urlencoded"}
    large = f"form={form}&remark=".encode() + b"x" * 70_000
    assert served.client.post(f"{base}/begin", content=large, headers=kind).status_code == 413

    def pieces():
        yield f"form={form}&remark=".encode()
        for _ in range(100):
            yield b"x" * 1000

    streamed = served.client.post(f"{base}/begin", content=pieces(), headers=kind)
    assert streamed.status_code == 413
    lies = served.client.post(
        f"{base}/begin", content=b"form=x", headers={**kind, "content-length": "99999999999"}
    )
    assert lies.status_code == 413
    endless = served.client.post(
        f"{base}/begin", content=b"form=x", headers={**kind, "content-length": "9" * 5000}
    )
    assert endless.status_code == 413  # more digits than Python makes a number of
    many = "&".join([f"form={form}", *(f"a{n}=1" for n in range(600))])
    assert served.client.post(f"{base}/begin", content=many, headers=kind).status_code == 400
    broken = served.client.post(f"{base}/begin", content=b"form=\xff\xfe", headers=kind)
    assert broken.status_code == 400


def asked(served, address, parts, method="POST"):
    """The answers to a request whose body comes in such parts, and what it was before it came."""
    given, sent = list(parts), []
    names = {"host": HOST, "content-type": "application/x-www-form-urlencoded"}
    scope = {
        **{"type": "http", "method": method, "path": address, "raw_path": address.encode()},
        **{"query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1"},
        **{"client": ("127.0.0.1", 1), "server": (HOST, 80)},
        "headers": [(name.encode(), value.encode()) for name, value in names.items()],
    }

    async def receive():
        return given.pop(0) if given else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    asyncio.run(served.client.app(scope, receive, send))
    return [one for one in sent if one["type"] == "http.response.start"]


def part(body, more=True):
    return {"type": "http.request", "body": body, "more_body": more}


def test_bodies_that_do_not_come_are_not_waited_for(served, monkeypatch):
    from crosspro.scripts.servers.review import server

    monkeypatch.setattr(server, "FORM_SECONDS", 0.05)
    monkeypatch.setattr(server, "UPLOAD_SECONDS", 0.05)
    for address in (served.base("Anna") + "/begin", served.base() + "/annotators"):
        (answer,) = asked(served, address, [part(b"form=")])
        assert answer["status"] == 408
        assert (b"connection", b"close") in answer["headers"]
    (answer,) = asked(served, served.base("Anna") + "/", [], "GET")  # which has none
    assert answer["status"] == 200
    (answer,) = asked(served, "/a/wrong/begin", [part(b"form=")])
    assert answer["status"] == 404  # the body of a stranger is not read at all
    assert (b"connection", b"close") in answer["headers"]


def test_who_leaves_in_the_middle_of_a_form_is_no_fault(served):
    address = served.base("Anna") + "/begin"
    gone = {"type": "http.disconnect"}
    asked(served, address, [part(b"form="), gone])  # raises nothing, so that nothing is logged
    form = served.site.links.form(address.split("/")[2])
    (answer,) = asked(served, address, [part(b"form="), part(form.encode(), more=False)])
    assert answer["status"] == 303
    assert (b"connection", b"close") not in answer["headers"]


def test_annotators_reach_only_their_own_questions(serve):
    from crosspro.evaluation.human.campaign import PlanSettings
    from crosspro.evaluation.human.work import code_of
    from tests.scripts.servers.review.test_pages import places

    served = serve(settings=replace(SETTINGS, plan=PlanSettings(matches=1, overlap=0)))
    served.begin("Anna")
    theirs = places(served, "Ben")[0]
    address = f"/q/{code_of(theirs.key)}"
    assert served.get(address, "Anna").status_code == 404
    answer = served.post(address, "Anna", pronoun="right", antecedent="right")
    assert answer.headers["location"].endswith("say=moved")
    nothing = served.post(address, "Anna")  # nor is it shown again because something is missing
    assert nothing.headers["location"].endswith("say=moved")
    with served.site.campaign.file.reading() as database:
        assert database.execute("SELECT COUNT(*) FROM verdict").fetchone() == (0,)


def test_numbers_of_words_that_are_none_are_told_and_not_shown_again(served):
    served.begin("Anna")
    address, hidden = served.next("Anna")
    for word in ("1" * 5000, "99999", "-1", "x"):  # Python makes no number of so many digits
        refused = served.post(address, "Anna", **hidden, pronoun="right", word=word)
        assert refused.status_code == 422
        assert "word: expected positions below" in refused.text


def test_no_secret_reaches_a_log_or_the_store(served, caplog, capfd, monkeypatch):
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore"):  # the client's, which no handler of other tests is to print
        monkeypatch.setattr(logging.getLogger(name), "propagate", False)
    served.begin("Anna")
    served.answer("Anna")
    served.get("/")
    served.client.get("/a/wrong/")
    base = served.base("Anna")
    served.post("/q/nothing", "Anna")
    secrets = [base.rpartition("/")[2], served.site.links.management]
    printed = "".join(capfd.readouterr())
    logged = " ".join(one.getMessage() for one in caplog.records)
    files = b"".join(path.read_bytes() for path in served.store.parent.glob("v.sqlite*")
                     if not path.name.endswith(".key"))  # fmt: skip
    for secret in secrets:
        assert secret not in printed
        assert secret not in logged
        assert secret.encode() not in files


def test_a_damaged_key_is_not_taken_for_one(tmp_path):
    from crosspro.scripts.servers.review.links import open_key

    open_key(tmp_path / "v.sqlite")
    (tmp_path / "v.sqlite.key").write_text("00\n")
    with pytest.raises(InputError, match="expected a key"):
        open_key(tmp_path / "v.sqlite")


def test_names_that_cannot_be_are_refused(serve):
    for name in ("", " ", "x" * 61, "a\nb", "researcher"):
        with pytest.raises(CrossproError):
            serve(names=(name,))


def test_the_clock_may_go_back(served, monkeypatch):
    times = iter(f"20{50 - number}-01-01T00:00:00.000+00:00" for number in range(50))
    for module in ("human.verdicts", "human.work"):
        monkeypatch.setattr(f"crosspro.evaluation.{module}.now", lambda: next(times))
    served.begin("Anna")
    address, hidden = served.next("Anna")
    served.answer("Anna", pronoun="right")
    page = served.get(address, "Anna").text
    seen = re.search(r'name="seen" value="(\d+)"', page)[1]
    fields = {"pronoun": "wrong", "antecedent": "right", "word": "0"}
    served.post(address, "Anna", **(hidden | {"seen": seen}), **fields)
    assert 'value="wrong" data-key="2" checked' in served.get(address, "Anna").text
    served.undo("Anna")
    with served.site.campaign.file.reading() as database:
        assert database.execute("SELECT COUNT(*) FROM last_verdict").fetchone() == (0,)
