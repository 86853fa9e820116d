"""Many people who save at the same moment: each hears what became of their own answer."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from crosspro.evaluation.human.verdicts import VerdictStore
from crosspro.evaluation.human.work import code_of, read_work
from tests.evaluation.human.sets import make_set
from tests.scripts.servers.review.conftest import HOST

NAMES = tuple(f"annotator {number}" for number in range(20))
SAID = {"antecedent": "right", "pronoun": "right", "seen": "0"}


@pytest.fixture
def crowd(serve):
    return serve(make_set(30), names=NAMES)


def together(served, act):
    """Run something with a client for requests that are under way at the same time."""
    import httpx

    async def run():
        transport = httpx.ASGITransport(served.client.app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return await act(client)

    return asyncio.run(run())


def first_question(served, name):
    with served.site.campaign.file.reading() as database:
        work = read_work(database, served.site.campaign, name)
    return code_of(work.places[0].key)


async def save(served, client, name, **changes):
    base = served.base(name)
    form = served.site.links.form(base.rpartition("/")[2])
    fields = {**SAID, "form": form, **changes}
    return await client.post(f"{base}/q/{first_question(served, name)}", data=fields)


def stored(served):
    with VerdictStore(served.store, served.site.campaign.items.digest) as store:
        return store.verdicts()


def test_one_that_cannot_be_stored_leaves_the_others_alone(crowd):
    async def act(client):
        changes = [{"pronoun": "nonsense"}, {"seen": "7"}, *[{}] * (len(NAMES) - 2)]
        saves = [
            save(crowd, client, name, **change) for name, change in zip(NAMES, changes, strict=True)
        ]
        return [answer.status_code for answer in await asyncio.gather(*saves)]

    assert together(crowd, act) == [422, 409, *[303] * (len(NAMES) - 2)]
    assert {one.annotator for one in stored(crowd)} == set(NAMES[2:])


def test_two_tabs_of_one_annotator_in_the_same_moment(crowd):
    async def act(client):
        values = ("right", "right", "wrong", "unclear")
        return await asyncio.gather(
            *(save(crowd, client, NAMES[0], pronoun=value) for value in values)
        )

    statuses = [answer.status_code for answer in together(crowd, act)]
    (value,) = {one.pronoun for one in stored(crowd)}
    assert sorted(statuses) == ([303, 303, 409, 409] if value == "right" else [303, 409, 409, 409])


def test_no_answer_before_it_is_stored(crowd):
    async def act(client):
        with crowd.site.campaign.file.writing():  # a researcher imports something
            saves = [asyncio.create_task(save(crowd, client, name)) for name in NAMES]
            for _ in range(100):
                await asyncio.sleep(0)
            assert not any(one.done() for one in saves)
            assert stored(crowd) == []
        answers = await asyncio.gather(*saves)
        return [answer.status_code for answer in answers]

    assert together(crowd, act) == [303] * len(NAMES)
    assert {one.annotator for one in stored(crowd)} == set(NAMES)


def test_a_save_does_not_wait_for_pages(crowd):
    gate = Event()

    async def act(client):
        slow = [asyncio.create_task(crowd.site.made(gate.wait)) for _ in range(100)]
        pages = [asyncio.create_task(client.get(crowd.base(name) + "/")) for name in NAMES]
        answers = [await save(crowd, client, name) for name in NAMES]
        assert not any(one.done() for one in (*slow, *pages))
        gate.set()
        await asyncio.gather(*slow)
        return [one.status_code for one in (*answers, *await asyncio.gather(*pages))]

    assert together(crowd, act) == [303] * len(NAMES) + [200] * len(NAMES)
