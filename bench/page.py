# ruff: noqa: INP001 - run by its path
"""A first visit to the page from a phone: bytes over the wire, and the time until the first slide can be made.

    .venv/bin/python bench/page.py [RUNS]

Chromium has nothing kept and its processor throttled four times. Networks are slow in two ways: as Chromium makes them
slow, where every request waits, and by a line of our own, where every connection costs a round trip before its first
request, too, and whatever comes shares the rate. Each byte is counted as it goes through the line.
"""

import asyncio
import os
import shutil
import socket
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 3,
}
SLOWER = 4
CHUNK = 1460
TRY_SLIDES = """(() => {
    const keys = ["ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"];
    const attempt = () => {
        if (document.querySelector("td")) for (const code of keys) document.body?.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true }));
        const moves = document.querySelector("[data-testid=moves]")?.textContent ?? "0";
        if (moves === "0") setTimeout(attempt, 20);
        else window.firstSlide = performance.now();
    };
    attempt();
})()"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
KEPT = "() => navigator.serviceWorker.ready.then(() => new Promise(done => setTimeout(done, 500)))"


@dataclass(frozen=True, slots=True)
class Network:
    """What a line is like."""

    name: str
    round_trip_s: float
    bytes_s: float
    by_chromium: bool


@dataclass(frozen=True, slots=True)
class Visit:
    """What one first visit took: milliseconds, and bytes that came down until then and until all was kept."""

    painted_ms: float
    slide_ms: float
    loaded_bytes: int
    requests: int
    kept_bytes: int


NETWORKS = [
    Network(
        f"{name}, {'by Chromium' if by_chromium else 'by our line'}", round_trip_s, bits_s / 8, by_chromium
    )
    for name, round_trip_s, bits_s in (("slow 4G", 0.150, 1_600_000), ("fast 4G", 0.060, 9_000_000))
    for by_chromium in (True, False)
]
CLEAR = Network("clear", 0.0, 1e12, by_chromium=False)


class Line:
    """A slow line to a port of this machine."""

    def __init__(self, network: Network, port: int) -> None:
        """Lead to a port; `came` counts the bytes that came down."""
        self._network, self._port = network, port
        self._free_at = 0.0
        self.came = 0

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        there = await asyncio.open_connection("127.0.0.1", self._port)
        handshake = asyncio.get_running_loop().time() + self._network.round_trip_s
        async with asyncio.TaskGroup() as ways:
            ways.create_task(self._carry(reader, there[1], earliest=handshake, down=False))
            ways.create_task(self._carry(there[0], writer, earliest=handshake, down=True))

    async def _carry(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, *, earliest: float, down: bool
    ) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.create_task(_deliver(waiting, target))
        now = asyncio.get_running_loop().time
        with suppress(ConnectionError):
            while data := await source.read(CHUNK):
                sent = max(now(), earliest)
                if down:
                    self.came += len(data)
                    sent = self._free_at = max(sent, self._free_at) + len(data) / self._network.bytes_s
                waiting.put_nowait((sent + self._network.round_trip_s / 2, data))
        waiting.put_nowait((0.0, b""))
        await delivering


async def _deliver(waiting: asyncio.Queue[tuple[float, bytes]], target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while True:
            at, data = await waiting.get()
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            if not data:
                break
            target.write(data)
            await target.drain()
        target.close()


@asynccontextmanager
async def _line(network: Network, port: int) -> AsyncIterator[tuple[Line, str]]:
    line = Line(network, port)
    server = await asyncio.start_server(line.connect, "127.0.0.1", 0)
    yield line, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


@asynccontextmanager
async def _gateway() -> AsyncIterator[int]:
    """Run web-gateway alone: a game on one's own needs nothing else."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = {
        "PATH": os.environ["PATH"],
        "TILERACE_LISTEN": f"127.0.0.1:{port}",
        "TILERACE_GAME_TARGET": "127.0.0.1:9",
        "TILERACE_TABLE_TARGET": "127.0.0.1:9",
    }
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "web_gateway", env=environment, stdout=log, stderr=log
        )
        try:
            await _until_open(port)
            yield port
        finally:
            process.terminate()
            await process.wait()


async def _until_open(port: int) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return


async def _visit(browser: Browser, network: Network, port: int) -> Visit:
    async with _line(CLEAR if network.by_chromium else network, port) as (line, base):
        context = await browser.new_context(**PHONE)  # type: ignore[arg-type]
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        if network.by_chromium:
            await session.send("Network.emulateNetworkConditions", _conditions(network))
        await page.add_init_script(TRY_SLIDES)
        try:
            return await _measured(page, line, base)
        finally:
            await context.close()


def _conditions(network: Network) -> dict[str, Any]:
    return {
        "offline": False,
        "latency": network.round_trip_s * 1000,
        "downloadThroughput": network.bytes_s,
        "uploadThroughput": network.bytes_s,
    }


async def _measured(page: Page, line: Line, base: str) -> Visit:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    await page.goto(base, wait_until="load")
    slide = await (await page.wait_for_function("() => window.firstSlide")).json_value()
    loaded, asked = line.came, len(requests)
    painted = await (await page.wait_for_function(PAINTED)).json_value()
    await page.evaluate(KEPT)
    return Visit(painted, slide, loaded, asked, line.came)


async def main(runs: int) -> None:
    """Visit over each network, and print what it took."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    print(f"{'network':<22} {'what':<28} min     median  max")  # noqa: T201
    async with _gateway() as port, async_playwright() as playwright:
        for network in NETWORKS:
            browser = await playwright.chromium.launch(
                executable_path=Path(chromium or "chromium"), args=FLAGS
            )
            # The first is not counted: it waits for the browser's own start.
            visits = [await _visit(browser, network, port) for _ in range(runs + 1)][1:]
            await browser.close()
            _tell(network, visits)


def _tell(network: Network, visits: list[Visit]) -> None:
    rows = {
        "first paint, ms": [visit.painted_ms for visit in visits],
        "first slide, ms": [visit.slide_ms for visit in visits],
    }
    if not network.by_chromium:
        # Chromium does not slow its workers, so that what they keep comes in between.
        rows |= {
            "requests until loaded": [float(visit.requests) for visit in visits],
            "down until loaded, KiB": [visit.loaded_bytes / 1024 for visit in visits],
            "down until all is kept, KiB": [visit.kept_bytes / 1024 for visit in visits],
        }
    for what, found in rows.items():
        figures = "".join(f"{figure:<8.0f}" for figure in (min(found), statistics.median(found), max(found)))
        print(f"{network.name:<22} {what:<28} {figures}")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
