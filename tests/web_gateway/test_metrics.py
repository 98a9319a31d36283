"""What web-gateway counts, where it happens: by its parts, and as a process asked from outside."""

import pytest
from tests.counted import counted, value
from tests.web_gateway.desk import Desk, news
from tests.web_gateway.replica import Racer, gate, until
from tests.web_gateway.test_attachment import Told, answer, attach, snapshot
from tests.web_gateway.test_folding import RacingDesk

from tilerace.game.v1 import game_pb2
from web_gateway import metrics
from web_gateway.attachment import Attachment
from web_gateway.frames import client
from wire.ids import BrowserHash
from wire.refusal import Refusal
from wire.slides import REPEATED

LEFT = 2
CONFLICT = Refusal.SLIDE_CONFLICT.number
USELESS = Refusal.SLIDE_CHANGES_NOTHING.number


@pytest.fixture
async def attachment() -> Attachment:
    return Attachment(1, BrowserHash(bytes(32)), connection=7, owner=Told())


async def test_a_slide_is_counted_by_what_came_of_it(attachment: Attachment) -> None:
    attach(attachment)
    for n in (1, 2, 3):
        attachment.slide(n, LEFT, n)
    with (
        counted("tilerace_slides_total", outcome="applied"),
        counted("tilerace_slides_total", outcome="repeated"),
        counted("tilerace_slides_total", outcome="refused"),
        counted("tilerace_refusals_total", of="slide", code="SLIDE_CHANGES_NOTHING"),
        counted("tilerace_resyncs_total", 0, why="overtaken"),
    ):
        attachment.answered(*answer(1))
        attachment.answered(*answer(2, REPEATED))
        attachment.answered(*answer(3, USELESS, slides=2))


async def test_a_slide_that_was_not_the_boards_next_is_a_resync(attachment: Attachment) -> None:
    attach(attachment)
    attachment.slide(1, LEFT, 1)
    with counted("tilerace_resyncs_total", why="overtaken"):
        attachment.answered(*answer(1, CONFLICT, slides=1))


async def test_another_board_after_another_attach_is_a_resync_and_the_same_is_none(
    attachment: Attachment,
) -> None:
    with counted("tilerace_resyncs_total", 0, why="attached_again"):
        attach(attachment)
        attach(attachment, handle=2)
    with counted("tilerace_resyncs_total", why="attached_again"):
        attachment.attached(snapshot(2, slides=3))


async def test_of_slides_whose_socket_has_closed_nothing_is_counted() -> None:
    desk = RacingDesk()
    socket, wire = desk.races_with_bo()
    socket.text('{"type":"slide","id":1,"race":1,"n":1,"direction":"left"}')
    wire.code = 1001
    with counted("tilerace_slides_total", 0, outcome="refused"):
        socket.closed(1001)


async def test_a_store_that_fell_back_is_a_resync_of_each_socket() -> None:
    desk = Desk()
    socket, _ = desk.opens()
    desk.tables.heard(news(5), pushed=True)
    with counted("tilerace_resyncs_total", why="rewound"):
        desk.tables.rewound(socket.table)
        desk.tables.rewound(socket.table)


@pytest.mark.parametrize(
    ("frame", "of"),
    [
        ('{"type":"sit","seat":1}', "sit"),
        ('{"type":"slide","n":1}', "slide"),
        ('{"type":"K7QM2XWP"}', "other"),
        ('{"type":"http"}', "other"),
        ("no JSON", "other"),
    ],
)
async def test_a_frame_is_counted_by_its_type_and_never_by_what_it_calls_itself(frame: str, of: str) -> None:
    socket, _ = Desk().opens()
    with counted("tilerace_refusals_total", of=of, code="BAD_FRAME"):
        socket.text(frame)


def test_what_a_frame_is_called_has_a_count_of_what_is_refused_for_now() -> None:
    for of in (*metrics.FRAMES, "http", "other"):
        assert value("tilerace_refusals_total", of=of, code="UNAVAILABLE") >= 0
    assert client.kind_of(client.Leave()) in metrics.FRAMES


@pytest.mark.parametrize(
    ("code", "shown"), [(1001, "1001"), (4408, "4408"), (4999, "other"), (1010, "other")]
)
def test_a_socket_that_closed_is_counted_by_a_code_that_is_known(code: int, shown: str) -> None:
    with counted("tilerace_sockets_closed_total", code=shown):
        metrics.closed(code)


async def test_slides_are_timed_on_the_link_and_until_their_socket_has_the_answer() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        handle = await gateway.first.attaches()
        await until(lambda: attachment.live)
        attachment.slide(1, LEFT, "s1")
        attachment.slide(2, LEFT, "s2")
        with (
            counted("tilerace_slide_seconds_count", 2),
            counted("tilerace_link_seconds_count", 2),
            counted("tilerace_slide_seconds_bucket", 2, le="10.0"),
        ):
            await gateway.first.answers(handle, 1)
            await gateway.first.answers(handle, 2)
            await until(lambda: len(racer.answered()) == 2)
            await until(lambda: not attachment.queue.asked)


async def test_a_slide_that_was_sent_again_is_timed_as_a_whole_only() -> None:
    async with gate() as gateway:
        racer = Racer()
        attachment = gateway.attach(racer)
        attachment.slide(1, LEFT, "s1")
        handle = await gateway.first.attaches()
        with counted("tilerace_slide_seconds_count"), counted("tilerace_link_seconds_count", 0):
            await gateway.first.answers(handle, 1)
            await until(racer.answered)


async def test_links_that_stand_and_the_most_that_waits_for_one_are_shown() -> None:
    async with gate() as gateway:
        gateway.links.look()
        assert value("tilerace_streams", to="game") == 2
        assert value("tilerace_queue_depth", queue="link") == 0
        link = next(iter(gateway.links._links.values()))
        for _ in range(3):
            link.act(1, 1, game_pb2.ACTION_RESIGN)
        gateway.links.look()
        assert value("tilerace_queue_depth", queue="link") == 3


async def test_a_link_that_overflows_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async with gate() as gateway:
        link = next(iter(gateway.links._links.values()))
        monkeypatch.setattr(link._outbox, "_bound", 0)
        with counted("tilerace_dropped_total", what="link"):
            link.act(1, 1, game_pb2.ACTION_RESIGN)
            link.slide(1, 1, 1)
