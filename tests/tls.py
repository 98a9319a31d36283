"""TLS in front of a real store, as a tunnel such as stunnel puts it there: the embedded store speaks none itself."""

import asyncio
import contextlib
import datetime as dt
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import trustme
from tests.stack import free_port

HERE = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Papers:
    """An authority's certificates as files, for the URL of a store and for the tunnel."""

    authority: trustme.CA
    folder: Path

    @classmethod
    def made(cls, folder: Path) -> "Papers":
        """Make an authority, and a certificate of a client."""
        folder.mkdir(parents=True, exist_ok=True)
        papers = cls(trustme.CA(), folder)
        papers.authority.cert_pem.write_to_path(str(papers.ca))
        client = papers.authority.issue_cert("client.test")
        client.private_key_and_cert_chain_pem.write_to_path(str(papers.client))
        return papers

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def client(self) -> Path:
        """A certificate together with its key."""
        return self.folder / "client.pem"

    def server(
        self, *, name: str = HERE, expired: bool = False, asks_for_client: bool = False
    ) -> ssl.SSLContext:
        """Make a server's side, with a certificate for this name."""
        now = dt.datetime.now(tz=dt.UTC)
        until = now - dt.timedelta(days=1) if expired else now + dt.timedelta(days=1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(
            name, not_before=now - dt.timedelta(days=2), not_after=until
        ).configure_cert(context)
        if asks_for_client:
            context.verify_mode = ssl.CERT_REQUIRED
            self.authority.configure_trust(context)
        return context


@contextlib.contextmanager
def tunnel(context: ssl.SSLContext, target: int, *, port: int | None = None) -> Iterator[int]:
    """Take TLS at a port of 127.0.0.1, which the block gets, and carry what is in it to `target`; in its own thread."""
    at = free_port() if port is None else port
    loop, stop, stands = asyncio.new_event_loop(), asyncio.Event(), threading.Event()

    async def run() -> None:
        lines: set[asyncio.StreamWriter] = set()

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            far_reader, far_writer = await asyncio.open_connection(HERE, target)
            lines.update((writer, far_writer))
            await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
            lines.difference_update((writer, far_writer))

        loop.set_exception_handler(lambda *_: None)  # handshakes that fail are what tests want
        server = await asyncio.start_server(carry, HERE, at, ssl=context)
        stands.set()
        await stop.wait()
        server.close()
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        for writer in lines:
            writer.transport.abort()
        await asyncio.gather(*(writer.wait_closed() for writer in lines), return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), name="tunnel")
    thread.start()
    try:
        assert stands.wait(10)
        yield at
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort() if reader.at_eof() and reader.exception() else writer.close()
