"""What stands before our servers: allowances, limits, headers, an address to listen on."""

from __future__ import annotations

import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.scripts.servers.gate import Buckets, is_short, listen


def test_allowances_fill_up_with_time_and_are_forgotten():
    now = [0.0]
    buckets = Buckets(rate=2, burst=3, most=2, clock=lambda: now[0])
    assert [buckets.allow("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.wait("a") == pytest.approx(0.5)
    now[0] = 0.5
    assert [buckets.allow("a") for _ in range(2)] == [True, False]
    now[0] = 0.25  # a clock that goes back
    assert not buckets.allow("a")
    assert buckets.allow("b")
    assert buckets.allow("c")
    assert buckets.allow("a")  # forgotten for b and c


def test_an_allowance_is_not_larger_for_many_who_come_at_once():
    buckets = Buckets(rate=1e-9, burst=50)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns in the middle of everything
    try:
        with ThreadPoolExecutor(16) as pool:
            assert sum(pool.map(lambda _: buckets.allow("a"), range(2000))) == 50
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("length", [b"0", b"007", b"100"])
def test_short_contents_pass(length):
    assert is_short(length, 100)


@pytest.mark.parametrize("length", [b"101", b"-1", b"", b"1.0", b"\xb2", b" 1", b"9" * 5000])
def test_long_contents_and_what_is_no_length_do_not(length):
    assert not is_short(length, 100)


def test_an_address_that_is_taken_is_said():
    with listen("127.0.0.1", 0) as listening:
        assert isinstance(listening, socket.socket)
        with pytest.raises(InputError, match="--host, --port"):
            listen("127.0.0.1", listening.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_connections_send_at_once(host):
    """Else each answer but the first waits 40 ms for the client's acknowledgement."""
    try:
        listening = listen(host, 0)
    except InputError:
        pytest.skip("no such address on this machine")
    with listening, socket.create_connection(listening.getsockname()[:2]):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
